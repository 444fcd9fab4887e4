// Names of the machine's parts: pipes, positions, pairs of pipes. The enums that kernels spell
// (PIPE_V, TPosition, HardEvent) carry the vendor's names and values.
#ifndef NORMGRAD_TWIN_MACHINE_IDS_H_
#define NORMGRAD_TWIN_MACHINE_IDS_H_

#include <cstdint>

enum pipe_t : uint8_t {
  PIPE_S = 0,
  PIPE_V,
  PIPE_M,
  PIPE_MTE1,
  PIPE_MTE2,
  PIPE_MTE3,
  PIPE_ALL,
};

enum event_t : uint8_t {
  EVENT_ID0 = 0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7,
};

namespace AscendC {

using TEventID = int8_t;

enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
};
using QuePosition = TPosition;

// The pairs of pipes that a vector core can order.
enum class HardEvent : uint8_t {
  S_V,
  V_S,
  S_MTE2,
  MTE2_S,
  S_MTE3,
  MTE3_S,
  V_MTE2,
  MTE2_V,
  V_MTE3,
  MTE3_V,
  MTE2_MTE3,
  MTE3_MTE2,
};

}  // namespace AscendC

namespace normgrad::twin {

constexpr int kHardEvents = 12;

// The pipe that sets a flag of this kind, and the one that waits for it.
inline pipe_t SourceOf(AscendC::HardEvent event) {
  static const pipe_t kPipe[] = {PIPE_S, PIPE_V,    PIPE_S, PIPE_MTE2, PIPE_S,    PIPE_MTE3,
                                 PIPE_V, PIPE_MTE2, PIPE_V, PIPE_MTE3, PIPE_MTE2, PIPE_MTE3};
  return kPipe[static_cast<int>(event)];
}
inline pipe_t DestinationOf(AscendC::HardEvent event) {
  static const pipe_t kPipe[] = {PIPE_V,    PIPE_S, PIPE_MTE2, PIPE_S, PIPE_MTE3, PIPE_S,
                                 PIPE_MTE2, PIPE_V, PIPE_MTE3, PIPE_V, PIPE_MTE3, PIPE_MTE2};
  return kPipe[static_cast<int>(event)];
}

constexpr uint32_t kBlockBytes = 32;
constexpr uint32_t kRepeatBytes = 256;

inline const char* NameOf(pipe_t pipe) {
  static const char* const kNames[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "ALL"};
  return kNames[pipe];
}

inline const char* NameOf(AscendC::TPosition position) {
  static const char* const kNames[] = {"GM", "A1",  "A2",  "B1",    "B2",     "C1",
                                       "C2", "CO1", "CO2", "VECIN", "VECOUT", "VECCALC"};
  return kNames[static_cast<int>(position)];
}

inline const char* NameOf(AscendC::HardEvent event) {
  static const char* const kNames[] = {"S_V",    "V_S",    "S_MTE2",    "MTE2_S",
                                       "S_MTE3", "MTE3_S", "V_MTE2",    "MTE2_V",
                                       "V_MTE3", "MTE3_V", "MTE2_MTE3", "MTE3_MTE2"};
  return kNames[static_cast<int>(event)];
}

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_IDS_H_
