// Ahead of the waves lie numbers near zero; on many processors arithmetic with denormal ones is tens of times slower,
// and the load then follows the wave front (Keller Tesser 2016, section II-B).
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace ondes3d {

// For the calling rank: treat denormal inputs and results as zero, or keep them.
inline void flush_denormals(bool flush) {
#if defined(__SSE2__)
  constexpr unsigned kFlushToZero = 0x8000;
  constexpr unsigned kDenormalsAreZero = 0x0040;
  const unsigned others = _mm_getcsr() & ~(kFlushToZero | kDenormalsAreZero);
  _mm_setcsr(others | (flush ? kFlushToZero | kDenormalsAreZero : 0U));
#else
  static_cast<void>(flush);
#endif
}

}  // namespace ondes3d
