// Loops over elements, a copy per CPU: what an operation computes is one expression of its sources
// a and b (and of d[i], what dst held). For the .cpp files of operations only.
//
// A loop is a template over formats (formats.h); _OF makes the function name##F of it.
#ifndef NORMGRAD_TWIN_API_LOOPS_H_
#define NORMGRAD_TWIN_API_LOOPS_H_

#include <cstring>

#include "twin/api/formats.h"

// One source: f(dst, src, count).
#define NORMGRAD_UNARY_LOOP(name, expression)                                 \
  template <typename F>                                                       \
  NORMGRAD_INLINE void name##Loop(void* dst, const void* src, size_t count) { \
    using V = typename F::Value;                                              \
    auto* d = static_cast<typename F::Storage*>(dst);                         \
    const auto* s = static_cast<const typename F::Storage*>(src);             \
    NORMGRAD_ELEMENTWISE                                                      \
    for (size_t i = 0; i < count; ++i) {                                      \
      const V a = F::Load(s[i]);                                              \
      d[i] = F::Store(static_cast<V>(expression));                            \
    }                                                                         \
  }
#define NORMGRAD_UNARY_OF(name, F) \
  NORMGRAD_CLONES void name##F(void* d, const void* s, size_t count) { name##Loop<F>(d, s, count); }

// One source and a scalar b: f(dst, src, scalar, count).
#define NORMGRAD_SCALAR_LOOP(name, expression)                                                    \
  template <typename F>                                                                           \
  NORMGRAD_INLINE void name##Loop(void* dst, const void* src, const void* scalar, size_t count) { \
    using V = typename F::Value;                                                                  \
    auto* d = static_cast<typename F::Storage*>(dst);                                             \
    const auto* s = static_cast<const typename F::Storage*>(src);                                 \
    typename F::Storage stored;                                                                   \
    std::memcpy(&stored, scalar, sizeof stored);                                                  \
    const V b = F::Load(stored);                                                                  \
    NORMGRAD_ELEMENTWISE                                                                          \
    for (size_t i = 0; i < count; ++i) {                                                          \
      const V a = F::Load(s[i]);                                                                  \
      d[i] = F::Store(static_cast<V>(expression));                                                \
    }                                                                                             \
  }
#define NORMGRAD_SCALAR_OF(name, F)                                                        \
  NORMGRAD_CLONES void name##F(void* d, const void* s, const void* scalar, size_t count) { \
    name##Loop<F>(d, s, scalar, count);                                                    \
  }

// Two sources: f(dst, lhs, rhs, count).
#define NORMGRAD_BINARY_LOOP(name, expression)                                                 \
  template <typename F>                                                                        \
  NORMGRAD_INLINE void name##Loop(void* dst, const void* lhs, const void* rhs, size_t count) { \
    using V = typename F::Value;                                                               \
    auto* d = static_cast<typename F::Storage*>(dst);                                          \
    const auto* l = static_cast<const typename F::Storage*>(lhs);                              \
    const auto* r = static_cast<const typename F::Storage*>(rhs);                              \
    NORMGRAD_ELEMENTWISE                                                                       \
    for (size_t i = 0; i < count; ++i) {                                                       \
      const V a = F::Load(l[i]);                                                               \
      const V b = F::Load(r[i]);                                                               \
      d[i] = F::Store(static_cast<V>(expression));                                             \
    }                                                                                          \
  }
#define NORMGRAD_BINARY_OF(name, F)                                                   \
  NORMGRAD_CLONES void name##F(void* d, const void* a, const void* b, size_t count) { \
    name##Loop<F>(d, a, b, count);                                                    \
  }

// Families of formats; `sources` is UNARY, SCALAR or BINARY.
#define NORMGRAD_FLOATS(sources, name, expression)                               \
  NORMGRAD_##sources##_LOOP(name, expression) NORMGRAD_##sources##_OF(name, F32) \
      NORMGRAD_##sources##_OF(name, F16) NORMGRAD_##sources##_OF(name, F16Saturating)
#define NORMGRAD_NUMBERS(sources, name, expression) \
  NORMGRAD_FLOATS(sources, name, expression)        \
  NORMGRAD_##sources##_OF(name, I16) NORMGRAD_##sources##_OF(name, I32)
#define NORMGRAD_UNSIGNED(sources, name)                               \
  NORMGRAD_##sources##_OF(name, U8) NORMGRAD_##sources##_OF(name, U16) \
      NORMGRAD_##sources##_OF(name, U32)
#define NORMGRAD_SIGNED(sources, name)                                 \
  NORMGRAD_##sources##_OF(name, I8) NORMGRAD_##sources##_OF(name, I16) \
      NORMGRAD_##sources##_OF(name, I32)

#endif  // NORMGRAD_TWIN_API_LOOPS_H_
