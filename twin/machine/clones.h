// Copies of a hot function per instruction set.
#ifndef NORMGRAD_TWIN_MACHINE_CLONES_H_
#define NORMGRAD_TWIN_MACHINE_CLONES_H_

// GCC keeps one copy of a loop per instruction set and chooses when the library is loaded. Every
// copy computes the same bits: single operations, no contraction, no reassociation.
// ThreadSanitizer is not ready yet when the loader asks which copy to take.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define NORMGRAD_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define NORMGRAD_CLONES
#endif

#endif  // NORMGRAD_TWIN_MACHINE_CLONES_H_
