// Reductions of many repeats to one value: ReduceSum, ReduceMax, ReduceMin. They are sequences of
// simpler instructions, with the barriers and flags between them that the vendor's code has.
#include "twin/api/vector_calls.h"
#include "twin/api/vector_operand.h"

namespace normgrad::twin {
namespace {

constexpr int kScalarPipe = 0;
constexpr int kVectorPipe = 1;
constexpr int kMte3Pipe = 3;

// ReduceSum over the first n elements on 2201: a tree per repeat, repeats added up one after the
// other in the accumulator, which the scalar unit then reads and stores.
void AccumulateRepeats(Dtype dtype, UbOperand dst, UbOperand src, const LaneSpec& spec, Site site) {
  const uint32_t bytes = BytesOf(dtype);
  Core& core = ThisCore();
  uint64_t sum = 0;
  {
    Instruction in(Api::kReduceSum, site);
    const Lanes lanes = Lanes::Of(core, spec, bytes);
    in.RequireAligned(dst, "dst", bytes);
    in.RequireAligned(src, "src", kBlockBytes);
    if (lanes.empty()) return;
    const VectorOperand from{src, "src", {1, 8}, bytes};
    const bool carry_out = ReadsLanes(in, lanes, src, "src", from.stride);
    in.CountVector(lanes.repeats());
    if (carry_out) {
      const TreeFn tree = SumTree(dtype, Saturates(in, dtype));
      Source a(in, from, lanes);
      for (uint32_t repeat = 0; repeat < lanes.repeats(); ++repeat) {
        alignas(64) uint8_t values[kLineBytes] = {};
        const uint8_t* line = a.Repeat(repeat);
        lanes.ForEachRun(repeat, lanes.lanes(), [&](uint32_t lane, uint32_t count) {
          std::memcpy(values + lane * bytes, line + lane * bytes, count * bytes);
        });
        tree(values, lanes.lanes(), 1);
        uint8_t both[8];
        std::memcpy(both, &sum, bytes);
        std::memcpy(both + bytes, values, bytes);
        if (repeat > 0) {
          tree(both, 2, 1);
          std::memcpy(&sum, both, bytes);
        } else {
          std::memcpy(&sum, values, bytes);
        }
      }
    }
  }
  core.vector_registers().accumulator = sum;
  core.Order(kVectorPipe, kScalarPipe);
  {
    Instruction in(Api::kReduceSumStore, site);
    core.cycles().Scalar(Api::kReduceSumStore, site);
    if (in.Writes(dst, "dst", Footprint::Range(dst.begin, bytes))) {
      std::memcpy(in.ub(dst.begin), &sum, bytes);
    }
  }
  core.Order(kScalarPipe, kVectorPipe);
  core.Order(kScalarPipe, kMte3Pipe);
}

Footprint FirstElements(const UbOperand& operand, uint32_t bytes) {
  return Footprint::Range(operand.begin, bytes);
}

// ReduceSum over two to four repeats on 3510, where it counts elements: repeats are added up lane
// by lane, then a tree. Lanes that a short last repeat lacks keep what the others gave.
void AddRepeats(Dtype dtype, UbOperand dst, UbOperand src, const LaneSpec& spec,
                uint32_t repeat_stride, Site site) {
  const uint32_t bytes = BytesOf(dtype);
  Instruction in(Api::kReduceSum, site);
  const Lanes lanes = Lanes::Of(in.core(), spec, bytes);
  in.RequireAligned(dst, "dst", bytes);
  in.RequireAligned(src, "src", kBlockBytes);
  const VectorOperand from{src, "src", {1, repeat_stride}, bytes};
  bool carry_out = ReadsLanes(in, lanes, src, "src", from.stride);
  carry_out = in.Writes(dst, "dst", Footprint::Range(dst.begin, bytes)) && carry_out;
  in.CountVector(lanes.repeats());
  if (!carry_out) return;
  alignas(64) uint8_t values[4][kLineBytes] = {};
  Source a(in, from, lanes);
  for (uint32_t repeat = 0; repeat < lanes.repeats(); ++repeat) {
    const uint32_t there = repeat + 1 == lanes.repeats() ? lanes.last_lanes() : lanes.lanes();
    std::memcpy(values[repeat], a.Repeat(repeat), there * bytes);
  }
  const BinaryFn add = BinaryOperation(Api::kAdd, dtype, Saturates(in, dtype));
  const uint32_t last = lanes.repeats() - 1;
  const auto merge = [&](uint32_t to, uint32_t repeat) {
    add(values[to], values[to], values[repeat],
        repeat == last ? lanes.last_lanes() : lanes.lanes());
  };
  merge(0, 1);
  if (last == 2) merge(0, 2);
  if (last == 3) {
    merge(2, 3);
    add(values[0], values[0], values[2], lanes.lanes());
  }
  SumTree(dtype, Saturates(in, dtype))(values[0], lanes.lanes(), 1);
  std::memcpy(in.ub(dst.begin), values[0], bytes);
}

uint32_t RepeatsOf(const LaneSpec& spec, uint32_t lanes) {
  return spec.kind == LaneSpec::Kind::kFirstN
             ? static_cast<uint32_t>((spec.mask[0] + lanes - 1) / lanes)
             : spec.repeats;
}

}  // namespace

namespace {

// A tree per repeat into the temporary, then trees over the partial sums.
void SumTrees(Dtype dtype, UbOperand dst, UbOperand src, UbOperand tmp, const LaneSpec& spec,
              uint32_t repeats, int32_t src_repeat_stride, Site site) {
  Core& core = ThisCore();
  const bool first_n = spec.kind == LaneSpec::Kind::kFirstN;
  const uint32_t lanes = kRepeatBytes / BytesOf(dtype);
  uint32_t left = repeats;
  const ReduceStrides first{1, 1, first_n ? 8 : src_repeat_stride};
  VectorReduceRepeat(Api::kReduceSum, dtype, left == 1 ? dst : tmp, src, spec, first,
                     AscendC::ReduceOrder::ORDER_VALUE_INDEX, site);
  while (left > 1) {
    core.Barrier(kVectorPipe);
    const LaneSpec partials = LaneSpec::FirstN(static_cast<int32_t>(left));
    left = RepeatsOf(partials, lanes);
    VectorReduceRepeat(Api::kReduceSum, dtype, left == 1 ? dst : tmp, tmp, partials, {1, 1, 8},
                       AscendC::ReduceOrder::ORDER_VALUE_INDEX, site);
  }
}

void SumOn3510(Dtype dtype, UbOperand dst, UbOperand src, UbOperand tmp, const LaneSpec& spec,
               int32_t src_repeat_stride, Site site) {
  Core& core = ThisCore();
  const VectorRegisters& registers = core.vector_registers();
  const bool first_n = spec.kind == LaneSpec::Kind::kFirstN;
  const bool counts = first_n || registers.counter_mode;
  const uint64_t count = first_n || spec.set_mask ? spec.mask[0] : registers.mask[0];
  const uint32_t lanes = kRepeatBytes / BytesOf(dtype);
  const uint32_t repeats =
      counts ? static_cast<uint32_t>((count + lanes - 1) / lanes) : spec.repeats;
  if (counts && repeats >= 2 && repeats <= 4) {
    AddRepeats(dtype, dst, src, spec, first_n ? 8 : static_cast<uint32_t>(src_repeat_stride), site);
  } else {
    SumTrees(dtype, dst, src, tmp, spec, repeats, src_repeat_stride, site);
  }
  if (!first_n || repeats == 0) return;
  uint64_t sum = 0;
  std::memcpy(&sum, core.ub() + dst.begin, BytesOf(dtype));
  core.vector_registers().accumulator = sum;
}

}  // namespace

void VectorReduceSum(Dtype dtype, UbOperand dst, UbOperand src, UbOperand tmp, const LaneSpec& spec,
                     int32_t src_repeat_stride, Site site) {
  const uint32_t arch = ThisCore().options().soc->chip->arch;
  if (arch == 3510) return SumOn3510(dtype, dst, src, tmp, spec, src_repeat_stride, site);
  if (arch == 2201 && spec.kind == LaneSpec::Kind::kFirstN) {
    return AccumulateRepeats(dtype, dst, src, spec, site);
  }
  const uint32_t repeats = RepeatsOf(spec, kRepeatBytes / BytesOf(dtype));
  if (repeats == 0) return;
  SumTrees(dtype, dst, src, tmp, spec, repeats, src_repeat_stride, site);
}

void VectorReduceExtreme(Api api, Dtype dtype, UbOperand dst, UbOperand src, UbOperand tmp,
                         const LaneSpec& spec, int32_t src_repeat_stride, bool with_index,
                         Site site) {
  const uint32_t bytes = BytesOf(dtype);
  const uint32_t repeats = RepeatsOf(spec, kRepeatBytes / bytes);
  Instruction in(api, site);
  const Lanes lanes = Lanes::Of(in.core(), spec, bytes);
  lanes.RequireSome(in, dst);
  if (repeats == 0) return;
  const VectorOperand from{
      src, "src", {1, lanes.first_n() ? 8u : static_cast<uint32_t>(src_repeat_stride)}, bytes};
  in.RequireAligned(dst, "dst", with_index ? 2 * bytes : bytes);
  in.RequireAligned(src, "src", kBlockBytes);
  bool carry_out = ReadsLanes(in, lanes, src, "src", from.stride);
  // 3510 does not use it: a kernel may pass the source.
  if (in.core().options().soc->chip->arch != 3510) {
    carry_out =
        in.Writes(tmp, "sharedTmpBuffer", FirstElements(tmp, repeats * 2 * bytes)) && carry_out;
    in.Undefines(tmp.begin, tmp.begin + repeats * 2 * bytes);
  }
  carry_out =
      in.Writes(dst, "dst", FirstElements(dst, with_index ? 2 * bytes : bytes)) && carry_out;
  in.CountVector(repeats + 1);
  if (!carry_out) return;
  Source a(in, from, lanes);
  float record = 0;
  uint8_t best[4] = {};
  uint32_t index = 0;
  bool any = false;
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    const uint8_t* line = a.Repeat(repeat);
    for (uint32_t lane = 0; lane < lanes.lanes(); ++lane) {
      if (!lanes.active(repeat, lane)) continue;
      float value;
      if (dtype == Dtype::kF16) {
        uint16_t bits;
        std::memcpy(&bits, line + lane * bytes, sizeof bits);
        value = FloatFromHalf(bits);
      } else {
        std::memcpy(&value, line + lane * bytes, sizeof value);
      }
      if (any && !(api == Api::kReduceMax ? value > record : value < record)) continue;
      any = true;
      record = value;
      index = repeat * lanes.lanes() + lane;
      std::memcpy(best, line + lane * bytes, bytes);
    }
  }
  std::memcpy(in.ub(dst.begin), best, bytes);
  if (with_index) std::memcpy(in.ub(dst.begin + bytes), &index, bytes);
}

uint64_t VectorAccumulator() { return ThisCore().vector_registers().accumulator; }

}  // namespace normgrad::twin
