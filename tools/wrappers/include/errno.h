/* errno for programs whose ranks move between threads: the C library's errno is an address that compilers may keep for a
   whole function, because it never changes in an ordinary thread. weft_errno() is asked every time. */
#include_next <errno.h>

#ifndef WEFT_ERRNO_H
#define WEFT_ERRNO_H

#ifndef __ASSEMBLER__
#ifdef __cplusplus
extern "C" int* weft_errno(void) noexcept(true);
#else
extern int* weft_errno(void);
#endif

#undef errno
#define errno (*weft_errno())
#endif

#endif
