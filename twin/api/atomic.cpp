#include "twin/api/atomic.h"

#include <cstring>
#include <type_traits>

namespace normgrad::twin {
namespace {

template <typename T>
T Sum(T a, T b) {
  if constexpr (sizeof(T) < sizeof(float) && !std::is_integral_v<T>) {
    return T(static_cast<float>(a) + static_cast<float>(b));
  } else if constexpr (std::is_integral_v<T>) {
    // Integers wrap around; unsigned ones may.
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(
        static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
  } else {
    return a + b;
  }
}

template <typename T>
void Add(uint8_t* to, const uint8_t* from, uint64_t bytes) {
  for (uint64_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T a;
    T b;
    std::memcpy(&a, to + at, sizeof a);
    std::memcpy(&b, from + at, sizeof b);
    a = Sum(a, b);
    std::memcpy(to + at, &a, sizeof a);
  }
}

}  // namespace

AddFn AtomicAdd(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16:
      return Add<half>;
    case Dtype::kBf16:
      return Add<bfloat16_t>;
    case Dtype::kI8:
      return Add<int8_t>;
    case Dtype::kI16:
      return Add<int16_t>;
    case Dtype::kI32:
      return Add<int32_t>;
    default:
      return Add<float>;
  }
}

}  // namespace normgrad::twin
