// Meaning of the reductions. Inside a repeat a sum is a tree over neighbours; masked lanes count
// as 0. How repeats meet depends on the chip: VectorReduceSum.
#include "twin/api/vector_calls.h"
#include "twin/api/vector_operand.h"

namespace normgrad::twin {
namespace {

// `sums` sums of the active lanes of each repeat, of as many neighbours each: calls f(repeat,
// results). Repeats lie side by side in one tree, which is as long as vector code likes it.
template <typename F>
void SumRepeats(const Lanes& lanes, Source& source, TreeFn tree, uint32_t sums, F f) {
  const uint32_t bytes = lanes.element_bytes();
  alignas(64) uint8_t values[kSpreadLines * kLineBytes];
  for (uint32_t first = 0; first < lanes.repeats(); first += kSpreadLines) {
    const uint32_t count = std::min(kSpreadLines, lanes.repeats() - first);
    for (uint32_t i = 0; i < count; ++i) {
      const uint8_t* line = source.Repeat(first + i);
      uint8_t* to = values + i * kLineBytes;
      if (lanes.full(first + i)) {
        std::memcpy(to, line, kLineBytes);
        continue;
      }
      std::memset(to, 0, kLineBytes);
      lanes.ForEachRun(first + i, lanes.lanes(), [&](uint32_t lane, uint32_t n) {
        std::memcpy(to + lane * bytes, line + lane * bytes, n * bytes);
      });
    }
    tree(values, count * lanes.lanes(), count * sums);
    for (uint32_t i = 0; i < count; ++i) f(first + i, values + i * sums * bytes);
  }
}

float FloatAt(Dtype dtype, const uint8_t* at) {
  if (dtype == Dtype::kF16) {
    uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return FloatFromHalf(bits);
  }
  float value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The lane with the largest or smallest value; of several, the first.
uint32_t ExtremeLane(Dtype dtype, bool largest, const Lanes& lanes, uint32_t repeat,
                     const uint8_t* line) {
  uint32_t best = kRepeatBytes;
  for (uint32_t lane = 0; lane < lanes.lanes(); ++lane) {
    if (!lanes.active(repeat, lane)) continue;
    if (best == kRepeatBytes) {
      best = lane;
      continue;
    }
    const float value = FloatAt(dtype, line + lane * lanes.element_bytes());
    const float record = FloatAt(dtype, line + best * lanes.element_bytes());
    if (largest ? value > record : value < record) best = lane;
  }
  return best;
}

// A value and an index in the format of an element, in the order that the call wants.
uint32_t StoreExtreme(AscendC::ReduceOrder order, const uint8_t* value, uint32_t index,
                      uint32_t bytes, uint8_t* out) {
  using AscendC::ReduceOrder;
  switch (order) {
    case ReduceOrder::ORDER_VALUE_INDEX:
      std::memcpy(out, value, bytes);
      std::memcpy(out + bytes, &index, bytes);
      return 2 * bytes;
    case ReduceOrder::ORDER_INDEX_VALUE:
      std::memcpy(out + bytes, value, bytes);
      std::memcpy(out, &index, bytes);
      return 2 * bytes;
    case ReduceOrder::ORDER_ONLY_VALUE:
      std::memcpy(out, value, bytes);
      return bytes;
    case ReduceOrder::ORDER_ONLY_INDEX:
      std::memcpy(out, &index, sizeof index);
      return sizeof index;
  }
  return 0;
}

uint32_t ResultBytes(AscendC::ReduceOrder order, uint32_t bytes) {
  uint8_t scratch[16];
  const uint64_t value = 0;
  return StoreExtreme(order, reinterpret_cast<const uint8_t*>(&value), 0, bytes, scratch);
}

void RequireStrides(Instruction& in, const UbOperand& dst, const ReduceStrides& p) {
  const auto inside = [](int32_t stride) { return stride >= 0 && stride <= 65535; };
  in.Require(inside(p.dst_repeat), Rule::kStrideLimit, dst, "dst repeat stride",
             static_cast<uint64_t>(p.dst_repeat), "0 to 65535 results");
  in.Require(inside(p.src_block) && inside(p.src_repeat), Rule::kStrideLimit, dst, "src stride",
             static_cast<uint64_t>(inside(p.src_block) ? p.src_repeat : p.src_block),
             "0 to 65535 blocks");
}

// 3510 writes results that no active lane has a part in.
bool WritesUnasked(Instruction& in) { return in.core().options().soc->chip->arch == 3510; }

void StoreInfinity(Dtype dtype, bool negative, uint8_t* out) {
  const uint32_t f32 = negative ? 0xFF800000u : 0x7F800000u;
  const uint16_t f16 = negative ? 0xFC00u : 0x7C00u;
  std::memcpy(out, dtype == Dtype::kF16 ? static_cast<const void*>(&f16) : &f32, BytesOf(dtype));
}

VectorOperand SourceOf(UbOperand src, const ReduceStrides& p, uint32_t bytes) {
  return {
      src, "src", {static_cast<uint32_t>(p.src_block), static_cast<uint32_t>(p.src_repeat)}, bytes};
}

}  // namespace

void VectorReduceRepeat(Api api, Dtype dtype, UbOperand dst, UbOperand src, const LaneSpec& spec,
                        const ReduceStrides& p, AscendC::ReduceOrder order, Site site) {
  Instruction in(api, site);
  const uint32_t bytes = BytesOf(dtype);
  const Lanes lanes = Lanes::Of(in.core(), spec, bytes);
  const bool sums = api == Api::kWholeReduceSum || api == Api::kReduceSum;
  const uint32_t result = sums ? bytes : ResultBytes(order, bytes);
  const uint32_t arch = in.core().options().soc->chip->arch;
  const int orders = arch == 1001 ? 1 : arch == 2002 ? 2 : 4;
  in.Require(
      sums || static_cast<int>(order) < orders, Rule::kSelectMode, dst, "order",
      static_cast<uint64_t>(order),
      orders == 1 ? "ORDER_VALUE_INDEX (0)" : "ORDER_VALUE_INDEX (0) or ORDER_INDEX_VALUE (1)");
  lanes.Require(in, dst);
  RequireStrides(in, dst, p);
  in.RequireAligned(dst, "dst", result);
  in.RequireAligned(src, "src", kBlockBytes);
  if (lanes.empty()) return;
  const VectorOperand from = SourceOf(src, p, bytes);
  const uint32_t step = static_cast<uint32_t>(p.dst_repeat) * result;
  // A repeat is read whole before its result is written, so results may gather at the front of the
  // source as long as they stay behind it.
  if (dst.begin == src.begin && step <= from.stride.repeat * kBlockBytes) in.AllowAccumulation();
  bool carry_out = ReadsLanes(in, lanes, src, "src", from.stride);
  carry_out = in.Writes(dst, "dst",
                        Footprint{dst.begin, result, 1, 0, lanes.repeats(), step}.Collapsed()) &&
              carry_out;
  in.CountVector(lanes.repeats());
  if (!carry_out) return;

  const TreeFn tree = SumTree(dtype, Saturates(in, dtype));
  Source a(in, from, lanes);
  if (sums) {
    SumRepeats(lanes, a, tree, 1, [&](uint32_t repeat, const uint8_t* result_at) {
      std::memcpy(in.ub(dst.begin + repeat * step), result_at, bytes);
    });
    return;
  }
  for (uint32_t repeat = 0; repeat < lanes.repeats(); ++repeat) {
    const uint8_t* line = a.Repeat(repeat);
    uint8_t* out = in.ub(dst.begin + repeat * step);
    const uint32_t lane = ExtremeLane(dtype, api == Api::kWholeReduceMax, lanes, repeat, line);
    uint8_t value[4];
    std::memcpy(value, line + lane * bytes, bytes);
    StoreExtreme(order, value, lane, bytes, out);
  }
}

void VectorReduceBlock(Api api, Dtype dtype, UbOperand dst, UbOperand src, const LaneSpec& spec,
                       const ReduceStrides& p, Site site) {
  Instruction in(api, site);
  const uint32_t bytes = BytesOf(dtype);
  const Lanes lanes = Lanes::Of(in.core(), spec, bytes);
  const uint32_t per_block = kBlockBytes / bytes;
  const uint32_t blocks = kRepeatBytes / kBlockBytes;
  lanes.Require(in, dst);
  RequireStrides(in, dst, p);
  in.Require(p.dst_repeat != 0 || in.core().options().soc->chip->arch != 1001, Rule::kStrideLimit,
             dst, "dst repeat stride", 0, "1 to 65535 on this chip");
  in.RequireAligned(dst, "dst", blocks * bytes);
  in.RequireAligned(src, "src", kBlockBytes);
  if (lanes.empty()) return;
  const VectorOperand from = SourceOf(src, p, bytes);
  bool carry_out = ReadsLanes(in, lanes, src, "src", from.stride);
  const auto address = [&](uint32_t repeat, uint32_t block) {
    return dst.begin + (repeat * static_cast<uint32_t>(p.dst_repeat) * blocks + block) * bytes;
  };
  // A block without an active lane leaves its result as it was; on 3510 it gets what the reduction
  // starts from.
  const bool always = WritesUnasked(in);
  const auto active = [&](uint32_t repeat, uint32_t block) {
    if (always) return true;
    for (uint32_t i = 0; i < per_block; ++i) {
      if (lanes.active(repeat, block * per_block + i)) return true;
    }
    return false;
  };
  // Repeats with the same mask are one footprint for each run of blocks; if all of it stays inside
  // the buffer, otherwise a finding is to name the repeat.
  const Buffer& buffer = in.core().buffer(dst.buffer);
  const bool inside = address(lanes.repeats() - 1, blocks) <= buffer.begin + buffer.bytes;
  const uint32_t alike = lanes.uniform() && inside ? lanes.repeats() : 1;
  const uint32_t pitch = static_cast<uint32_t>(p.dst_repeat) * blocks * bytes;
  for (uint32_t repeat = 0; repeat < lanes.repeats(); repeat += alike) {
    uint32_t end = 0;
    for (uint32_t begin = 0; begin < blocks; begin = end + 1) {
      for (end = begin; end < blocks && active(repeat, end);) ++end;
      if (end == begin) continue;
      const Footprint results{address(repeat, begin), (end - begin) * bytes, 1, 0, alike, pitch};
      carry_out = in.Writes(dst, "dst", results.Collapsed()) && carry_out;
    }
  }
  in.CountVector(lanes.repeats());
  if (!carry_out) return;

  const auto store = [&](uint32_t repeat, const uint8_t* results) {
    if (lanes.full(repeat)) {
      std::memcpy(in.ub(address(repeat, 0)), results, blocks * bytes);
      return;
    }
    for (uint32_t block = 0; block < blocks; ++block) {
      if (active(repeat, block)) {
        std::memcpy(in.ub(address(repeat, block)), results + block * bytes, bytes);
      }
    }
  };
  Source a(in, from, lanes);
  if (api == Api::kBlockReduceSum) {
    SumRepeats(lanes, a, SumTree(dtype, Saturates(in, dtype)), blocks, store);
    return;
  }
  for (uint32_t repeat = 0; repeat < lanes.repeats(); ++repeat) {
    const uint8_t* line = a.Repeat(repeat);
    uint8_t results[kBlockBytes];
    for (uint32_t block = 0; block < blocks; ++block) {
      uint8_t values[kBlockBytes] = {};
      uint32_t best = per_block;
      for (uint32_t i = 0; i < per_block; ++i) {
        const uint32_t lane = block * per_block + i;
        if (!lanes.active(repeat, lane)) continue;
        std::memcpy(values + i * bytes, line + lane * bytes, bytes);
        const float value = FloatAt(dtype, values + i * bytes);
        const float record = best < per_block ? FloatAt(dtype, values + best * bytes) : value;
        const bool better = api == Api::kBlockReduceMax ? value > record : value < record;
        if (best == per_block || better) best = i;
      }
      if (best < per_block) {
        std::memcpy(results + block * bytes, values + best * bytes, bytes);
      } else {
        StoreInfinity(dtype, api == Api::kBlockReduceMax, results + block * bytes);
      }
    }
    store(repeat, results);
  }
}

void VectorReducePair(Dtype dtype, UbOperand dst, UbOperand src, const LaneSpec& spec,
                      const ReduceStrides& p, Site site) {
  Instruction in(Api::kPairReduceSum, site);
  const uint32_t bytes = BytesOf(dtype);
  const Lanes lanes = Lanes::Of(in.core(), spec, bytes);
  lanes.Require(in, dst);
  RequireStrides(in, dst, p);
  in.Require(p.dst_repeat != 0 || in.core().options().soc->chip->arch != 1001, Rule::kStrideLimit,
             dst, "dst repeat stride", 0, "1 to 65535 on this chip");
  in.RequireAligned(dst, "dst", kBlockBytes);
  in.RequireAligned(src, "src", kBlockBytes);
  if (lanes.empty()) return;
  const VectorOperand from = SourceOf(src, p, bytes);
  bool carry_out = ReadsLanes(in, lanes, src, "src", from.stride);
  const uint32_t pairs = lanes.lanes() / 2;
  const auto address = [&](uint32_t repeat, uint32_t pair) {
    return dst.begin + repeat * static_cast<uint32_t>(p.dst_repeat) * kRepeatBytes / 2 +
           pair * bytes;
  };
  // A pair without an active lane leaves its result as it was; on 3510 it gets 0.
  const bool always = WritesUnasked(in);
  const auto active = [&](uint32_t repeat, uint32_t pair) {
    return always || lanes.active(repeat, 2 * pair) || lanes.active(repeat, 2 * pair + 1);
  };
  for (uint32_t repeat = 0; repeat < lanes.repeats(); ++repeat) {
    uint32_t end = 0;
    for (uint32_t begin = 0; begin < pairs; begin = end + 1) {
      for (end = begin; end < pairs && active(repeat, end);) ++end;
      if (end == begin) continue;
      carry_out =
          in.Writes(dst, "dst", Footprint::Range(address(repeat, begin), (end - begin) * bytes)) &&
          carry_out;
    }
  }
  in.CountVector(lanes.repeats());
  if (!carry_out) return;

  const TreeFn tree = SumTree(dtype, Saturates(in, dtype));
  Source a(in, from, lanes);
  for (uint32_t repeat = 0; repeat < lanes.repeats(); ++repeat) {
    uint8_t line[kLineBytes];
    std::memcpy(line, a.Repeat(repeat), lanes.blocks(repeat) * kBlockBytes);
    for (uint32_t pair = 0; pair < pairs; ++pair) {
      if (!active(repeat, pair)) continue;
      uint8_t values[8] = {};
      for (uint32_t i = 0; i < 2; ++i) {
        const uint32_t lane = 2 * pair + i;
        if (lanes.active(repeat, lane)) {
          std::memcpy(values + i * bytes, line + lane * bytes, bytes);
        }
      }
      tree(values, 2, 1);
      std::memcpy(in.ub(address(repeat, pair)), values, bytes);
    }
  }
}

}  // namespace normgrad::twin
