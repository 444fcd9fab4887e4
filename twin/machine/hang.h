// Where a launch is that does not end: whoever cuts it off asks first.
#ifndef NORMGRAD_TWIN_MACHINE_HANG_H_
#define NORMGRAD_TWIN_MACHINE_HANG_H_

namespace normgrad::twin {

// From now on SIGTERM makes each thread that is in the object of `symbol` say so on stderr, as
//   hang core=3 at=12345,678      offsets into that object's file, innermost first
// and ends the process.
void TellPlaceWhenCutOff(const void* symbol);

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_HANG_H_
