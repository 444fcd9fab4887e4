// Meaning of queues. The events that a queue sets and waits for on silicon are counted here; a wait
// that could never end is a fatal finding.
#include "twin/api/pipe.h"

#include <string>

#include "twin/machine/core.h"

namespace normgrad::twin {
namespace {

const char* NameOf(BufferState state) {
  switch (state) {
    case BufferState::kFree:
      return "free";
    case BufferState::kAllocated:
      return "allocated";
    case BufferState::kEnqueued:
      return "enqueued";
    case BufferState::kDequeued:
      return "dequeued";
    case BufferState::kStatic:
      return "a TBuf";
    case BufferState::kGone:
      return "of a pipe that was reset";
  }
  return "";
}

// The pipe that fills a queue's buffers, and the one that empties them.
int Producer(AscendC::TPosition position) {
  return PipeIndex(position == AscendC::TPosition::VECIN ? PIPE_MTE2 : PIPE_V);
}
int Consumer(AscendC::TPosition position) {
  return PipeIndex(position == AscendC::TPosition::VECIN ? PIPE_V : PIPE_MTE3);
}

bool Owns(const QueueState& queue, uint16_t buffer) {
  return buffer >= queue.first && buffer < queue.first + queue.count;
}

BufferView ViewOf(Core& core, uint16_t id) {
  const Buffer& buffer = core.buffer(id);
  return {buffer.begin, buffer.bytes, id};
}

// Reports a tensor of another queue, or in a state that `call` can't take; false: ignore the call.
bool RequireState(Core& core, const QueueState& queue, uint16_t id, const char* call, bool allowed,
                  const char* wanted, Site site) {
  if (Owns(queue, id) && allowed) return true;
  const std::string what = Owns(queue, id) ? std::string("the tensor is ") +
                                                 NameOf(core.buffer(id).state) + ", not " + wanted
                                           : std::string("the tensor belongs to another queue");
  core.Report(Rule::kQueueState, call, PIPE_S, core.Describe(id), 0, core.buffer(id).bytes, site,
              what);
  return false;
}

}  // namespace

void QueueInit(QueueState& queue, uint32_t count, uint32_t bytes, Site site) {
  Core& core = ThisCore();
  if (count == 0 || count > QueueState::kMaxBuffers) {
    core.Report(Rule::kBufferCount, "InitBuffer", PIPE_S, NameOf(queue.position), 0, 0, site,
                "a queue of " + std::to_string(count) + " buffers; allowed: 1 to " +
                    std::to_string(QueueState::kMaxBuffers));
    count = count == 0 ? 1 : QueueState::kMaxBuffers;
  }
  queue.first = core.AddBuffers(queue.position, true, count, bytes, site);
  queue.count = static_cast<uint16_t>(count);
  queue.next = 0;
  queue.enqueued = 0;
}

BufferView QueueAlloc(QueueState& queue, Site site) {
  Core& core = ThisCore();
  for (uint16_t i = 0; i < queue.count; ++i) {
    const uint16_t id = static_cast<uint16_t>(queue.first + (queue.next + i) % queue.count);
    Buffer& buffer = core.buffer(id);
    if (buffer.state != BufferState::kFree) continue;
    queue.next = static_cast<uint16_t>((queue.next + i + 1) % queue.count);
    if (buffer.ever_freed) {
      ++core.counters().flags_waited;
      core.Await(Producer(queue.position), buffer.event);
    }
    core.cycles().QueueCall("AllocTensor", site);
    buffer.state = BufferState::kAllocated;
    buffer.site = site;
    // The buffer's next tenant finds nothing defined in it.
    core.init().Clear(buffer.begin, buffer.begin + buffer.bytes);
    return ViewOf(core, id);
  }
  core.Report(
      Rule::kQueueNoFree, "AllocTensor", PIPE_S,
      queue.count > 0 ? core.Describe(queue.first) : BufferName(NameOf(queue.position)), 0, 0, site,
      queue.count > 0 ? "all " + std::to_string(queue.count) +
                            " buffers of this queue are in use: a FreeTensor is missing"
                      : std::string("this queue has no buffers: InitBuffer was not called"));
  return {0, 0, 0};
}

void QueueEnQue(QueueState& queue, uint32_t depth, uint16_t id, Site site) {
  Core& core = ThisCore();
  const BufferState state = core.buffer(id).state;
  const bool allowed = state == BufferState::kAllocated || state == BufferState::kDequeued;
  if (!RequireState(core, queue, id, "EnQue", allowed, "allocated", site)) return;
  const uint32_t limit = depth == 0 ? 1 : depth;
  if (queue.enqueued >= limit && core.checks()) {
    core.Report(Rule::kQueueDepth, "EnQue", PIPE_S, core.Describe(id), 0, core.buffer(id).bytes,
                site,
                std::to_string(queue.enqueued + 1) +
                    " tensors are enqueued; the queue's depth is " + std::to_string(limit));
  }
  core.buffer(id).state = BufferState::kEnqueued;
  core.cycles().QueueCall("EnQue", site);
  core.buffer(id).event = core.Signal(Producer(queue.position));
  queue.fifo[queue.enqueued++] = id;
  ++core.counters().flags_set;
}

BufferView QueueDeQue(QueueState& queue, Site site) {
  Core& core = ThisCore();
  if (queue.enqueued == 0) {
    core.Report(Rule::kQueueEmpty, "DeQue", PIPE_S,
                queue.count > 0 ? core.Describe(queue.first) : BufferName(NameOf(queue.position)),
                0, 0, site, "nothing was enqueued: an EnQue is missing");
  }
  const uint16_t id = queue.fifo[0];
  --queue.enqueued;
  for (uint16_t i = 0; i < queue.enqueued; ++i) queue.fifo[i] = queue.fifo[i + 1];
  core.buffer(id).state = BufferState::kDequeued;
  core.Await(Consumer(queue.position), core.buffer(id).event);
  core.cycles().QueueCall("DeQue", site);
  ++core.counters().flags_waited;
  return ViewOf(core, id);
}

void QueueFree(QueueState& queue, uint16_t id, Site site) {
  Core& core = ThisCore();
  const BufferState state = core.buffer(id).state;
  const bool allowed = state == BufferState::kAllocated || state == BufferState::kDequeued;
  if (!RequireState(core, queue, id, "FreeTensor", allowed, "allocated or dequeued", site)) return;
  core.buffer(id).state = BufferState::kFree;
  core.buffer(id).ever_freed = true;
  core.cycles().QueueCall("FreeTensor", site);
  core.buffer(id).event = core.Signal(Consumer(queue.position));
  ++core.counters().flags_set;
}

BufferView BufInit(AscendC::TPosition position, uint32_t bytes, Site site) {
  Core& core = ThisCore();
  const uint16_t id = core.AddBuffers(position, false, 1, bytes, site);
  return ViewOf(core, id);
}

void PipeReset(Site site) { ThisCore().ResetPipe("Reset", site); }

// The headers have a barrier of all pipes in it.
void PipeDestroy(Site site) {
  ThisCore().ResetPipe("Destroy", site);
  ThisCore().BarrierAll();
}

int PipeEventId(AscendC::HardEvent event, bool hold, Site site) {
  return ThisCore().FreeEventId(event, hold, site);
}

void PipeReleaseEventId(AscendC::HardEvent event, int id) { ThisCore().ReleaseEventId(event, id); }

}  // namespace normgrad::twin
