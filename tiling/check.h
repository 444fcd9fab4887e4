// What the checks of the operators have in common: ranks, shapes and the sentences about them.
#ifndef NORMGRAD_TILING_CHECK_H_
#define NORMGRAD_TILING_CHECK_H_

#include <cstdint>
#include <string>

#include "tiling/answer.h"
#include "tiling/chip.h"
#include "tiling/problem.h"

namespace normgrad {

// One row of an operator's dtype table: dy (also x and dx) and gamma.
struct DtypePair {
  DType dy;
  DType gamma;
};

// The operator of whose call a sentence speaks.
struct CheckedOp {
  const char* name;          // "RmsNormGrad"
  const char* const* names;  // of its tensors, in their order
  int32_t shape_code;        // of what is wrong with ranks and shapes
};

// "fp16, fp32 or bf16"
std::string AnyOf(const DType* dtypes, int count);

Answer WrongDtype(const CheckedOp& op, const Soc& soc, int tensor, const TensorDesc* tensors,
                  const std::string& allowed, const std::string& beside);

// Number and lengths of the axes.
Answer CheckRank(const CheckedOp& op, int tensor, const TensorDesc* tensors, int lowest,
                 int highest);

// Axes [begin, end) of `whole` against all axes of `part`.
bool SameAxes(const TensorDesc& part, const TensorDesc& whole, int begin, int end);

Answer WrongShape(const CheckedOp& op, int tensor, const TensorDesc* tensors,
                  const std::string& rule, int like, const std::string& next_step);

// Product of axes [begin, end). False: it does not fit 64 bits.
bool Product(const TensorDesc& desc, int begin, int end, uint64_t* product);

// Rows and columns of a tensor of which the last axes, from `leading` on, are normalised.
Answer CountElements(const CheckedOp& op, int tensor, const TensorDesc* tensors, int leading,
                     Problem* problem);

// Whether sizes in bytes can be counted in 64 bits: dy takes at most 2^60 bytes.
bool IsCountable(uint64_t rows, uint64_t cols, DType dtype);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_CHECK_H_
