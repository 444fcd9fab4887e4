// What memory-based calls get wrong on 3510 alone: the control register, the shapes of copies, the
// limits of its unified buffer.
#include "tests/twin/sample.h"

SAMPLE(LeavesSaturationOn, 1) {
  //! control-left-changed SetCtrlSpr core=0 pipe=S buffer="" bytes=0..0
  AscendC::SetCtrlSpr<48, 48>(0);
}

// What a reset gives is not what the host chose: it turns saturation on.
SAMPLE(ResetsInsteadOfRestoring, 1) {
  AscendC::SetCtrlSpr<48, 48>(0);
  //! control-left-changed SetCtrlSpr core=0 pipe=S buffer="" bytes=0..0
  AscendC::ResetCtrlSpr<48, 48>();
}

SAMPLE(WritesThreeIntoOneBit, 1) {
  //! control-value SetCtrlSpr core=0 pipe=S buffer="" bytes=0..0
  AscendC::SetCtrlSpr<60, 60>(3);
}
