#include "twin/acl/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

extern char** environ;

namespace normgrad::acl {
namespace {

// A launch of a small kernel takes a few milliseconds.
constexpr auto kFirstPause = std::chrono::microseconds(200);
constexpr auto kLongestPause = std::chrono::microseconds(20000);

[[noreturn]] void Throw(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

// Moves all bytes, whatever the system takes at once.
template <typename Call>
void MoveAll(uint64_t bytes, const char* what, Call call) {
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t moved = call(done, bytes - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) Throw(what);
    done += static_cast<uint64_t>(moved);
  }
}

int WaitFor(pid_t child, double timeout_s, bool* in_time) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  auto pause = kFirstPause;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, timeout_s < 0 ? 0 : WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR) Throw("waiting for a program");
    if (timeout_s >= 0 && std::chrono::steady_clock::now() >= until) {
      *in_time = false;
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

MemoryFile::MemoryFile() : descriptor_(memfd_create("normgrad", MFD_CLOEXEC)) {
  if (descriptor_ < 0) Throw("no file in memory");
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void MemoryFile::Resize(uint64_t bytes) {
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) Throw("a file in memory");
}

void MemoryFile::Write(const void* data, uint64_t bytes) {
  const auto* from = static_cast<const char*>(data);
  MoveAll(bytes, "writing a file in memory", [&](uint64_t at, uint64_t rest) {
    return pwrite(descriptor_, from + at, rest, static_cast<off_t>(at));
  });
}

void MemoryFile::Read(void* data, uint64_t bytes) const {
  auto* to = static_cast<char*>(data);
  MoveAll(bytes, "reading a file in memory", [&](uint64_t at, uint64_t rest) {
    return pread(descriptor_, to + at, rest, static_cast<off_t>(at));
  });
}

std::string MemoryFile::Text() const {
  const off_t bytes = lseek(descriptor_, 0, SEEK_END);
  std::string text(static_cast<size_t>(std::max<off_t>(bytes, 0)), '\0');
  Read(&text[0], text.size());
  return text;
}

std::string MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

Ended RunProgram(const std::vector<std::string>& command,
                 const std::vector<const MemoryFile*>& files, double timeout_s) {
  const MemoryFile said;
  const MemoryFile errors;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, said.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.descriptor(), STDERR_FILENO);
  for (const MemoryFile* file : files) {  // onto itself: it stays open
    posix_spawn_file_actions_adddup2(&actions, file->descriptor(), file->descriptor());
  }
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw std::runtime_error("can't start " + command[0] + ": " + std::strerror(error));
  Ended ended;
  ended.status = WaitFor(child, timeout_s, &ended.in_time);
  ended.said = said.Text();
  ended.errors = errors.Text();
  return ended;
}

}  // namespace normgrad::acl
