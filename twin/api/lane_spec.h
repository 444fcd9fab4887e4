// What a call says about its lanes, as the templates hand it to the library. Which lanes that are
// depends on the core's mask register too: lanes.h.
#ifndef NORMGRAD_TWIN_API_LANE_SPEC_H_
#define NORMGRAD_TWIN_API_LANE_SPEC_H_

#include <cstdint>

namespace normgrad::twin {

struct LaneSpec {
  enum class Kind : uint8_t { kFirstN, kCount, kBits };

  Kind kind;
  bool set_mask;  // false: the mask register stands, the call's mask is a placeholder
  uint32_t repeats;
  uint64_t mask[2];  // first n and count: mask[0]

  static LaneSpec FirstN(int32_t count, bool set_mask = true) {
    return {Kind::kFirstN, set_mask, 0, {count > 0 ? static_cast<uint64_t>(count) : 0, 0}};
  }
  static LaneSpec Count(uint64_t mask, uint32_t repeats, bool set_mask) {
    return {Kind::kCount, set_mask, repeats, {mask, 0}};
  }
  static LaneSpec Bits(const uint64_t* mask, uint32_t repeats, bool set_mask, bool two_words) {
    return {Kind::kBits, set_mask, repeats, {mask[0], two_words ? mask[1] : 0}};
  }
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_API_LANE_SPEC_H_
