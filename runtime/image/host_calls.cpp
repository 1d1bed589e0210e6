#include "runtime/image/host_calls.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "base/say.hpp"
#include "runtime/image/image_set.hpp"
#include "runtime/image/openmp_calls.hpp"
#include "runtime/image/program.hpp"

namespace weft::image {
namespace {

// What dlerror() returns next; empty: the host's error. The thread's, as in the C library: its ranks share it.
thread_local std::string failure;

void* open_in_host(const char* file, int flags) {
  static std::atomic_flag warned;
  if (file != nullptr && !warned.test_and_set()) {
    base::say(std::string("weft: warning: a rank opens '") + file +
              "' with dlopen: all ranks of a process share its one copy, globals included; link it to the program or "
              "name it in --plugins to give each rank its own\n");
  }
  return dlopen(file, flags);
}

// The handle of an image is its address in the rank's slot, the same in all processes.
void* open_for_rank(const char* file, int flags) {
  const Program* program = program_at(reinterpret_cast<std::uint64_t>(__builtin_return_address(0)));
  const Image* const image = program == nullptr || file == nullptr ? nullptr : find_opened(program->images(), file);
  const auto rank = image == nullptr ? std::nullopt : program->region()->rank_at(__builtin_return_address(0));
  return rank ? program->region()->slot(*rank).data() + image->base : open_in_host(file, flags);
}

// Null if the handle belongs to the host.
const Image* image_of(void* handle) {
  const Program* const program = program_at(reinterpret_cast<std::uint64_t>(handle));
  const auto rank = program == nullptr ? std::nullopt : program->region()->rank_at(handle);
  if (!rank) {
    return nullptr;
  }
  const auto offset =
      static_cast<std::uint64_t>(static_cast<std::byte*>(handle) - program->region()->slot(*rank).data());
  const auto found = std::ranges::find(program->images(), offset, &Image::base);
  return found == program->images().end() ? nullptr : &*found;
}

// For ranks the default scope, and dlopen(NULL), mean the rank's own images, then the host.
void* find_for_rank(void* handle, const char* name) {
  static void* const host_itself = dlopen(nullptr, RTLD_LAZY);
  const Program* program = program_at(reinterpret_cast<std::uint64_t>(__builtin_return_address(0)));
  const Image* const image = image_of(handle);
  if (program != nullptr && (image != nullptr || handle == RTLD_DEFAULT || handle == host_itself)) {
    if (const auto rank = program->region()->rank_at(__builtin_return_address(0))) {
      if (const auto offset = image == nullptr ? program->symbol(name) : program->symbol(*image, name)) {
        return program->region()->slot(*rank).data() + *offset;
      }
    }
  }
  // For RTLD_NEXT all of the host is searched: it comes after the rank's images. The host's own RTLD_NEXT would search
  // only what comes after the calling library, this one. Definitions in later images of the rank are not found.
  void* const found = dlsym(handle == RTLD_NEXT || image != nullptr ? RTLD_DEFAULT : handle, name);
  if (found == nullptr && image != nullptr) {
    failure = image->elf.path() + ": undefined symbol: " + name;
    dlerror();  // drops the host's own error message
  }
  return found;
}

int close_for_rank(void* handle) { return image_of(handle) == nullptr ? dlclose(handle) : 0; }

const char* error_for_rank() {
  if (failure.empty()) {
    return dlerror();
  }
  static thread_local std::string text;
  text = std::exchange(failure, {});
  return text.c_str();
}

}  // namespace

void* replacement_for(const std::string& name) {
  if (name == "dlopen") {
    return reinterpret_cast<void*>(&open_for_rank);
  }
  if (name == "dlsym") {
    return reinterpret_cast<void*>(&find_for_rank);
  }
  if (name == "dlclose") {
    return reinterpret_cast<void*>(&close_for_rank);
  }
  if (name == "dlerror") {
    return reinterpret_cast<void*>(&error_for_rank);
  }
  return with_number_of_thread(name);
}

}  // namespace weft::image
