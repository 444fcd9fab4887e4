#include "twin/api/sync.h"

#include <string>

#include "twin/machine/core.h"

namespace normgrad::twin {

void Barrier(pipe_t pipe, Site) {
  Core& core = ThisCore();
  ++core.counters().barriers;
  if (pipe == PIPE_ALL) {
    core.BarrierAll();
  } else {
    core.clocks().Barrier(PipeIndex(pipe));
  }
}

void SetEventFlag(AscendC::HardEvent event, int id, Site site) {
  ThisCore().SetFlag(event, id, site);
}

void WaitEventFlag(AscendC::HardEvent event, int id, Site site) {
  ThisCore().WaitFlag(event, id, site);
}

void HardSyncAll(Site site) {
  Core& core = ThisCore();
  ++core.counters().sync_all;
  if (core.checks() && !core.kernel_type_mix()) {
    core.Report(Rule::kSyncAllKernelType, "SyncAll", PIPE_ALL, "", 0, 0, site,
                "SyncAll() without a workspace needs "
                "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0) in the kernel's entry");
  }
  core.BarrierAll();
  core.Meet();
  switch (core.launch().schedule().SyncAll(core.index())) {
    case Schedule::Meeting::kMet:
      return;
    case Schedule::Meeting::kSomeEnded:
      core.Report(Rule::kSyncAllMissing, "SyncAll", PIPE_ALL, "", 0, 0, site,
                  "core " + std::to_string(core.index()) +
                      " waits here for ever: other cores have ended without this SyncAll");
      return;
    case Schedule::Meeting::kStopped:
      throw KernelStopped();
  }
}

int64_t BlockIndex() { return ThisCore().index(); }
int64_t BlockCount() { return ThisCore().options().cores; }

}  // namespace normgrad::twin
