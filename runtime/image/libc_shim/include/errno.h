/* <errno.h> for programs whose ranks may wake on another thread: the C library's accessor is declared const, so a
   compiler may keep its result over an MPI call; this one is not. */
#include_next <errno.h>
#if defined(errno) && !defined(WEFT_ERRNO_H)
#define WEFT_ERRNO_H
/* clang-format off */
#ifdef __cplusplus
extern "C" int* weft_errno(void);
#else
extern int* weft_errno(void);
#endif
/* clang-format on */
#undef errno
#define errno (*weft_errno())
#endif
