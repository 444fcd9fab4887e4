// For planners of operators that are not in this tree: one C++ file that defines normgrad_own_plan.
// It may be the code that CANN's tiling function calls, too. docs/your-own-op.md has an example.
#ifndef NORMGRAD_TILING_OWN_PLAN_H_
#define NORMGRAD_TILING_OWN_PLAN_H_

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "tiling/capi.h"

constexpr uint32_t kMaxOwnAttributes = 16;

// The attributes of a description, as the case gives them or by default, in its order.
struct NormgradAttributes {
  uint32_t count;
  struct {
    char name[32];
    double value;
  } items[kMaxOwnAttributes];
};

// Fills `plan`, which comes zeroed, or refuses. Strategy, reason, UB limit, minimum bytes and C may
// stay unset: "Whole", that this function said so, what was asked for, each tensor once, 4.
extern "C" int32_t normgrad_own_plan(const NormgradSoc* soc, const normgrad::Problem* problem,
                                     const normgrad::PlanOptions* options,
                                     const NormgradAttributes* attributes, NormgradPlan* plan,
                                     NormgradAnswer* answer);

namespace normgrad {

// An attribute by the name that the description gives it.
inline double Attribute(const NormgradAttributes* attributes, const char* name) {
  for (uint32_t i = 0; i < attributes->count; ++i) {
    if (std::strcmp(attributes->items[i].name, name) == 0) return attributes->items[i].value;
  }
  throw std::invalid_argument(std::string("the description has no attribute ") + name);
}

// The end of a call that says no: one sentence with the value, what is allowed, what to do.
inline int32_t RefuseOwn(const std::string& sentence, NormgradAnswer* answer) {
  answer->code = kTilingRefused;
  std::snprintf(answer->sentence, sizeof answer->sentence, "%s", sentence.c_str());
  return answer->code;
}

// The struct that the kernel reads.
template <typename T>
void SetTiling(const T& tiling, NormgradPlan* plan) {
  static_assert(std::is_trivially_copyable<T>::value, "the kernel gets its bytes");
  static_assert(sizeof(T) <= kMaxTilingBytes, "tiling data is small");
  plan->tiling_bytes = sizeof(T);
  std::memcpy(plan->tiling, &tiling, sizeof(T));
}

// What `normgrad plan` says first: how the work is cut, and why so, with numbers.
inline void SetStrategy(const std::string& name, const std::string& reason, NormgradPlan* plan) {
  std::snprintf(plan->strategy, sizeof plan->strategy, "%s", name.c_str());
  std::snprintf(plan->reason, sizeof plan->reason, "%s", reason.c_str());
}

// A buffer of UB, for the table that `normgrad plan` shows.
inline void AddBuffer(const char* name, uint32_t bytes, uint32_t count, NormgradPlan* plan) {
  if (plan->buffer_count == kMaxPlanBuffers) return;
  NormgradBuffer& buffer = plan->buffers[plan->buffer_count++];
  std::snprintf(buffer.name, sizeof buffer.name, "%s", name);
  buffer.bytes = bytes;
  buffer.count = count;
  buffer.phase = 1;
}

// A field of the tiling data, for people; `rows`, `rows_per_core` and `rows_per_tile` let a verdict
// name the core and the tile of an element.
inline void AddField(const char* name, double value, const char* unit, NormgradPlan* plan) {
  if (plan->field_count == kMaxPlanFields) return;
  NormgradField& field = plan->fields[plan->field_count++];
  std::snprintf(field.name, sizeof field.name, "%s", name);
  std::snprintf(field.unit, sizeof field.unit, "%s", unit);
  field.value = value;
}

}  // namespace normgrad

#endif  // NORMGRAD_TILING_OWN_PLAN_H_
