// Buffers and queues: who owns which stretch of UB.
#include "tests/twin/sample.h"

SAMPLE(BufferLargerThanUb, 1) {
  TPipe pipe;
  TBuf<> buf;
  //! ub-overflow InitBuffer core=0 pipe=S buffer="VECCALC" bytes=0..188448
  pipe.InitBuffer(buf, 188417);
}

//@ ub=65536
SAMPLE(BuffersLargerThanUbTogether, 1) {
  TPipe pipe;
  In1 queue;
  TBuf<> buf;
  pipe.InitBuffer(queue, 2, 24576);
  //! ub-overflow InitBuffer core=0 pipe=S buffer="VECCALC" bytes=49152..65568
  pipe.InitBuffer(buf, 16416);
}

SAMPLE(UsesAFreedTensor, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 2, 256);
  LocalTensor<float> a = queue.AllocTensor<float>();
  AscendC::DataCopy(a, Global(gm.in), 64);
  queue.EnQue(a);
  a = queue.DeQue<float>();
  const LocalTensor<float> d = Buffer(pipe, 64);
  queue.FreeTensor(a);
  //! tensor-not-owned Adds core=0 pipe=V buffer="VECIN queue 0 buffer 0" bytes=0..256
  AscendC::Adds(d, a, 1.0f, 64);
}

SAMPLE(UsesAnEnqueuedTensor, 1) {
  TPipe pipe;
  Out1 queue;
  pipe.InitBuffer(queue, 1, 256);
  const LocalTensor<float> a = queue.AllocTensor<float>();
  AscendC::Duplicate(a, 1.0f, 64);
  queue.EnQue(a);
  Order<HardEvent::V_MTE3>();
  //! tensor-not-owned DataCopy core=0 pipe=MTE3 buffer="VECOUT queue 0 buffer 0" bytes=0..256
  AscendC::DataCopy(Global(gm.out), a, 64);
  Free(queue, queue.DeQue<float>());
}

SAMPLE(UsesATensorOfAResetPipe, 1) {
  TPipe pipe;
  const LocalTensor<float> a = Loaded(pipe, gm, 64);
  pipe.Reset();
  AscendC::PipeBarrier<PIPE_ALL>();
  //! tensor-not-owned Duplicate core=0 pipe=V buffer="TBuf 0" bytes=0..256
  AscendC::Duplicate(a, 2.0f, 64);
}

SAMPLE(AllocatesMoreThanThereAre, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 2, 256);
  queue.AllocTensor<float>();
  queue.AllocTensor<float>();
  //! queue-no-free-buffer AllocTensor core=0 pipe=S buffer="VECIN queue 0 buffer 0" bytes=0..0
  queue.AllocTensor<float>();
}

SAMPLE(AllocatesFromAQueueWithoutBuffers, 1) {
  Out1 queue;
  //! queue-no-free-buffer AllocTensor core=0 pipe=S buffer="VECOUT" bytes=0..0
  queue.AllocTensor<float>();
}

// The tile loop gives no buffer back: the second of two passes, the third one hangs.
SAMPLE(ForgetsFreeTensorInALoop, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 2, 256);
  for (uint32_t tile = 0; tile < 3; ++tile) {
    //! queue-no-free-buffer AllocTensor core=0 pipe=S buffer="VECIN queue 0 buffer 0" bytes=0..0
    const LocalTensor<float> a = queue.AllocTensor<float>();
    AscendC::DataCopy(a, Global(gm.in)[tile * 64], 64);
    queue.EnQue(a);
    queue.DeQue<float>();
  }
}

SAMPLE(DequeuesFromAnEmptyQueue, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 2, 256);
  const LocalTensor<float> a = queue.AllocTensor<float>();
  AscendC::DataCopy(a, Global(gm.in), 64);
  //! queue-empty DeQue core=0 pipe=S buffer="VECIN queue 0 buffer 0" bytes=0..0
  queue.DeQue<float>();
}

