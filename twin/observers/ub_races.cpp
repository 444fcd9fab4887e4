#include "twin/observers/ub_races.h"

#include <algorithm>

#include "twin/machine/clones.h"

namespace normgrad::twin {
namespace {

NORMGRAD_CLONES uint32_t Newest(const uint32_t* marks, uint32_t count) {
  uint32_t newest = 0;
  for (uint32_t i = 0; i < count; ++i) newest = marks[i] > newest ? marks[i] : newest;
  return newest;
}

NORMGRAD_CLONES void Fill(uint32_t* marks, uint32_t count, uint32_t sequence) {
  for (uint32_t i = 0; i < count; ++i) marks[i] = sequence;
}

}  // namespace

UbRaces::UbRaces(uint32_t ub_bytes) : exact_of_(ub_bytes / kBlockBytes, 0) {
  for (auto& kind : marks_) {
    for (auto& marks : kind) marks.assign(ub_bytes / kBlockBytes, 0);
  }
}

bool UbRaces::Check(bool write, const Footprint& footprint, const PipeTimes& known,
                    UbConflict* conflict) const {
  for (const bool other_writes : {true, false}) {
    if (!write && !other_writes) continue;  // two reads
    for (int pipe = 0; pipe < kPipes; ++pipe) {
      const uint32_t finished = known.finished[pipe];
      if (last_[other_writes][pipe] <= finished) continue;
      if (!recent_[other_writes][pipe].MayMeet(footprint, finished)) continue;
      bool found = false;
      footprint.ForEachRange([&](uint32_t begin, uint32_t end) {
        found = found || CheckPipe(other_writes, pipe, begin, end, finished, conflict);
      });
      if (found) return true;
    }
  }
  return false;
}

void UbRaces::Recent::Add(uint32_t sequence, const Footprint& footprint) {
  newest = (newest + 1) % kSize;
  sequences[newest] = sequence;
  begins[newest] = footprint.begin;
  ends[newest] = footprint.hull_end();
  footprints[newest] = footprint;
}

bool UbRaces::Recent::MayMeet(const Footprint& footprint, uint32_t known) const {
  const uint32_t begin = footprint.begin;
  const uint32_t end = footprint.hull_end();
  for (uint32_t back = 0; back < kSize; ++back) {
    const uint32_t at = (newest + kSize - back) % kSize;
    if (sequences[at] <= known) return false;
    if (begin >= ends[at] || begins[at] >= end) continue;
    if (footprint.MayMeet(footprints[at])) return true;
  }
  return true;  // more unknown ones than are remembered
}

bool UbRaces::CheckPipe(bool other_writes, int pipe, uint32_t begin, uint32_t end, uint32_t known,
                        UbConflict* conflict) const {
  const uint32_t* marks = marks_[other_writes][pipe].data();
  const uint32_t first_block = begin / kBlockBytes;
  if (Newest(marks + first_block, (end - 1) / kBlockBytes - first_block + 1) <= known) return false;
  for (uint32_t block = begin / kBlockBytes; block * kBlockBytes < end; ++block) {
    if (marks[block] <= known) continue;
    const uint32_t first = std::max(begin, block * kBlockBytes);
    uint32_t last = std::min(end, (block + 1) * kBlockBytes);
    if (exact_of_[block] == 0) {
      // As far as the same access goes.
      for (uint32_t next = block + 1;
           next * kBlockBytes < end && exact_of_[next] == 0 && marks[next] == marks[block];
           ++next) {
        last = std::min(end, (next + 1) * kBlockBytes);
      }
      *conflict = {pipe, marks[block], other_writes, first, last};
      return true;
    }
    const uint32_t* bytes = exact_[exact_of_[block] - 1].marks[other_writes][pipe];
    for (uint32_t at = first; at < last; ++at) {
      const uint32_t mark = bytes[at % kBlockBytes];
      if (mark <= known) continue;
      uint32_t stop = at + 1;
      while (stop < last && bytes[stop % kBlockBytes] == mark) ++stop;
      *conflict = {pipe, mark, other_writes, at, stop};
      return true;
    }
  }
  return false;
}

void UbRaces::Mark(bool write, int pipe, uint32_t sequence, const Footprint& footprint) {
  last_[write][pipe] = sequence;
  recent_[write][pipe].Add(sequence, footprint);
  footprint.ForEachRange(
      [&](uint32_t begin, uint32_t end) { MarkRange(write, pipe, sequence, begin, end); });
}

void UbRaces::MarkRange(bool write, int pipe, uint32_t sequence, uint32_t begin, uint32_t end) {
  if (begin >= end) return;
  const uint32_t first_whole = (begin + kBlockBytes - 1) / kBlockBytes;
  const uint32_t end_whole = end / kBlockBytes;
  if (first_whole > end_whole) {  // inside one block
    MarkBytes(write, pipe, sequence, begin, end);
    return;
  }
  if (begin % kBlockBytes != 0) {
    MarkBytes(write, pipe, sequence, begin, first_whole * kBlockBytes);
  }
  if (end % kBlockBytes != 0) MarkBytes(write, pipe, sequence, end_whole * kBlockBytes, end);
  uint32_t* marks = marks_[write][pipe].data();
  Fill(marks + first_whole, end_whole - first_whole, sequence);
  if (!exact_hull_.Meets(begin, end)) return;
  for (uint32_t block = first_whole; block < end_whole; ++block) {
    if (exact_of_[block] == 0) continue;
    uint32_t* bytes = exact_[exact_of_[block] - 1].marks[write][pipe];
    std::fill(bytes, bytes + kBlockBytes, sequence);
  }
}

uint32_t UbRaces::ExactOf(uint32_t block) {
  if (exact_of_[block] == 0) {
    Exact exact;
    for (int kind = 0; kind < 2; ++kind) {
      for (int pipe = 0; pipe < kPipes; ++pipe) {
        std::fill_n(exact.marks[kind][pipe], kBlockBytes, marks_[kind][pipe][block]);
      }
    }
    exact_.push_back(exact);
    exact_hull_.Add(block * kBlockBytes, (block + 1) * kBlockBytes);
    exact_of_[block] = static_cast<uint32_t>(exact_.size());
  }
  return exact_of_[block] - 1;
}

void UbRaces::MarkBytes(bool write, int pipe, uint32_t sequence, uint32_t begin, uint32_t end) {
  const uint32_t block = begin / kBlockBytes;
  uint32_t* bytes = exact_[ExactOf(block)].marks[write][pipe];
  const uint32_t first = begin % kBlockBytes;
  std::fill(bytes + first, bytes + first + (end - begin), sequence);
  marks_[write][pipe][block] = sequence;
}

void UbRaces::Forget() {
  exact_.clear();
  exact_.shrink_to_fit();
  std::fill(exact_of_.begin(), exact_of_.end(), 0);
  exact_hull_ = Hull();
}

}  // namespace normgrad::twin
