// Register programming of arch 3510.
#ifndef NORMGRAD_TWIN_API_REG_H_
#define NORMGRAD_TWIN_API_REG_H_

#include <utility>

#include "twin/api/reg_cast.h"
#include "twin/api/reg_compute.h"
#include "twin/api/reg_load.h"
#include "twin/api/reg_mask.h"
#include "twin/api/reg_move.h"
#include "twin/api/reg_reduce.h"
#include "twin/api/reg_store.h"
#include "twin/machine/vector_function.h"

namespace normgrad::twin {

template <typename T>
constexpr bool kVectorArgument =
    std::is_pointer_v<std::decay_t<T>> || std::is_arithmetic_v<std::decay_t<T>> ||
    std::is_same_v<std::decay_t<T>, half> || std::is_same_v<std::decay_t<T>, bfloat16_t>;

}  // namespace normgrad::twin

// Runs a vector function of its own.
template <auto function, typename... Args>
inline void asc_vf_call(Args&&... args) {
  static_assert((normgrad::twin::kVectorArgument<Args> && ...),
                "asc_vf_call passes pointers and plain numbers only");
  normgrad::twin::VectorFunction scope({nullptr, 0});
  function(std::forward<Args>(args)...);
}

#endif  // NORMGRAD_TWIN_API_REG_H_
