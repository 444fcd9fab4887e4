// RmsNorm, forward: rstd = 1 / sqrt(mean(x^2) + epsilon), y = x gamma rstd. Rows fit UB whole.
// A row reads and writes cols x sizeof(T), and 4 bytes of rstd; gamma is read once per core.
// Tiles are dealt to cores in turn. Queues order MTE2 -> V -> MTE3; the rstd of a tile's rows is
// made at once, then the scalar unit reads it: the barrier of all pipes.
#include "kernel_operator.h"

using namespace AscendC;
using T = DTYPE_X;
using Floats = LocalTensor<float>;

struct RmsNormTiling {  // op.py packs it
  uint64_t rows;
  uint32_t cols;
  uint32_t pitch;  // columns of a row in UB, where it starts on 32 B
  uint32_t rows_per_tile;
  float epsilon;
};

template <typename To, typename From>
__aicore__ inline void Convert(const LocalTensor<To>& to, const LocalTensor<From>& from,
                               RoundMode mode, uint32_t count) {
  if constexpr (sizeof(To) == sizeof(From)) {
    DataCopy(to, from, count);
  } else {
    Cast(to, from, mode, count);
  }
  PipeBarrier<PIPE_V>();
}

struct RmsNorm {
  __aicore__ inline void Run(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd) {
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), plan.rows * plan.cols);
    gamma_gm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gamma), plan.cols);
    y_gm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), plan.rows * plan.cols);
    rstd_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(rstd), plan.rows);
    const uint32_t elems = plan.rows_per_tile * plan.pitch;
    pipe.InitBuffer(x_in, 2, elems * sizeof(T));
    pipe.InitBuffer(y_out, 2, elems * sizeof(T));
    pipe.InitBuffer(rstd_out, 2, plan.rows_per_tile * sizeof(float));
    pipe.InitBuffer(wide_buf, elems * sizeof(float));
    pipe.InitBuffer(square_buf, elems * sizeof(float));
    pipe.InitBuffer(gamma_buf, plan.pitch * sizeof(float));
    Load(gamma_buf.Get<float>(), gamma_gm, 1);
    const uint64_t step = static_cast<uint64_t>(GetBlockNum()) * plan.rows_per_tile;
    for (uint64_t row = GetBlockIdx() * plan.rows_per_tile; row < plan.rows; row += step) {
      const uint64_t left = plan.rows - row;
      Tile(row, left < plan.rows_per_tile ? static_cast<uint32_t>(left) : plan.rows_per_tile);
    }
  }

  __aicore__ static inline DataCopyExtParams Copy(uint32_t count, uint64_t bytes) {
    return {static_cast<uint16_t>(count), static_cast<uint32_t>(bytes), 0, 0, 0};
  }

  // Rows in fp32; behind the last column of each are zeros, which no sum minds.
  __aicore__ inline void Load(const Floats& to, const GlobalTensor<T>& from, uint32_t rows) {
    LocalTensor<T> x = x_in.AllocTensor<T>();
    const uint8_t padding = static_cast<uint8_t>(plan.pitch - plan.cols);
    DataCopyPad(x, from, Copy(rows, plan.cols * sizeof(T)), {true, 0, padding, T(0.0f)});
    x_in.EnQue(x);
    x = x_in.DeQue<T>();
    Convert(to, x, RoundMode::CAST_NONE, rows * plan.pitch);
    x_in.FreeTensor(x);
  }

  template <typename Queue, typename E>
  __aicore__ inline void Store(Queue& queue, LocalTensor<E> made, const GlobalTensor<E>& to,
                               const DataCopyExtParams& copy) {
    queue.EnQue(made);
    made = queue.template DeQue<E>();
    DataCopyPad(to, made, copy);
    queue.FreeTensor(made);
  }

  __aicore__ inline void Tile(uint64_t row, uint32_t rows) {
    const Floats wide = wide_buf.Get<float>(), square = square_buf.Get<float>();
    const uint32_t pitch = plan.pitch;
    Load(wide, x_gm[row * plan.cols], rows);
    Mul(square, wide, wide, rows * pitch);
    PipeBarrier<PIPE_V>();
    LocalTensor<T> y = y_out.AllocTensor<T>();
    Floats rstd = rstd_out.AllocTensor<float>();
    for (uint32_t i = 0; i < rows; ++i) {  // y is not there yet: its place serves ReduceSum
      ReduceSum(rstd[i], square[i * pitch], y.template ReinterpretCast<float>(), pitch);
      Mul(wide[i * pitch], wide[i * pitch], gamma_buf.Get<float>(), pitch);
    }
    Muls(rstd, rstd, 1.0f / static_cast<float>(plan.cols), rows);
    Duplicate(square, 1.0f, rows);
    PipeBarrier<PIPE_V>();
    Adds(rstd, rstd, plan.epsilon, rows);
    PipeBarrier<PIPE_V>();
    Sqrt(rstd, rstd, rows);
    PipeBarrier<PIPE_V>();
    Div(rstd, square, rstd, rows);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = 0; i < rows; ++i)
      Muls(wide[i * pitch], wide[i * pitch], rstd.GetValue(i), pitch);
    PipeBarrier<PIPE_V>();
    Convert(y, wide, RoundMode::CAST_RINT, rows * pitch);
    Store(y_out, y, y_gm[row * plan.cols], Copy(rows, plan.cols * sizeof(T)));
    Store(rstd_out, rstd, rstd_gm[row], Copy(1, rows * sizeof(float)));
  }

  RmsNormTiling plan;
  TPipe pipe;
  GlobalTensor<T> x_gm, gamma_gm, y_gm;
  GlobalTensor<float> rstd_gm;
  TQue<TPosition::VECIN, 1> x_in;
  TQue<TPosition::VECOUT, 1> y_out, rstd_out;
  TBuf<TPosition::VECCALC> wide_buf, square_buf, gamma_buf;
};

extern "C" __global__ __aicore__ void rms_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd,
                                               GM_ADDR, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(RmsNormTiling);
  RmsNorm op;
  GET_TILING_DATA_WITH_STRUCT(RmsNormTiling, plan, tiling);
  op.plan = plan;
  if (TILING_KEY_IS(1)) op.Run(x, gamma, y, rstd);
}
