#include "twin/machine/pages.h"

#include <sys/mman.h>

#include <new>

namespace normgrad::twin {
namespace {

#ifdef MADV_POPULATE_READ  // Linux 5.14
constexpr int kRead = MADV_POPULATE_READ;
constexpr int kWrite = MADV_POPULATE_WRITE;
#else
constexpr int kRead = MADV_NORMAL;
constexpr int kWrite = MADV_NORMAL;
#endif

void Advise(void* begin, size_t bytes, int advice) {
  const auto at = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = at / kPageBytes * kPageBytes;
  if (bytes > 0) madvise(reinterpret_cast<void*>(first), at + bytes - first, advice);
}

}  // namespace

void MakePagesToRead(void* begin, size_t bytes) { Advise(begin, bytes, kRead); }
void MakePagesToWrite(void* begin, size_t bytes) { Advise(begin, bytes, kWrite); }

Pages::Pages(size_t bytes, size_t guard_bytes) : bytes_(bytes), guard_bytes_(guard_bytes) {
  void* whole = mmap(nullptr, guard_bytes + bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (whole == MAP_FAILED) throw std::bad_alloc();
  whole_ = static_cast<uint8_t*>(whole);
  if (guard_bytes > 0) mprotect(whole, guard_bytes, PROT_NONE);
}

Pages::~Pages() { munmap(whole_, guard_bytes_ + bytes_); }

}  // namespace normgrad::twin
