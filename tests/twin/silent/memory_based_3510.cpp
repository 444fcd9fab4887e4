// Look-alikes of bad/memory_based_3510.cpp, sample by sample.
#include "tests/twin/sample.h"

// LeavesSaturationOn: saved and restored, as published kernels do with bit 60.
SAMPLE(RestoresWhatItFound, 1) {
  const int64_t saturates = AscendC::GetCtrlSpr<48, 48>();
  const int64_t global = AscendC::GetCtrlSpr<60, 60>();
  AscendC::SetCtrlSpr<48, 48>(0);
  AscendC::SetCtrlSpr<60, 60>(0);
  AscendC::SetCtrlSpr<60, 60>(global);
  AscendC::SetCtrlSpr<48, 48>(saturates);
}

// ResetsInsteadOfRestoring: these bits start as a reset leaves them.
SAMPLE(ResetsBitsThatTheHostLeavesAlone, 1) {
  AscendC::SetCtrlSpr<60, 60>(0);
  AscendC::SetCtrlSpr<53, 53>(1);
  AscendC::ResetCtrlSpr<60, 60>();
  AscendC::ResetCtrlSpr<53, 53>();
}

// WritesThreeIntoOneBit
SAMPLE(WritesOneIntoOneBit, 1) {
  AscendC::SetCtrlSpr<59, 59>(1);
  AscendC::SetCtrlSpr<59, 59>(0);
}
