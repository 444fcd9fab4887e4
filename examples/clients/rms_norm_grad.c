/* A client of aclnnRmsNormGrad in C: the whole sequence of calls for one row, without helpers. CANN's
   own aclnn headers are C++, so against CANN compile it with `-x c++`.
     normgrad client run examples/clients/rms_norm_grad.c --soc ascend910b4 */
#include <stdint.h>
#include <stdio.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_rms_norm_grad.h"

#define COLS 16

/* Ends main with the sentence of the call that failed. */
#define NEED(call)                                                                  \
  do {                                                                              \
    const int code = (call);                                                        \
    if (code != 0) {                                                                \
      fprintf(stderr, "%s: code %d\n%s\n", #call, code, aclGetRecentErrMsg());      \
      return 1;                                                                     \
    }                                                                               \
  } while (0)

enum { DY, X, RSTD, GAMMA, DX, DGAMMA, TENSORS };

int main(void) {
  const int64_t shapes[TENSORS][2] = {{1, COLS}, {1, COLS}, {1, 0}, {COLS, 0}, {1, COLS}, {COLS, 0}};
  const uint64_t ranks[TENSORS] = {2, 2, 1, 1, 2, 1};
  const size_t counts[TENSORS] = {COLS, COLS, 1, COLS, COLS, COLS};
  float values[TENSORS][COLS] = {{0}};
  void* memory[TENSORS] = {0};
  aclTensor* tensors[TENSORS] = {0};
  aclrtStream stream = 0;
  aclOpExecutor* executor = 0;
  void* workspace = 0;
  uint64_t workspace_bytes = 0;
  int wrong = 0;

  /* Every x is 2 and rstd 1/2, so xhat is 1: dx = (dy - mean(dy)) / 2 and dgamma = dy. */
  for (int col = 0; col < COLS; ++col) {
    values[DY][col] = (float)col;
    values[X][col] = 2.0f;
    values[GAMMA][col] = 1.0f;
  }
  values[RSTD][0] = 0.5f;

  NEED(aclInit(0));
  NEED(aclrtSetDevice(0));
  NEED(aclrtCreateStream(&stream));
  for (int i = 0; i < TENSORS; ++i) {
    const size_t bytes = counts[i] * sizeof(float);
    NEED(aclrtMalloc(&memory[i], bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    NEED(aclrtMemcpy(memory[i], bytes, values[i], bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    /* Without strides a tensor is dense. */
    tensors[i] = aclCreateTensor(shapes[i], ranks[i], ACL_FLOAT, 0, 0, ACL_FORMAT_ND, shapes[i],
                                 ranks[i], memory[i]);
  }

  NEED(aclnnRmsNormGradGetWorkspaceSize(tensors[DY], tensors[X], tensors[RSTD], tensors[GAMMA],
                                        tensors[DX], tensors[DGAMMA], &workspace_bytes, &executor));
  if (workspace_bytes > 0) {
    NEED(aclrtMalloc(&workspace, workspace_bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  NEED(aclnnRmsNormGrad(workspace, workspace_bytes, executor, stream));
  NEED(aclrtSynchronizeStream(stream));

  for (int i = DX; i <= DGAMMA; ++i) {
    const size_t bytes = counts[i] * sizeof(float);
    NEED(aclrtMemcpy(values[i], bytes, memory[i], bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  }
  for (int col = 0; col < COLS; ++col) {
    const float dx = 0.5f * ((float)col - 0.5f * (COLS - 1));
    wrong += values[DX][col] != dx || values[DGAMMA][col] != (float)col;
    printf("dx %5.2f  dgamma %5.2f\n", values[DX][col], values[DGAMMA][col]);
  }

  for (int i = 0; i < TENSORS; ++i) {
    NEED(aclDestroyTensor(tensors[i]));
    NEED(aclrtFree(memory[i]));
  }
  if (workspace != 0) {
    NEED(aclrtFree(workspace));
  }
  NEED(aclrtDestroyStream(stream));
  NEED(aclrtResetDevice(0));
  NEED(aclFinalize());
  printf(wrong == 0 ? "all exact\n" : "%d columns wrong\n", wrong);
  return wrong != 0;
}
