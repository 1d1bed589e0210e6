// DISTINCT_ARRAYS before a loop: the arrays that it uses do not overlap, so that it may be vectorised.
#pragma once

#ifdef __clang__
#define DISTINCT_ARRAYS _Pragma("clang loop vectorize(assume_safety)")
#else
#define DISTINCT_ARRAYS _Pragma("GCC ivdep")
#endif
