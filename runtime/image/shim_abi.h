/* The contract between the host (weftrun's process) and the shim that is loaded privately into every rank.
   The host fills WeftShimInfo in the rank's slot before the rank's first instruction, and again after a move. */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One image (program, shim or private library) of the rank; offsets count from the slot's first byte. */
struct WeftShimImage {
  uint64_t begin, end;      /* the image's address range */
  uint64_t eh_frame_hdr;    /* PT_GNU_EH_FRAME, 0 if none */
  uint64_t tls_block;       /* the rank's own thread-local block of this image */
  uint64_t tls_memory_size; /* bytes of the block, 0 if none */
  uint64_t tls_file_size;   /* bytes with an initial value */
  uint64_t tls_template;    /* where the (relocated) initial values lie */
  const char* path;         /* host memory, valid for the whole job */
};

/* Calls a rank's handler for the signal. */
typedef void (*WeftSignalHandler)(int signal, siginfo_t* info, void* context);

/* What a rank calls in its host. Only yield and sleep may switch to another rank. */
struct WeftHostCalls {
  void (*exit)(int code); /* ends the rank; never returns; exit handlers have run */
  /* Names the rank, prints, ends the job: by the signal, or with exit code 1 where that is 0. Never returns. */
  void (*fail)(const char* message, int signal);
  /* output() of 0 bytes writes the buffered lines of all ranks of the process. */
  ssize_t (*output)(int fd, const void* bytes, size_t n); /* the rank's bytes for fd 1 or 2; lines are kept whole */
  ssize_t (*input)(void* bytes, size_t n);                /* fd 0: the job's stdin for rank 0, end of file for others */
  void (*begin_thread)(uint32_t rank); /* in a thread that the rank created, before its function; or null */
  /* Which thread of OpenMP's teams is calling, the same number after a move; 0: none. Null: there is no OpenMP. */
  uint64_t (*place_in_teams)(void);
  uint32_t keep_places; /* 1: each OpenMP thread stays in one place */
  /* After yield and sleep the rank may continue on another thread. Null: there are no other ranks. */
  int (*yield)(void);               /* lets other ranks run; 0: none has run, so use the process's own call */
  int (*sleep)(int64_t until);      /* until this time, in ns of CLOCK_MONOTONIC; WEFT_SLEEP_... */
  void (*interrupt)(uint32_t rank); /* ends this rank's sleep, since one of its signal handlers has run; or null */
  /* From now on a signal to the process calls `run`, as well as the handlers of other ranks, with the mask and flags of
     `action`. `run` null: the rank has no handler any more; if no rank has one, `action` becomes the process's
     disposition. Returns 0, or -1 with errno. A null pointer here: there are no other ranks. */
  int (*handle_signal)(uint32_t rank, int signal, const struct sigaction* action, WeftSignalHandler run);
};

struct WeftShimInfo {
  char* slot;
  uint64_t slot_size;
  char* region; /* first byte of slot 0; ranks' slots follow each other */
  uint64_t region_size;
  uint32_t rank, rank_count;
  pid_t process;
  char* heap;
  uint64_t heap_size;
  char* stack_low; /* lowest usable byte of the rank's stack */
  uint64_t stack_size;
  const struct WeftShimImage* images;
  int image_count;
  uint32_t threaded;       /* 1 once the rank may have more than one thread: the heap then locks */
  uint32_t starts_threads; /* 1 once it has started one itself: those of OpenMP do not count */
  struct WeftHostCalls host;
};

/* What sleep() returns. */
enum {
  WEFT_SLEEP_DONE = 0,
  WEFT_SLEEP_INTERRUPTED = 1,
  WEFT_SLEEP_REFUSED = 2 /* it has not slept: use the process's own call */
};

// clang-format off
/* Exported by the shim (libweft_rank.so):
     struct WeftShimInfo weft_shim_info;
     void  weft_shim_start(void);              prepares heap, environment and standard streams; runs before any
                                               constructor
     void  exit(int code);                     called with main's result, on the rank's stack: runs thread-local
                                               destructors and exit handlers in reverse order, flushes streams, then
                                               calls host.exit(code). _exit(code) runs neither destructors nor
                                               handlers
     int   __cxa_atexit(fn, argument, dso);    the host first of all registers its runner of DT_FINI_ARRAY and DT_FINI
                                               here: so it runs last, before the streams are flushed
     void  weft_shim_run_exit_handlers(void);  what exit() runs before host.exit; a second call runs new handlers
     char* weft_shim_heap_top(void);           first byte past the heap's highest block
     char* weft_shim_heap_end(void);           the heap's limit
     void  weft_shim_trim(void);               returns the pages of free blocks, and those past the heap's highest
                                               block, to the system
     void  weft_shim_flush(void);              writes what the C library's stdout and stderr have buffered
     const char* weft_shim_pinned(int several_hosts);
                                               why the rank cannot leave its process (a socket, ...), or null
     void  weft_shim_save_files(void);         notes which files the rank has open; before its memory is copied
     void  weft_shim_leave(void);              after that, once the rank has left the process: closes the files; threads
                                               there do not belong to the rank any more
     void  weft_shim_arrived(void);            in the new process, after weft_shim_info is filled again: rebinds streams
                                               and signal handlers, forgets the old process's OpenMP threads
     const char* weft_shim_reopen_files(int from_image);
                                               next: opens the rank's files again; returns what is wrong, or null
     const char* weft_shim_truncate_files(void);
                                               for a rank from an image, once all ranks have come: truncates files that
                                               it writes to their length in the image; returns what is wrong, or null
     int*  weft_errno(void);                   what <errno.h> of the wrappers calls
     void  weft_tlsdesc(void);                 resolver for R_X86_64_TLSDESC: the descriptor is {weft_tlsdesc, address of
                                               the variable in the rank's own block}; preserves every register except
                                               rax
     void* __tls_get_addr(pair);               a GOT pair is {address of the rank's block of the image, offset}
     malloc, free, ...                         and every C library function whose state must be the rank's own

   No function of WeftHostCalls except yield and sleep may switch to another rank: output() runs inside a stdio call.
   The shim's functions may be called from any stack of the thread that owns the rank. The shim finds functions of the C
   library that are not among its own dynamic symbols with dlsym(RTLD_NEXT, name). */
// clang-format on

#ifdef __cplusplus
}
#endif
