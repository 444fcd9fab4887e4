#include "tiling/tuned.h"

#include "tiling/norm_grad.h"

namespace normgrad {
namespace {

// With an end, so that the table has one row at least. A compiler that is given a source by itself,
// without a build, has no table.
constexpr TunedRow kRows[] = {
#if __has_include("tiling/tuned/rows.inc")
#include "tiling/tuned/rows.inc"
#endif
    {nullptr, nullptr, DType::kUndefined, DType::kUndefined, 0, 0, 0, 0, nullptr, 0, 0, 0, 0,
     nullptr},
};

bool HasWishes(const PlanOptions& options) {
  return options.tuned != TunedUse::kLook || options.ub_bytes != 0 || options.cores != 0 ||
         options.chunk_cols != 0 || options.rows_per_tile != 0 || options.buffers != 0 ||
         options.tile_for_rows != 0 || (options.strategy != nullptr && *options.strategy != '\0');
}

bool IsFor(const TunedRow& row, const Soc& soc) {
  if (std::string(row.soc) == soc.name) {
    return true;
  }
  const Soc* product = FindSoc(row.soc);
  return product != nullptr && std::string(product->family) == soc.name &&
         product->cores == soc.cores;
}

}  // namespace

const TunedRow* FindTuned(const Soc& soc, const std::string& op, const Problem& problem,
                          const PlanOptions& options) {
  const uint32_t all = kWantsDx | kWantsDgamma | (problem.has_mean != 0 ? kWantsDbeta : 0);
  if (HasWishes(options) || problem.outputs != all) {
    return nullptr;
  }
  for (const TunedRow* row = kRows; row->soc != nullptr; ++row) {
    if (row->op == op && row->dtype == problem.dtype && row->gamma_dtype == problem.gamma_dtype &&
        row->least_rows <= problem.rows && problem.rows <= row->most_rows &&
        row->cols == problem.cols && row->det_strong == options.det_strong && IsFor(*row, soc)) {
      return row;
    }
  }
  return nullptr;
}

PlanOptions WishesOf(const TunedRow& row, PlanOptions options) {
  options.tuned = TunedUse::kFrom;
  options.strategy = row.strategy;
  options.chunk_cols = row.chunk_cols;
  options.rows_per_tile = row.rows_per_tile;
  options.buffers = row.buffers;
  options.cores = row.cores;
  return options;
}

}  // namespace normgrad
