#include "op_host/common/call.h"

#include <cctype>
#include <cstring>
#include <string>

#include "aclnn_kernels/contiguous.h"
#include "opdev/framework_op.h"
#include "opdev/op_log.h"
#include "opdev/platform.h"
#include "opdev/tensor_view_utils.h"

namespace normgrad {
namespace {

constexpr int kMaskLength = 3;  // of Attributes

bool IsPlain(op::Format format) {
  switch (format) {
    case op::Format::FORMAT_ND:
    case op::Format::FORMAT_NCHW:
    case op::Format::FORMAT_NHWC:
    case op::Format::FORMAT_HWCN:
    case op::Format::FORMAT_NCDHW:
    case op::Format::FORMAT_NDHWC:
    case op::Format::FORMAT_NC:
    case op::Format::FORMAT_NCL:
      return true;
    default:
      return false;
  }
}

}  // namespace

TensorDesc Describe(const aclTensor* tensor) {
  TensorDesc described = {};
  if (tensor == nullptr) {
    return described;
  }
  described.present = 1;
  described.dtype = static_cast<DType>(tensor->GetDataType());
  described.rank = static_cast<int32_t>(tensor->GetViewShape().GetDimNum());
  for (int axis = 0; axis < described.rank && axis < kMaxRank; ++axis) {
    described.shape[axis] = tensor->GetViewShape().GetDim(static_cast<size_t>(axis));
    described.strides[axis] = tensor->GetViewStrides()[static_cast<size_t>(axis)];
  }
  return described;
}

std::vector<TensorDesc> Describe(const std::vector<const aclTensor*>& tensors) {
  std::vector<TensorDesc> described;
  for (const aclTensor* tensor : tensors) {
    described.push_back(Describe(tensor));
  }
  return described;
}

Attributes Describe(const aclIntArray* normalized_shape, const aclBoolArray* output_mask) {
  Attributes described = {};
  if (normalized_shape != nullptr) {
    described.has_normalized_shape = 1;
    described.normalized_rank = static_cast<int32_t>(normalized_shape->Size());
    for (int axis = 0; axis < described.normalized_rank && axis < kMaxRank; ++axis) {
      described.normalized_shape[axis] = (*normalized_shape)[static_cast<uint64_t>(axis)];
    }
  }
  if (output_mask != nullptr) {
    described.has_output_mask = 1;
    described.mask_length = static_cast<int32_t>(output_mask->Size());
    for (int at = 0; at < described.mask_length && at < kMaskLength; ++at) {
      described.output_mask[at] = (*output_mask)[static_cast<uint64_t>(at)] ? 1 : 0;
    }
  }
  return described;
}

Attributes DescribeQuantisation(const char* quant_mode, bool div_mode, int64_t dst_type) {
  Attributes described = {};
  if (quant_mode != nullptr) {
    described.has_quant_mode = 1;
    std::memcpy(described.quant_mode, quant_mode,
                strnlen(quant_mode, sizeof(described.quant_mode)));
  }
  described.div_mode = div_mode ? 1 : 0;
  described.dst_type = static_cast<int32_t>(dst_type);
  return described;
}

// The platform says "Ascend910B4", of some products with a variant behind it: "Ascend910B4-1".
Answer FindCallersSoc(const Soc** soc) {
  std::string name = op::GetCurrentPlatformInfo().GetSocLongVersion();
  name = name.substr(0, name.find('-'));
  for (char& letter : name) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  *soc = FindSoc(name.c_str());
  if (*soc != nullptr) {
    return Answer{};
  }
  return Refuse(kNotOnThisChip,
                name.empty() ? std::string("no device is set: call aclrtSetDevice first")
                             : "the chip " + name +
                                   " is unknown here: this version knows "
                                   "Ascend910B, 910_93, 310P, 910A and 950; use one of them");
}

Answer CheckFormats(const std::vector<const aclTensor*>& tensors, const char* const* names) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i] != nullptr && !IsPlain(tensors[i]->GetStorageFormat())) {
      return Refuse(kInvalidArgument,
                    std::string("format of ") + names[i] + " is " +
                        std::to_string(tensors[i]->GetStorageFormat()) +
                        ": plain layouts are taken, such as ND (2) and NCDHW (30); convert " +
                        names[i]);
    }
  }
  return Answer{};
}

aclnnStatus Refused(const Answer& answer) {
  OP_LOGE(answer.code, "%s", answer.sentence.c_str());
  return answer.code;
}

const aclTensor* OutputFor(const aclTensor* out, aclOpExecutor* executor) {
  if (op::IsContiguous(out) && out->GetViewOffset() == 0) {
    return out;
  }
  return executor->AllocTensor(out->GetViewShape(), out->GetDataType());
}

const aclTensor* Unwanted(DType dtype, aclOpExecutor* executor) {
  return executor->AllocTensor(op::Shape({1}), static_cast<op::DataType>(dtype));
}

bool Deliver(const aclTensor* written, const aclTensor* out, aclOpExecutor* executor) {
  return written == out || l0op::ViewCopy(written, out, executor) != nullptr;
}

bool DeliverZeros(const aclTensor* out, aclOpExecutor* executor) {
  constexpr float kZero = 0.0f;
  const aclTensor* constant = executor->ConvertToTensor(&kZero, 1, out->GetDataType());
  const aclTensor* on_device = constant == nullptr ? nullptr : op::CopyToNpu(constant, executor);
  if (on_device == nullptr) {
    return false;
  }
  // Every element is that one.
  op::Strides strides = out->GetViewStrides();
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    strides[axis] = 0;
  }
  const aclTensor* spread = executor->CreateView(on_device, out->GetViewShape(),
                                                 on_device->GetStorageShape(), strides, 0);
  const aclTensor* zeros = spread == nullptr ? nullptr : l0op::Contiguous(spread, executor);
  return zeros != nullptr && l0op::ViewCopy(zeros, out, executor) != nullptr;
}

}  // namespace normgrad
