// TPipe, TQue, TBuf: who owns which stretch of UB when. Buffers and their states live in the core;
// these types are what a kernel holds of them.
#ifndef NORMGRAD_TWIN_API_PIPE_H_
#define NORMGRAD_TWIN_API_PIPE_H_

#include <cstdint>

#include "twin/api/tensor.h"

namespace normgrad::twin {

// The state of one queue: a ring of buffers to allocate from and a first-in first-out of what was
// enqueued.
struct QueueState {
  static constexpr uint32_t kMaxBuffers = 8;
  AscendC::TPosition position;
  uint16_t first = 0;  // id of the first buffer
  uint16_t count = 0;  // 0: InitBuffer was not called
  uint16_t next = 0;   // buffer that the next AllocTensor looks at first
  uint16_t enqueued = 0;
  uint16_t fifo[kMaxBuffers] = {};
};

struct BufferView {
  uint32_t begin;
  uint32_t bytes;
  uint16_t buffer;
};

void QueueInit(QueueState& queue, uint32_t count, uint32_t bytes, Site site);
BufferView QueueAlloc(QueueState& queue, Site site);
void QueueEnQue(QueueState& queue, uint32_t depth, uint16_t buffer, Site site);
BufferView QueueDeQue(QueueState& queue, Site site);
void QueueFree(QueueState& queue, uint16_t buffer, Site site);
BufferView BufInit(AscendC::TPosition position, uint32_t bytes, Site site);
void PipeReset(Site site);
void PipeDestroy(Site site);
int PipeEventId(AscendC::HardEvent event, bool hold, Site site);
void PipeReleaseEventId(AscendC::HardEvent event, int id);

}  // namespace normgrad::twin

namespace AscendC {

template <TPosition position, int32_t depth, auto mask = 0>
class TQue {
 public:
  template <typename T>
  LocalTensor<T> AllocTensor(NORMGRAD_SITE) {
    return View<T>(normgrad::twin::QueueAlloc(state_, site));
  }
  template <typename T>
  bool EnQue(const LocalTensor<T>& tensor, NORMGRAD_SITE) {
    normgrad::twin::QueueEnQue(state_, depth, tensor.Operand().buffer, site);
    return true;
  }
  template <typename T>
  LocalTensor<T> DeQue(NORMGRAD_SITE) {
    return View<T>(normgrad::twin::QueueDeQue(state_, site));
  }
  template <typename T>
  void FreeTensor(LocalTensor<T>& tensor, NORMGRAD_SITE) {  // not const: as the vendor has it
    normgrad::twin::QueueFree(state_, tensor.Operand().buffer, site);
  }

 private:
  friend class TPipe;

  template <typename T>
  static LocalTensor<T> View(const normgrad::twin::BufferView& view) {
    return {view.begin, view.bytes, view.buffer, position};
  }

  normgrad::twin::QueueState state_{position};
};

template <TPosition position = TPosition::VECCALC>
class TBuf {
 public:
  template <typename T>
  LocalTensor<T> Get() {
    return {view_.begin, view_.bytes, view_.buffer, position};
  }
  template <typename T>
  LocalTensor<T> Get(uint32_t size_elems) {
    return {view_.begin, size_elems * static_cast<uint32_t>(sizeof(T)), view_.buffer, position};
  }

 private:
  friend class TPipe;

  normgrad::twin::BufferView view_{};
};

class TPipe {
 public:
  template <TPosition position, int32_t depth, auto mask>
  bool InitBuffer(TQue<position, depth, mask>& queue, uint8_t count, uint32_t bytes,
                  NORMGRAD_SITE) {
    normgrad::twin::QueueInit(queue.state_, count, bytes, site);
    return true;
  }
  template <TPosition position>
  bool InitBuffer(TBuf<position>& buf, uint32_t bytes, NORMGRAD_SITE) {
    buf.view_ = normgrad::twin::BufInit(position, bytes, site);
    return true;
  }

  // All buffers handed out so far are gone; the next InitBuffer starts at the beginning of UB.
  void Reset(NORMGRAD_SITE) { normgrad::twin::PipeReset(site); }
  void Destroy(NORMGRAD_SITE) { normgrad::twin::PipeDestroy(site); }

  TEventID FetchEventID(HardEvent event, NORMGRAD_SITE) {
    return static_cast<TEventID>(normgrad::twin::PipeEventId(event, false, site));
  }
  template <HardEvent event>
  TEventID AllocEventID(NORMGRAD_SITE) {
    return static_cast<TEventID>(normgrad::twin::PipeEventId(event, true, site));
  }
  template <HardEvent event>
  void ReleaseEventID(TEventID id) {
    normgrad::twin::PipeReleaseEventId(event, id);
  }
};

}  // namespace AscendC

// The pipe of this core. Every TPipe hands out the same UB, so it does not matter which one it is.
// Outside of the namespace, as the vendor has it.
inline AscendC::TPipe* GetTPipePtr() {
  static AscendC::TPipe pipe;  // holds no state of its own
  return &pipe;
}

#endif  // NORMGRAD_TWIN_API_PIPE_H_
