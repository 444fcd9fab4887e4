// A meeting of all cores over GM: each counts its meetings in a block of the workspace and polls
// those of the others. The workspace comes as it is, so each core zeroes all the counters before
// its first meeting, as the page of SyncAll asks: whom this overtakes counts once more.
#ifndef OP_KERNEL_COMMON_MEETING_SOFT_H_
#define OP_KERNEL_COMMON_MEETING_SOFT_H_

#include "op_kernel/common/units.h"
#include "tiling/norm_grad.h"

// The kernel's own type will do.
#define KERNEL_TYPE_OF_MEETINGS()

class Meeting {
 public:
  // `workspace` holds the counters at byte `at`. A core alone meets nobody.
  __aicore__ inline void Init(GM_ADDR workspace, uint64_t at, uint32_t cores,
                              AscendC::TPipe* pipe) {
    cores_ = cores;
    Renew(pipe);
    if (cores_ == 1) return;
    const uint32_t count = cores_ * kCounterElems;
    counters_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(workspace + at), count);
    const AscendC::LocalTensor<int32_t> zeros = buf_.Get<int32_t>();
    AscendC::Duplicate(zeros, static_cast<int32_t>(0), static_cast<int32_t>(count));
    const AscendC::TEventID event = pipe->FetchEventID(AscendC::HardEvent::V_MTE3);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(event);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(event);
    AscendC::DataCopy(counters_, zeros, count);
  }

  // After the pipe's reset.
  __aicore__ inline void Renew(AscendC::TPipe* pipe) { pipe->InitBuffer(buf_, kMeetingBytes); }

  __aicore__ inline void Meet() {
    if (cores_ == 1) {
      AscendC::PipeBarrier<PIPE_ALL>();
    } else {
      AscendC::SyncAll(counters_, buf_.Get<int32_t>());
    }
  }

 private:
  static constexpr uint32_t kCounterElems = 8;  // a block each

  uint32_t cores_;
  AscendC::GlobalTensor<int32_t> counters_;
  AscendC::TBuf<AscendC::TPosition::VECOUT> buf_;
};

#endif  // OP_KERNEL_COMMON_MEETING_SOFT_H_
