// Where in a kernel's source a call stands: findings name it.
#ifndef NORMGRAD_TWIN_MACHINE_SITE_H_
#define NORMGRAD_TWIN_MACHINE_SITE_H_

namespace normgrad::twin {

struct Site {
  const char* file;
  int line;

  // As a default argument this yields the line of the outermost call, the kernel's own.
  static constexpr Site Here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

}  // namespace normgrad::twin

// The last parameter of every Ascend C function of the twin.
#define NORMGRAD_SITE ::normgrad::twin::Site site = ::normgrad::twin::Site::Here()

#endif  // NORMGRAD_TWIN_MACHINE_SITE_H_
