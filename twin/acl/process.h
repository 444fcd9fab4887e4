// Other programs, and files that exist in memory alone.
#ifndef NORMGRAD_TWIN_ACL_PROCESS_H_
#define NORMGRAD_TWIN_ACL_PROCESS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace normgrad::acl {

// Throws std::runtime_error where the system has no room for it.
class MemoryFile {
 public:
  MemoryFile();
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();

  void Resize(uint64_t bytes);
  void Write(const void* data, uint64_t bytes);
  void Read(void* data, uint64_t bytes) const;
  std::string Text() const;
  // In a program that was started with this file.
  std::string path() const;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

struct Ended {
  int status = -1;  // exit code, or minus the signal
  bool in_time = true;
  std::string said;    // on standard output
  std::string errors;  // on standard error
};

// Runs a program that has these files open. A negative time-out is none.
Ended RunProgram(const std::vector<std::string>& command,
                 const std::vector<const MemoryFile*>& files, double timeout_s);

}  // namespace normgrad::acl

#endif  // NORMGRAD_TWIN_ACL_PROCESS_H_
