// Memory in whole pages.
#ifndef NORMGRAD_TWIN_MACHINE_PAGES_H_
#define NORMGRAD_TWIN_MACHINE_PAGES_H_

#include <cstddef>
#include <cstdint>

namespace normgrad::twin {

constexpr size_t kPageBytes = 4096;

// The host makes a page when it is touched first, in a trap of its own. Asked for at once, whole
// pages cost a fraction of that; a host that cannot do it makes them as before.
void MakePagesToRead(void* begin, size_t bytes);
void MakePagesToWrite(void* begin, size_t bytes);

// Memory that is given back at the end, its content undefined. A page of it exists once it was
// touched or made.
class Pages {
 public:
  // Below it lie `guard_bytes` that fault. Throws std::bad_alloc.
  explicit Pages(size_t bytes, size_t guard_bytes = 0);
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages();

  uint8_t* begin() const { return whole_ + guard_bytes_; }
  size_t bytes() const { return bytes_; }

 private:
  const size_t bytes_;
  const size_t guard_bytes_;
  uint8_t* whole_;
};

}  // namespace normgrad::twin

#endif  // NORMGRAD_TWIN_MACHINE_PAGES_H_
