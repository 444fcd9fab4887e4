// A meeting of all cores, by hardware.
#ifndef OP_KERNEL_COMMON_MEETING_HARD_H_
#define OP_KERNEL_COMMON_MEETING_HARD_H_

#include "kernel_operator.h"

// SyncAll without a workspace wants the mix type, though no cube core takes part.
#define KERNEL_TYPE_OF_MEETINGS() KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0)

class Meeting {
 public:
  __aicore__ inline void Init(GM_ADDR, uint64_t, uint32_t, AscendC::TPipe*) {}
  __aicore__ inline void Renew(AscendC::TPipe*) {}
  __aicore__ inline void Meet() { AscendC::SyncAll(); }
};

#endif  // OP_KERNEL_COMMON_MEETING_HARD_H_
