// Tensors and arrays that a client has made, and what is true of a view.
#ifndef NORMGRAD_TWIN_ACL_TENSORS_H_
#define NORMGRAD_TWIN_ACL_TENSORS_H_

#include <cstdint>
#include <vector>

#include "opdev/common_types.h"
#include "tiling/answer.h"
#include "twin/acl/registry.h"

namespace normgrad::acl {

Registry<aclTensor>& Tensors();

bool IsEmpty(const op::Shape& shape);
std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& dims);
uint64_t ItemBytes(op::DataType type);  // 0: not a whole number of bytes, or unknown
// Bytes of all elements side by side; false: more than 2^60.
bool CountBytes(const aclTensor& tensor, uint64_t* bytes);
// The bytes [*begin, *end) that a view which is not empty covers, counted from its storage.
Answer Extent(const aclTensor& tensor, int64_t* begin, int64_t* end);

// `shape` elements of `item` bytes from one view to another.
void CopyView(const std::vector<int64_t>& shape, uint64_t item, uint8_t* to,
              const std::vector<int64_t>& to_strides, const uint8_t* from,
              const std::vector<int64_t>& from_strides);

}  // namespace normgrad::acl

#endif  // NORMGRAD_TWIN_ACL_TENSORS_H_
