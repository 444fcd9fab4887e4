// Search by halving for the planners.
#ifndef NORMGRAD_TILING_SEARCH_H_
#define NORMGRAD_TILING_SEARCH_H_

#include <cstdint>

namespace normgrad {

// The largest value in 1..most for which `fits` holds, 0 if none; `fits` is true up to some value.
template <typename Fits>
uint64_t Largest(uint64_t most, Fits fits) {
  uint64_t good = 0;
  while (good < most) {
    const uint64_t middle = good + (most - good + 1) / 2;
    if (fits(middle)) {
      good = middle;
    } else {
      most = middle - 1;
    }
  }
  return good;
}

}  // namespace normgrad

#endif  // NORMGRAD_TILING_SEARCH_H_
