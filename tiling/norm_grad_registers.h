// Plans for chips that are programmed in registers (3510): what of them lies in UB.
#ifndef NORMGRAD_TILING_NORM_GRAD_REGISTERS_H_
#define NORMGRAD_TILING_NORM_GRAD_REGISTERS_H_

#include "tiling/norm_grad_tile.h"

namespace normgrad {

// The buffers of the first phase, of any strategy.
Layout PlaceInRegisters(const Problem& problem, const Tile& tile);

// As WholeRowTile. `fits`: whether a tile of these rows does.
Tile WholeRowTileInRegisters(const Problem& problem, uint64_t busiest_rows, uint32_t ub_bytes,
                             uint32_t wanted_rows, uint32_t wanted_buffers);

}  // namespace normgrad

#endif  // NORMGRAD_TILING_NORM_GRAD_REGISTERS_H_
