// One row at a time that is read once (DxInPlaceRow): into how many segments it is cut, which take
// turns in the places of a ring, and how much of it is worked on together.
#include <algorithm>

#include "tiling/norm_grad_tile.h"
#include "tiling/search.h"

namespace normgrad {
namespace {

// One vector repeat (64 fp32) sums the leaves of a row.
constexpr uint64_t kMaxLeaves = kRepeatBytes / 4;
// Instructions on less than 24 repeats spend more on starting than on working.
constexpr uint64_t kGoodChunkCols = 3 * kLeafCols;
constexpr uint64_t kMostChunkCols = 8 * kLeafCols;
// Rows whose rstd comes in one copy: one of 4 bytes costs as much as one of 128.
constexpr uint64_t kInPlaceRstdRows = 32;

// A row in about `segments` segments, and as many places for them as fit, up to those of three
// rows, or as many as are wanted. False: there are fewer than a row needs. The third row comes
// while the first is on its way out: 190.0 instead of 207.2 us (modelled) for bf16 4096x5120 on
// 910B4.
bool CutSegments(const Problem& problem, uint64_t segments, uint32_t ub_bytes, uint64_t wanted,
                 Tile* tile) {
  tile->segment_cols = AlignUp(CeilDiv(problem.cols, segments), tile->chunk_cols);
  const uint64_t needed = CeilDiv(problem.cols, tile->segment_cols);
  const uint64_t most = std::min(RingFlags(problem), wanted != 0 ? wanted : 3 * needed);
  tile->in_buffers = static_cast<uint32_t>(Largest(most, [&](uint64_t places) {
    Tile candidate = *tile;
    candidate.in_buffers = static_cast<uint32_t>(places);
    return PlaceTile(problem, candidate).budget.Fits(ub_bytes);
  }));
  return tile->in_buffers >= needed && (wanted == 0 || tile->in_buffers == wanted);
}

// How much of another row has room beside one, 0 to 1.
double Ahead(const Problem& problem, const Tile& tile) {
  const double cols = static_cast<double>(problem.cols);
  return std::min(1.0, static_cast<double>(tile.in_buffers * tile.segment_cols) / cols - 1.0);
}

// Whether copies run more freely with `a` than with `b`: half of another row ahead is enough, since
// a row's second pass, which frees places, is shorter than its first; without that, the sooner a
// segment is through, the sooner the next row begins to come.
bool RunsFreer(const Problem& problem, const Tile& a, const Tile& b) {
  constexpr double kEnough = 0.5;
  const bool a_has_enough = Ahead(problem, a) >= kEnough;
  const bool b_has_enough = Ahead(problem, b) >= kEnough;
  if (a_has_enough != b_has_enough) {
    return a_has_enough;
  }
  return !a_has_enough && a.segment_cols < b.segment_cols;
}

// The best cut into segments of a tile with its chunk; of equal ones the longest segments.
Tile BestSegments(const Problem& problem, Tile tile, uint32_t ub_bytes, uint64_t wanted_buffers) {
  Tile best;
  for (uint64_t segments = 1; segments <= RingFlags(problem); ++segments) {
    if (CutSegments(problem, segments, ub_bytes, wanted_buffers, &tile)) {
      tile.fits = true;
      if (!best.fits || RunsFreer(problem, tile, best)) {
        best = tile;
      }
    }
  }
  return best;
}

// In registers a segment is a chunk, whatever its length.
Tile ChooseInRegisters(const Problem& problem, bool has_lo, uint32_t ub_bytes, uint64_t wanted_cols,
                       uint64_t wanted_buffers) {
  Tile tile;
  tile.key = NormGradKey::kDxInPlaceRow;
  tile.out_buffers = 0;
  tile.rstd_rows = kInPlaceRstdRows;
  tile.has_lo = has_lo;
  tile.gamma_is_wide = false;
  tile.chunk_cols = wanted_cols != 0 ? wanted_cols : uint64_t{kLeafCols};
  Tile best = BestSegments(problem, tile, ub_bytes, wanted_buffers);
  if (wanted_cols == 0) {
    best.chunk_cols = best.segment_cols;
  }
  return best;
}

// What to keep in UB: chunks of 1,536 columns and more, since shorter ones are mostly start-up;
// half of the next row beside a row, so that copies never wait for arithmetic; gamma in fp32, which
// saves two casts per element; and then the longest chunks.
Tile ChooseInPlace(const Problem& problem, bool has_lo, uint32_t ub_bytes, uint64_t wanted_cols,
                   uint64_t wanted_buffers) {
  Tile tile;
  tile.key = NormGradKey::kDxInPlaceRow;
  tile.out_buffers = 0;
  tile.rstd_rows = kInPlaceRstdRows;
  tile.has_lo = has_lo;
  const uint64_t row_cols = AlignUp(problem.cols, kLeafCols);
  const uint64_t most = wanted_cols != 0 ? wanted_cols : std::min(row_cols, kMostChunkCols);
  const uint64_t good = wanted_cols != 0 ? wanted_cols : std::min(row_cols, kGoodChunkCols);
  Tile best;
  // Without room for that, two leaves are better than one where a chunk has twice the instructions.
  const uint64_t fair = problem.has_mean != 0 ? 2 * kLeafCols : kLeafCols;
  const uint64_t leaf = kLeafCols;
  for (const uint64_t wish : {good, std::min(good, fair), leaf}) {
    const uint64_t least = wanted_cols != 0 ? good : wish;
    for (const bool gamma_is_wide : {true, false}) {
      tile.gamma_is_wide = gamma_is_wide;
      for (tile.chunk_cols = most; tile.chunk_cols >= least; tile.chunk_cols -= kLeafCols) {
        // Even chunks: no short one that is mostly start-up.
        if (wanted_cols == 0 &&
            AlignUp(EvenPiece(problem.cols, tile.chunk_cols), kLeafCols) != tile.chunk_cols) {
          continue;
        }
        const Tile cut = BestSegments(problem, tile, ub_bytes, wanted_buffers);
        if (cut.fits && (!best.fits || RunsFreer(problem, cut, best))) {
          best = cut;
        }
      }
    }
    if (best.fits) {
      return best;
    }
  }
  return best;
}

}  // namespace

Tile InPlaceRowTile(const Problem& problem, uint32_t ub_bytes, uint32_t wanted_cols,
                    uint32_t wanted_buffers) {
  Tile tile;
  if (TooWideToCount(problem, ub_bytes) || LeafCount(problem.cols) > kMaxLeaves) {
    return tile;
  }
  const uint64_t wanted = std::min<uint64_t>(wanted_cols, AlignUp(problem.cols, kLeafCols));
  for (const bool has_lo : {true, false}) {
    if (!tile.fits) {
      tile = problem.in_registers != 0
                 ? ChooseInRegisters(problem, has_lo, ub_bytes, wanted, wanted_buffers)
                 : ChooseInPlace(problem, has_lo, ub_bytes, wanted, wanted_buffers);
    }
  }
  return tile;
}

}  // namespace normgrad
