#include "twin/api/sync.h"

#include "twin/machine/core.h"

namespace normgrad::twin {

void Barrier(pipe_t pipe, Site site) {
  Core& core = ThisCore();
  ++core.counters().barriers;
  core.cycles().OrderCall("PipeBarrier", site);
  if (pipe == PIPE_ALL) {
    core.BarrierAll();
  } else {
    core.Barrier(PipeIndex(pipe));
  }
}

void SetEventFlag(AscendC::HardEvent event, int id, Site site) {
  ThisCore().SetFlag(event, id, site);
}

void WaitEventFlag(AscendC::HardEvent event, int id, Site site) {
  ThisCore().WaitFlag(event, id, site);
}

int64_t BlockIndex() { return ThisCore().index(); }
int64_t BlockCount() { return ThisCore().options().cores; }

}  // namespace normgrad::twin
