// An answer is a status code with the sentence that belongs to it. A refusal says which argument,
// what it was, what is allowed and what to do.
#ifndef NORMGRAD_TILING_ANSWER_H_
#define NORMGRAD_TILING_ANSWER_H_

#include <cstdint>
#include <string>
#include <utility>

#include "tiling/problem.h"

namespace normgrad {

struct Answer {
  int32_t code;
  std::string sentence;  // empty on success

  // A constructor, since C++11, with which CANN compiles host code, has no aggregate with defaults.
  explicit Answer(int32_t is = kSuccess, std::string why = "")
      : code(is), sentence(std::move(why)) {}

  bool ok() const { return code == kSuccess; }
};

inline Answer Refuse(int32_t code, std::string sentence) {
  return Answer(code, std::move(sentence));
}

std::string WithCommas(uint64_t value);           // "188,416"
std::string ShapeText(const TensorDesc& tensor);  // "[4096, 1024]"

}  // namespace normgrad

#endif  // NORMGRAD_TILING_ANSWER_H_