SAMPLE(EnqueuesDeeperThanTheQueue, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 2, 256);
  queue.EnQue(queue.AllocTensor<float>());
  const LocalTensor<float> b = queue.AllocTensor<float>();
  //! queue-depth EnQue core=0 pipe=S buffer="VECIN queue 0 buffer 1" bytes=0..256
  queue.EnQue(b);
  Free(queue, queue.DeQue<float>());
  Free(queue, queue.DeQue<float>());
}

SAMPLE(FreesTwice, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 2, 256);
  LocalTensor<float> a = queue.AllocTensor<float>();
  queue.FreeTensor(a);
  //! queue-state FreeTensor core=0 pipe=S buffer="VECIN queue 0 buffer 0" bytes=0..256
  queue.FreeTensor(a);
}

SAMPLE(EnqueuesTwice, 1) {
  TPipe pipe;
  TQue<TPosition::VECIN, 2> queue;
  pipe.InitBuffer(queue, 2, 256);
  const LocalTensor<float> a = queue.AllocTensor<float>();
  queue.EnQue(a);
  //! queue-state EnQue core=0 pipe=S buffer="VECIN queue 0 buffer 0" bytes=0..256
  queue.EnQue(a);
  Free(queue, queue.DeQue<float>());
}

SAMPLE(FreesToAnotherQueue, 1) {
  TPipe pipe;
  In1 in;
  Out1 out;
  pipe.InitBuffer(in, 1, 256);
  pipe.InitBuffer(out, 1, 256);
  LocalTensor<float> a = in.AllocTensor<float>();
  //! queue-state FreeTensor core=0 pipe=S buffer="VECIN queue 0 buffer 0" bytes=0..256
  out.FreeTensor(a);
  in.FreeTensor(a);
}

SAMPLE(NeverFrees, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 1, 256);
  //! queue-leak end of kernel core=0 pipe=S buffer="VECIN queue 0 buffer 0" bytes=0..256
  const LocalTensor<float> a = queue.AllocTensor<float>();
  AscendC::DataCopy(a, Global(gm.in), 64);
  queue.EnQue(a);
  queue.DeQue<float>();
}

SAMPLE(NeverDequeues, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 1, 256);
  //! queue-leak end of kernel core=0 pipe=S buffer="VECIN queue 0 buffer 0" bytes=0..256
  const LocalTensor<float> a = queue.AllocTensor<float>();
  AscendC::DataCopy(a, Global(gm.in), 64);
  queue.EnQue(a);
}

SAMPLE(ResetsAPipeWithTensorsOut, 1) {
  TPipe pipe;
  In1 queue;
  pipe.InitBuffer(queue, 1, 256);
  //! queue-leak Reset core=0 pipe=S buffer="VECIN queue 0 buffer 0" bytes=0..256
  queue.AllocTensor<float>();
  pipe.Reset();
}

SAMPLE_ON(MoreBuffersThanEventIds, 1, 2002, 2201) {
  TPipe pipe;
  In1 a;
  In1 b;
  pipe.InitBuffer(a, 5, 256);
  //! buffer-count InitBuffer core=0 pipe=S buffer="VECIN" bytes=0..0
  pipe.InitBuffer(b, 4, 256);
}

SAMPLE(QueueOfNoBuffer, 1) {
  TPipe pipe;
  In1 a;
  //! buffer-count InitBuffer core=0 pipe=S buffer="VECIN" bytes=0..0
  pipe.InitBuffer(a, 0, 256);
}

SAMPLE(MoreBuffersThanAPipeHolds, 1) {
  TPipe pipe;
  for (uint32_t i = 0; i < 65; ++i) {
    TBuf<> buf;
    //! buffer-count InitBuffer core=0 pipe=S buffer="VECCALC" bytes=0..0
    pipe.InitBuffer(buf, 32);
  }
}
