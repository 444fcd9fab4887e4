#include "twin/observers/ub_marks.h"

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

bool UbMarks::Find(bool write, int pipe, const Footprint& footprint, uint32_t known,
                   UbConflict* conflict) const {
  bool found = false;
  footprint.ForEachRange([&](uint32_t begin, uint32_t end) {
    found = found || FindInRange(write, pipe, begin, end, known, conflict);
  });
  return found;
}

bool UbMarks::FindInRange(bool write, int pipe, uint32_t begin, uint32_t end, uint32_t known,
                          UbConflict* conflict) const {
  const uint32_t first_block = begin / kBlockBytes;
  const uint32_t* marks = marks_[write][pipe].data();
  if (Newest(marks + first_block, (end - 1) / kBlockBytes - first_block + 1) <= known) return false;
  uint32_t until = begin;
  for (uint32_t at = begin; at < end; at = until) {
    const uint32_t mark = MarkAt(write, pipe, at, &until);
    if (mark <= known) continue;
    // As far as the same access goes.
    uint32_t stop = until;
    while (stop < end && MarkAt(write, pipe, stop, &until) == mark) stop = until;
    *conflict = {pipe, mark, write, at, std::min(stop, end)};
    return true;
  }
  return false;
}

uint32_t UbMarks::MarkAt(bool write, int pipe, uint32_t at, uint32_t* until) const {
  const uint32_t block = at / kBlockBytes;
  if (exact_.empty() || exact_of_[block] == 0) {
    *until = (block + 1) * kBlockBytes;
    return marks_[write][pipe][block];
  }
  *until = at + 1;
  return exact_[exact_of_[block] - 1].marks[write][pipe][at % kBlockBytes];
}

void UbMarks::Mark(bool write, int pipe, uint32_t sequence, const Footprint& footprint) {
  std::vector<uint32_t>& marks = marks_[write][pipe];
  if (marks.empty()) marks.assign(blocks_, 0);
  newest_[write][pipe] = sequence;
  footprint.ForEachRange(
      [&](uint32_t begin, uint32_t end) { MarkRange(write, pipe, sequence, begin, end); });
}

void UbMarks::MarkRange(bool write, int pipe, uint32_t sequence, uint32_t begin, uint32_t end) {
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
  Fill(marks_[write][pipe].data() + first_whole, end_whole - first_whole, sequence);
  if (!exact_hull_.Meets(begin, end)) return;
  for (uint32_t block = first_whole; block < end_whole; ++block) {
    if (exact_of_[block] == 0) continue;
    uint32_t* bytes = exact_[exact_of_[block] - 1].marks[write][pipe];
    std::fill(bytes, bytes + kBlockBytes, sequence);
  }
}

uint32_t UbMarks::ExactOf(uint32_t block) {
  if (exact_of_.empty()) exact_of_.assign(blocks_, 0);
  if (exact_of_[block] == 0) {
    Exact exact = {};
    for (int kind = 0; kind < 2; ++kind) {
      for (int pipe = 0; pipe < kPipes; ++pipe) {
        if (marks_[kind][pipe].empty()) continue;
        std::fill_n(exact.marks[kind][pipe], kBlockBytes, marks_[kind][pipe][block]);
      }
    }
    exact_.push_back(exact);
    exact_hull_.Add(block * kBlockBytes, (block + 1) * kBlockBytes);
    exact_of_[block] = static_cast<uint32_t>(exact_.size());
  }
  return exact_of_[block] - 1;
}

void UbMarks::MarkBytes(bool write, int pipe, uint32_t sequence, uint32_t begin, uint32_t end) {
  const uint32_t block = begin / kBlockBytes;
  uint32_t* bytes = exact_[ExactOf(block)].marks[write][pipe];
  const uint32_t first = begin % kBlockBytes;
  std::fill(bytes + first, bytes + first + (end - begin), sequence);
  marks_[write][pipe][block] = sequence;
}

void UbMarks::Forget() {
  if (exact_.empty()) return;
  exact_.clear();
  exact_.shrink_to_fit();
  std::fill(exact_of_.begin(), exact_of_.end(), 0);
  exact_hull_ = Hull();
}

}  // namespace normgrad::twin
