// Look-alikes of bad/queues.cpp, sample by sample.
#include "tests/twin/sample.h"

// A tile through UB: the life of a buffer in full.
inline void PassThrough(In1& queue, const Gm& gm, uint32_t tile) {
  LocalTensor<float> a = queue.AllocTensor<float>();
  AscendC::DataCopy(a, Global(gm.in)[tile * 64], 64);
  queue.EnQue(a);
  a = queue.DeQue<float>();
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out)[tile * 64], a, 64);
  Order<HardEvent::MTE3_MTE2>();
  queue.FreeTensor(a);
}

// BufferLargerThanUb
//= 0..8: i
SAMPLE(BufferOfAllUb, 1) {
  TPipe pipe;
  TBuf<TPosition::VECIN> buf;
  pipe.InitBuffer(buf, 188416);
  const LocalTensor<float> last = buf.Get<float>()[47096];
  AscendC::DataCopy(last, Global(gm.in), 8);
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), last, 8);
}

// BuffersLargerThanUbTogether: the first phase's buffers are gone after Reset.
//@ ub=65536
//= 0..64: i
SAMPLE(BuffersOneAfterTheOther, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 2, 24576);
  PassThrough(queue, gm, 0);
  pipe.Reset();
  TBuf<> buf;
  pipe.InitBuffer(buf, 65536);
}

// UsesAFreedTensor
//= 0..64: i + 1
SAMPLE(UsesATensorBeforeItIsFreed, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 2, 256);
  LocalTensor<float> a = queue.AllocTensor<float>();
  AscendC::DataCopy(a, Global(gm.in), 64);
  queue.EnQue(a);
  a = queue.DeQue<float>();
  const LocalTensor<float> d = Buffer(pipe, 64);
  AscendC::Adds(d, a, 1.0f, 64);
  queue.FreeTensor(a);
  Store(gm, d, 64);
}

// UsesAnEnqueuedTensor
//= 0..64: 1 + 0 * i
SAMPLE(UsesADequeuedTensor, 1) {
  TPipe pipe;
  Out1 queue;
  pipe.InitBuffer(queue, 1, 256);
  LocalTensor<float> a = queue.AllocTensor<float>();
  AscendC::Duplicate(a, 1.0f, 64);
  queue.EnQue(a);
  a = queue.DeQue<float>();
  AscendC::DataCopy(Global(gm.out), a, 64);
  queue.FreeTensor(a);
}

// UsesATensorOfAResetPipe
//= 0..64: 2 * i
SAMPLE(UsesATensorMadeAfterReset, 1) {
  TPipe pipe;
  Loaded(pipe, gm, 64);
  AscendC::PipeBarrier<PIPE_ALL>();
  pipe.Reset();
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  AscendC::Muls(a, a, 2.0f, 64);
  Store(gm, a, 64);
}

// AllocatesMoreThanThereAre, AllocatesFromAQueueWithoutBuffers
//= 0..64: i
SAMPLE(AllocatesAllThereAre, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 2, 256);
  LocalTensor<float> a = queue.AllocTensor<float>();
  LocalTensor<float> b = queue.AllocTensor<float>();
  queue.FreeTensor(a);
  PassThrough(queue, gm, 0);
  queue.FreeTensor(b);
}

// AllocatesFromAQueueWithoutBuffers: one buffer is enough if it comes back.
//= 0..128: i
SAMPLE(AllocatesFromAQueueOfOneBuffer, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 1, 256);
  PassThrough(queue, gm, 0);
  PassThrough(queue, gm, 1);
}

// ForgetsFreeTensorInALoop
//= 0..192: i
SAMPLE(FreesInALoop, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 2, 256);
  for (uint32_t tile = 0; tile < 3; ++tile) PassThrough(queue, gm, tile);
}

// DequeuesFromAnEmptyQueue, EnqueuesDeeperThanTheQueue: two tensors on their way at a time.
//= 0..128: i
SAMPLE(EnqueuesAsDeepAsTheQueue, 1) {
  TPipe pipe;
  TQue<TPosition::VECIN, 2> queue;
  pipe.InitBuffer(queue, 2, 256);
  for (uint32_t tile = 0; tile < 2; ++tile) {
    LocalTensor<float> a = queue.AllocTensor<float>();
    AscendC::DataCopy(a, Global(gm.in)[tile * 64], 64);
    queue.EnQue(a);
  }
  for (uint32_t tile = 0; tile < 2; ++tile) {
    LocalTensor<float> a = queue.DeQue<float>();
    Order<HardEvent::MTE2_MTE3>();
    AscendC::DataCopy(Global(gm.out)[tile * 64], a, 64);
    Order<HardEvent::MTE3_MTE2>();
    queue.FreeTensor(a);
  }
}

// FreesTwice, NeverFrees: an allocated tensor may be given back without a use.
//= 0..64: i
SAMPLE(FreesUnused, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 2, 256);
  Free(queue, queue.AllocTensor<float>());
  PassThrough(queue, gm, 0);
}

// EnqueuesTwice: a dequeued tensor may go round again.
//= 0..64: i
SAMPLE(EnqueuesAgain, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 1, 256);
  LocalTensor<float> a = queue.AllocTensor<float>();
  AscendC::DataCopy(a, Global(gm.in), 64);
  queue.EnQue(a);
  a = queue.DeQue<float>();
  queue.EnQue(a);
  a = queue.DeQue<float>();
  Order<HardEvent::MTE2_MTE3>();
  AscendC::DataCopy(Global(gm.out), a, 64);
  queue.FreeTensor(a);
}

// FreesToAnotherQueue: the data changes queues by a copy, not by a tensor.
//= 0..64: i
SAMPLE(CopiesToAnotherQueue, 1) {
  TPipe pipe;
  In1 in;
  Out1 out;
  pipe.InitBuffer(in, 1, 256);
  pipe.InitBuffer(out, 1, 256);
  LocalTensor<float> a = in.AllocTensor<float>();
  AscendC::DataCopy(a, Global(gm.in), 64);
  in.EnQue(a);
  a = in.DeQue<float>();
  LocalTensor<float> d = out.AllocTensor<float>();
  AscendC::DataCopy(d, a, 64);
  in.FreeTensor(a);
  out.EnQue(d);
  d = out.DeQue<float>();
  AscendC::DataCopy(Global(gm.out), d, 64);
  out.FreeTensor(d);
}

// NeverDequeues, ResetsAPipeWithTensorsOut
//= 0..128: i
SAMPLE(ResetsAPipeThatIsIdle, 1) {
  TPipe pipe;
  for (uint32_t tile = 0; tile < 2; ++tile) {
    In1 queue;
    pipe.InitBuffer(queue, 1, 256);
    PassThrough(queue, gm, tile);
    AscendC::PipeBarrier<PIPE_ALL>();
    pipe.Reset();
  }
}

// MoreBuffersThanEventIds: the ids are per position.
//= 0..64: i
SAMPLE_ON(AsManyBuffersAsEventIds, 1, 2002, 2201) {
  TPipe pipe;
  In1 a;
  In1 b;
  Out1 c;
  pipe.InitBuffer(a, 4, 256);
  pipe.InitBuffer(b, 4, 256);
  pipe.InitBuffer(c, 8, 256);
  PassThrough(a, gm, 0);
}

// QueueOfNoBuffer, MoreBuffersThanAPipeHolds
//= 0..64: i
SAMPLE_ON(AsManyBuffersAsAPipeHolds, 1, 2002, 2201) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 8, 256);
  for (uint32_t i = 0; i < 56; ++i) Buffer(pipe, 8);
  PassThrough(queue, gm, 0);
}
