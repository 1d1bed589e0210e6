#include "runtime/image/host_calls.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>

#include "runtime/image/program.hpp"

namespace weft::image {
namespace {

void* open_in_host(const char* file, int flags) {
  static std::atomic_flag warned;
  if (file != nullptr && !warned.test_and_set()) {
    std::fprintf(stderr,
                 "weft: warning: a rank opens '%s' with dlopen: all ranks of a process share its one copy, globals "
                 "included; link it to the program to give each rank its own\n",
                 file);
  }
  return dlopen(file, flags);
}

// What the default scope, and dlopen(NULL), mean to a rank: its own images, then the host. Other handles are the
// host's.
void* find_for_rank(void* handle, const char* name) {
  static void* const host_itself = dlopen(nullptr, RTLD_LAZY);
  const Program* program = published_program();
  if (program != nullptr && (handle == RTLD_DEFAULT || handle == host_itself)) {
    if (const auto rank = program->region()->rank_at(__builtin_return_address(0))) {
      if (const auto offset = program->symbol(name)) {
        return program->region()->slot(*rank).data() + *offset;
      }
    }
  }
  // The host's RTLD_NEXT would start behind an object it does not know: all of the host comes next to a rank.
  return dlsym(handle == RTLD_NEXT ? RTLD_DEFAULT : handle, name);
}

}  // namespace

void* replacement_for(const std::string& name) {
  if (name == "dlopen") {
    return reinterpret_cast<void*>(&open_in_host);
  }
  if (name == "dlsym") {
    return reinterpret_cast<void*>(&find_for_rank);
  }
  return nullptr;
}

}  // namespace weft::image
