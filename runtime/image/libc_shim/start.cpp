// The rank's start, its errno, and its error messages.
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"

WeftShimInfo weft_shim_info;

namespace weft::shim {

namespace {

// OpenMP's threads run the program's functions, but are not created through this shim.
bool is_openmp(const char* library) {
  return strncmp(library, "libgomp.", 8) == 0 || strncmp(library, "libomp.", 7) == 0 ||
         strncmp(library, "libiomp5.", 9) == 0;
}

bool needs_openmp(const char* begin) {
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(begin);
  const auto* segment = reinterpret_cast<const Elf64_Phdr*>(begin + header->e_phoff);
  const Elf64_Phdr* const end = segment + header->e_phnum;
  while (segment != end && segment->p_type != PT_DYNAMIC) {
    ++segment;
  }
  if (segment == end) {
    return false;
  }
  const auto* entries = reinterpret_cast<const Elf64_Dyn*>(begin + segment->p_vaddr);
  const char* names = nullptr;
  for (const Elf64_Dyn* entry = entries; entry->d_tag != DT_NULL; ++entry) {
    names = entry->d_tag == DT_STRTAB ? begin + entry->d_un.d_ptr : names;
  }
  for (const Elf64_Dyn* entry = entries; names != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED && is_openmp(names + entry->d_un.d_val)) {
      return true;
    }
  }
  return false;
}

void expect_threads() {
  for (int i = 0; i < weft_shim_info.image_count && weft_shim_info.threaded == 0; ++i) {
    weft_shim_info.threaded = needs_openmp(weft_shim_info.slot + weft_shim_info.images[i].begin) ? 1 : 0;
  }
}

[[noreturn]] void fail_by(int signal, const char* format, va_list arguments) {
  char text[512];
  vsnprintf(text, sizeof text, format, arguments);
  weft_shim_info.host.fail(text, signal);
  __builtin_trap();
}

}  // namespace

void fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail_by(0, format, arguments);
}

void fail_by_abort(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail_by(SIGABRT, format, arguments);
}

}  // namespace weft::shim

WEFT_RANK_EXPORT void weft_shim_start();
WEFT_RANK_EXPORT void weft_shim_leave();
WEFT_RANK_EXPORT void weft_shim_arrived();
WEFT_RANK_EXPORT int* weft_errno();

void weft_shim_start() {
  weft::shim::expect_threads();
  weft::shim::start_heap();
  weft::shim::start_environment();
  weft::shim::start_streams();
  if (weft_shim_info.image_count > 0) {
    weft::shim::name_program(weft_shim_info.images[0].path);
  }
}

void weft_shim_leave() {
  weft::shim::forget_threads();
  weft::shim::close_carried_files();
}

void weft_shim_arrived() {
  weft::shim::leave_teams();
  weft::shim::rebind_streams();
  weft::shim::restore_signal_handlers();
}

// Not const, unlike __errno_location(): a rank may wake on another thread between two uses.
int* weft_errno() { return __errno_location(); }
