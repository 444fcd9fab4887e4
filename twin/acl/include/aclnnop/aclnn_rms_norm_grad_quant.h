/* Where an installed package has it. */
#include "../../../../op_host/rms_norm_grad_quant/op_api/aclnn_rms_norm_grad_quant.h"
