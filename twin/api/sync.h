// Order between pipes of a core, and what a kernel may ask about its launch.
#ifndef NORMGRAD_TWIN_API_SYNC_H_
#define NORMGRAD_TWIN_API_SYNC_H_

#include <cstdint>

#include "twin/machine/ids.h"
#include "twin/machine/site.h"

namespace normgrad::twin {

void Barrier(pipe_t pipe, Site site);
void SetEventFlag(AscendC::HardEvent event, int id, Site site);
void WaitEventFlag(AscendC::HardEvent event, int id, Site site);
int64_t BlockIndex();
int64_t BlockCount();

}  // namespace normgrad::twin

namespace AscendC {

template <pipe_t pipe>
inline void PipeBarrier(NORMGRAD_SITE) {
  static_assert(
      pipe == PIPE_V || pipe == PIPE_MTE2 || pipe == PIPE_MTE3 || pipe == PIPE_ALL,
      "AscendC::PipeBarrier takes PIPE_V, PIPE_MTE2, PIPE_MTE3 or PIPE_ALL on a vector core");
  normgrad::twin::Barrier(pipe, site);
}

template <HardEvent event>
inline void SetFlag(TEventID id, NORMGRAD_SITE) {
  normgrad::twin::SetEventFlag(event, id, site);
}

template <HardEvent event>
inline void WaitFlag(TEventID id, NORMGRAD_SITE) {
  normgrad::twin::WaitEventFlag(event, id, site);
}

inline int64_t GetBlockIdx() { return normgrad::twin::BlockIndex(); }
inline int64_t GetBlockNum() { return normgrad::twin::BlockCount(); }

}  // namespace AscendC

#endif  // NORMGRAD_TWIN_API_SYNC_H_
