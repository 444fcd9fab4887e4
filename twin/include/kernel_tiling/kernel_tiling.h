// Where the vendor declares the tiling structures of its library calls; kernels that bring their
// own structures include it all the same.
#ifndef NORMGRAD_TWIN_INCLUDE_KERNEL_TILING_KERNEL_TILING_H_
#define NORMGRAD_TWIN_INCLUDE_KERNEL_TILING_KERNEL_TILING_H_

#include "kernel_operator.h"

#endif  // NORMGRAD_TWIN_INCLUDE_KERNEL_TILING_KERNEL_TILING_H_
