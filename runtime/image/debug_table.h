/* What a debugger, the unwinder and crash reports need to know about the ranks of this process.
   Every field is 8 bytes, so that tools/weft-gdb.py can read it without debug information.
   Constant while ranks run: Program::publish() fills the first half, launch/debug_ranks.cpp the second. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_DEBUG_VERSION 1

struct WeftDebugImage {
  const char* path;
  uint64_t offset;       /* of the file's address zero, from the slot's first byte */
  uint64_t span;         /* bytes of address range */
  uint64_t eh_frame_hdr; /* slot offset of PT_GNU_EH_FRAME, 0 if none */
};

/* Pointers to the rank's own fields, so that keeping the table costs nothing while ranks run.
   context is null for a rank that is not in this process. */
struct WeftDebugRank {
  void* const* context;    /* saved stack pointer of the suspended rank (fcontext_t); *context null while it runs */
  const uint8_t* state;    /* index into state_names */
  const uint32_t* worker;  /* the worker that owns it */
  const char* const* call; /* name of the MPI call it was last in, or null */
};

struct WeftDebugTable {
  uint64_t version;
  uint64_t region, region_size, slot_size; /* slot of rank r: region + r * slot_size */
  uint64_t image_count;
  const struct WeftDebugImage* images;
  uint64_t rank_count;               /* filled by the runtime, as are the three below */
  const struct WeftDebugRank* ranks; /* rank_count entries */
  uint64_t state_count;
  const char* const* state_names;
};

extern struct WeftDebugTable weft_debug;

#ifdef __cplusplus
}
#endif
