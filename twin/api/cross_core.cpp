// Meaning of what happens between cores.
#include "twin/api/cross_core_calls.h"

#include <cstring>
#include <functional>
#include <string>

#include "twin/machine/core.h"
#include "twin/machine/instruction.h"

namespace normgrad::twin {
namespace {

constexpr uint32_t kCrossFlagIds = 16;
constexpr uint32_t kSlotBytes = 32;        // of the soft SyncAll's workspace, per core
constexpr uint32_t kSoftGroup = 1u << 16;  // groups of soft meetings of some of the cores

// A core that nobody can wake any more reports `rule`; a stopped launch unwinds.
void Handle(Core& core, Schedule::Wake wake, Rule rule, const char* api, Site site,
            const std::string& message) {
  if (wake == Schedule::Wake::kStopped) throw KernelStopped();
  if (wake == Schedule::Wake::kNever) core.Report(rule, api, PIPE_S, "", 0, 0, site, message);
}

// All cores of the launch meet at `place`; everything before is ordered before everything after.
// Once they are all there, and before one goes on, `all_here` is done.
void MeetAll(Core& core, const void* place, Site site, const std::function<void()>& all_here) {
  Launch& launch = core.launch();
  const uint32_t members = launch.RunningAmong(0, core.options().cores);
  uint64_t meeting = 0;
  core.BarrierAll();
  const Schedule::Wake wake = launch.schedule().Block(
      core.index(),
      [&] {
        Rendezvous& rendezvous = launch.rendezvous(place);
        meeting = rendezvous.Next(members);
        core.Meet();
        if (!rendezvous.Arrive(members)) return;
        all_here();
        launch.ResolveMeeting();
        launch.schedule().DrawOrder();
      },
      [&] { return launch.rendezvous(place).Complete(meeting, members); });
  Handle(core, wake, Rule::kSyncAllMissing, "SyncAll", site,
         "core " + std::to_string(core.index()) +
             " waits here for ever: other cores have ended, or wait elsewhere");
}

void SetKey(Core& core, const CrossFlags::Key& key, uint32_t members, int pipe, Site site) {
  const CrossFlags::Round mine{core.CrossTimes(pipe), core.cycles().Share(pipe)};
  core.launch().schedule().Block(
      core.index(),
      [&] { core.launch().cross_flags().Set(key, core.index(), members, mine, site); },
      [] { return true; });
}

void WaitKey(Core& core, const CrossFlags::Key& key, const char* api, Site site) {
  CrossFlags& flags = core.launch().cross_flags();
  const Schedule::Wake wake = core.launch().schedule().Block(
      core.index(), [] {}, [&] { return flags.CanWait(key, core.index()); });
  Handle(core, wake, Rule::kCrossFlagNever, api, site,
         "flag " + std::to_string(key.id) + " is never set by all cores: core " +
             std::to_string(core.index()) + " waits for ever");
  CrossFlags::Round round;
  core.launch().schedule().Block(
      core.index(), [&] { round = flags.Wait(key, core.index()); }, [] { return true; });
  core.LearnCrossTimes(round.times);
  for (int pipe = 0; pipe < kPipes; ++pipe) core.cycles().AwaitShared(pipe, round.moment);
}

// The cores that a mode's flag concerns: all of them, or the two vector cores of one AI core.
CrossFlags::Key KeyOf(const Core& core, uint32_t mode, uint32_t id) {
  return {mode == 1 ? 1 + core.index() / 2 : 0, id};
}

uint32_t MembersOf(Core& core, uint32_t mode) {
  if (mode == 0) return core.launch().RunningAmong(0, core.options().cores);
  if (mode == 1) return core.launch().RunningAmong(core.index() / 2 * 2, 2);
  return ~0u;  // mode 2 needs a cube core, and there is none
}

void RequireFlagId(Core& core, const char* api, uint32_t id, Site site) {
  if (id < kCrossFlagIds) return;
  core.Report(Rule::kCrossFlagId, api, PIPE_S, "", 0, 0, site,
              "flag id " + std::to_string(id) + " between cores: allowed are 0 to 15");
}

}  // namespace

void HardSyncAll(Site site) {
  Core& core = ThisCore();
  ++core.counters().sync_all;
  if (core.checks() && !core.kernel_type_mix()) {
    core.Report(Rule::kSyncAllKernelType, "SyncAll", PIPE_ALL, "", 0, 0, site,
                "SyncAll() without a workspace needs "
                "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0) in the kernel's entry");
  }
  MeetAll(core, nullptr, site, [] {});
}

void SoftSyncAll(uint8_t* workspace, UbOperand ub, int32_t used_cores, Site site) {
  Core& core = ThisCore();
  ++core.counters().sync_all;
  const uint32_t all = core.options().cores;
  const uint32_t members = used_cores > 0 ? static_cast<uint32_t>(used_cores) : all;
  const uint64_t needed = uint64_t{members} * kSlotBytes;
  const GmAllocation* allocation = core.launch().gm().Find(workspace);
  const uint64_t offset = static_cast<uint64_t>(workspace - allocation->base);
  const Buffer& buffer = core.buffer(ub.buffer);
  const uint64_t ub_left = buffer.begin + uint64_t{buffer.bytes} - ub.begin;
  const bool gm_fits = offset + needed <= allocation->bytes;
  const auto complain = [&](const std::string& message) {
    if (!core.checks()) return;
    core.Report(Rule::kSyncWorkspace, "SyncAll", PIPE_S, "GM " + allocation->name, offset,
                offset + needed, site, message);
  };
  if (!gm_fits || ub_left < needed) {
    complain("a soft SyncAll of " + std::to_string(members) + " cores needs " +
             std::to_string(needed) + " bytes; GM has " +
             std::to_string(allocation->bytes - offset) + " and UB " + std::to_string(ub_left));
  }
  if (gm_fits) {
    // Each core counts its meetings in its slot. The host zeroes all of them before the launch, or
    // every core does before the first meeting: then they overwrite each other, as documented.
    if (core.soft_meetings(workspace) == 0) {
      core.launch().meeting().Forgive(allocation, offset, offset + needed);
    }
    const uint64_t slot = offset + core.index() * kSlotBytes;
    const bool written =
        allocation->init == nullptr || allocation->init->FirstUnwritten(slot, slot + 4) == slot + 4;
    int32_t count = 0;
    std::memcpy(&count, allocation->base + slot, sizeof count);
    if (!written || count != core.soft_meetings(workspace)) {
      complain("this core's counter in the workspace is not " +
               std::to_string(core.soft_meetings(workspace)) +
               ": the workspace was not zeroed before the launch, or something wrote over it");
    }
    count = ++core.soft_meetings(workspace);
    std::memcpy(allocation->base + slot, &count, sizeof count);
  }
  if (members >= all) {
    const int32_t count = core.soft_meetings(workspace);
    MeetAll(core, workspace, site, [&] {
      for (uint32_t i = 0; gm_fits && i < members; ++i) {
        std::memcpy(allocation->base + offset + i * kSlotBytes, &count, sizeof count);
      }
    });
    return;
  }
  core.BarrierAll();
  const CrossFlags::Key key{kSoftGroup, members};
  SetKey(core, key, core.launch().RunningAmong(0, members), PipeIndex(PIPE_MTE3), site);
  WaitKey(core, key, "SyncAll", site);
}

void CrossSet(uint32_t mode, pipe_t pipe, uint32_t id, Site site) {
  Core& core = ThisCore();
  ++core.counters().flags_set;
  RequireFlagId(core, "CrossCoreSetFlag", id, site);
  SetKey(core, KeyOf(core, mode, id), MembersOf(core, mode), PipeIndex(pipe), site);
}

void CrossWait(uint32_t mode, uint32_t id, Site site) {
  Core& core = ThisCore();
  ++core.counters().flags_waited;
  RequireFlagId(core, "CrossCoreWaitFlag", id, site);
  WaitKey(core, KeyOf(core, mode, id), "CrossCoreWaitFlag", site);
}

void AtomicAddOn(Dtype dtype, Site site) { ThisCore().atomic() = {true, dtype, site}; }

void AtomicOff() { ThisCore().atomic().on = false; }

void CleanDataCache(uint8_t* address, bool whole_cache) {
  std::map<uint64_t, Site>& lines = ThisCore().dirty_lines();
  if (whole_cache) {
    lines.clear();
  } else {
    lines.erase(reinterpret_cast<uint64_t>(address) / 64 * 64);
  }
}

}  // namespace normgrad::twin
