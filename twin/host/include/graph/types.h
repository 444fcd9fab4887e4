// Host API, on this computer: element types, formats and status. Values are those of the published
// enums, so that numbers mean the same on both sides.
#ifndef NORMGRAD_TWIN_HOST_GRAPH_TYPES_H_
#define NORMGRAD_TWIN_HOST_GRAPH_TYPES_H_

#include <cstdint>

namespace ge {

enum DataType {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_BF16 = 27,
  DT_UNDEFINED = 28,
  DT_HIFLOAT8 = 34,
};

enum Format { FORMAT_ND = 2 };

using graphStatus = uint32_t;
const graphStatus GRAPH_SUCCESS = 0;
const graphStatus GRAPH_FAILED = 0xFFFFFFFF;

}  // namespace ge

#endif  // NORMGRAD_TWIN_HOST_GRAPH_TYPES_H_
