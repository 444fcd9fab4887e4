/* Where an installed package has it. */
#include "../../../../op_host/layer_norm_grad_v3/op_api/aclnn_layer_norm_backward.h"
