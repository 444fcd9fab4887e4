// The tiling data as a table for people.
#include <vector>

#include "tiling/norm_grad_words.h"

namespace normgrad {

std::vector<PlanField> Fields(const NormGradTiling& tiling) {
  return {{"rows", static_cast<double>(tiling.rows), "rows"},
          {"cols", static_cast<double>(tiling.cols), "cols"},
          {"rows_per_core", static_cast<double>(tiling.rows_per_core), "rows"},
          {"cores_with_one_more", static_cast<double>(tiling.cores_with_one_more), "cores"},
          {"cores", static_cast<double>(tiling.cores), "cores"},
          {"deal_rows", static_cast<double>(tiling.deal_rows), "rows"},
          {"rows_per_tile", static_cast<double>(tiling.rows_per_tile), "rows"},
          {"rows_per_step", static_cast<double>(tiling.rows_per_step), "rows"},
          {"rstd_rows", static_cast<double>(tiling.rstd_rows), "rows"},
          {"copy_cols", static_cast<double>(tiling.copy_cols), "cols"},
          {"ub_cols", static_cast<double>(tiling.ub_cols), "cols"},
          {"pitch_cols", static_cast<double>(tiling.pitch_cols), "cols"},
          {"dx_pitch_cols", static_cast<double>(tiling.dx_pitch_cols), "cols"},
          {"chunk_cols", static_cast<double>(tiling.chunk_cols), "cols"},
          {"segment_cols", static_cast<double>(tiling.segment_cols), "cols"},
          {"sum_terms", static_cast<double>(tiling.sum_terms), ""},
          {"mean_factor", static_cast<double>(tiling.mean_factor), ""},
          {"leaf_pitch", static_cast<double>(tiling.leaf_pitch), "elems"},
          {"gamma_is_wide", static_cast<double>(tiling.gamma_is_wide), ""},
          {"in_buffers", static_cast<double>(tiling.in_buffers), "buffers"},
          {"out_buffers", static_cast<double>(tiling.out_buffers), "buffers"},
          {"work_arrays", static_cast<double>(tiling.work_arrays), "buffers"},
          {"sum_places", static_cast<double>(tiling.sum_places), "buffers"},
          {"outputs", static_cast<double>(tiling.outputs), ""},
          {"has_gamma", static_cast<double>(tiling.has_gamma), ""},
          {"sums", static_cast<double>(tiling.sums), "sums"},
          {"divides", static_cast<double>(tiling.divides), ""},
          {"has_offset", static_cast<double>(tiling.has_offset), ""},
          {"groups", static_cast<double>(tiling.groups), "groups"},
          {"group_rows", static_cast<double>(tiling.group_rows), "rows"},
          {"is_resident", static_cast<double>(tiling.is_resident), ""},
          {"col_groups", static_cast<double>(tiling.col_groups), "cores"},
          {"leaf_row_pitch", static_cast<double>(tiling.leaf_row_pitch), "elems"},
          {"leaf_read_rows", static_cast<double>(tiling.leaf_read_rows), "rows"},
          {"leaf_out_buffers", static_cast<double>(tiling.leaf_out_buffers), "buffers"},
          {"leaf_sums_at", static_cast<double>(tiling.leaf_sums_at), "elems"},
          {"partial_slots", static_cast<double>(tiling.partial_slots), "slots"},
          {"sums_are_direct", static_cast<double>(tiling.sums_are_direct), ""},
          {"partial_pitch_cols", static_cast<double>(tiling.partial_pitch_cols), "cols"},
          {"strip_cols", static_cast<double>(tiling.strip_cols), "cols"},
          {"block_strip_cols", static_cast<double>(tiling.block_strip_cols), "cols"},
          {"partial_buffers", static_cast<double>(tiling.partial_buffers), "buffers"},
          {"counters_at", static_cast<double>(tiling.counters_at), "bytes"}};
}

}  // namespace normgrad
