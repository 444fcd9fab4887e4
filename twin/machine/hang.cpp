#include "twin/machine/hang.h"

#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "twin/machine/callers.h"
#include "twin/machine/core.h"

namespace normgrad::twin {
namespace {

constexpr int kCutOff = 4;                     // the exit code
constexpr useconds_t kTimeToSpeakUs = 300000;  // of the other threads
const void* kernel = nullptr;

// What is called here may not be called from a handler by the book. A launch that hangs is mostly
// in a loop of the kernel, and if it is not, it is killed a little later.
void TellPlace(int) {
  std::string places;
  for (const uint64_t at : CallersIn(kernel)) {
    places += (places.empty() ? "" : ",") + std::to_string(at);
  }
  if (places.empty()) return;  // it waits for work
  const std::string line =
      "hang core=" + std::to_string(ThisCore().index()) + " at=" + places + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

void AskAllThreads(int) {
  TellPlace(0);
  const pid_t process = getpid();
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  if (DIR* threads = opendir("/proc/self/task")) {
    while (const dirent* entry = readdir(threads)) {
      const auto thread = static_cast<pid_t>(std::atoi(entry->d_name));
      if (thread > 0 && thread != self) syscall(SYS_tgkill, process, thread, SIGUSR1);
    }
  }
  usleep(kTimeToSpeakUs);
  _exit(kCutOff);
}

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void TellPlaceWhenCutOff(const void* symbol) {
  kernel = symbol;
  CallersIn(symbol);  // the first backtrace loads a library, which a handler should not
  Handle(SIGUSR1, TellPlace);
  Handle(SIGTERM, AskAllThreads);
}

}  // namespace normgrad::twin
