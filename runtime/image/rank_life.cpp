// What happens on a rank's own stack: constructors, main, exit.
#include <cstring>

#include "base/check.hpp"
#include "runtime/image/program.hpp"
#include "runtime/image/unwind.hpp"

namespace weft::image {
namespace {

using Constructor = void(int, char**, char**);

// A null-terminated array of copies of the strings, in the rank's heap.
char** copy_strings(const RankShim& shim, Slot slot, std::span<const char* const> strings) {
  const auto allocate = [&](std::size_t bytes) {
    void* const memory = shim.allocate(slot, alignof(std::max_align_t), bytes);
    base::check(memory != nullptr, "a rank's heap has room for its arguments");
    return memory;
  };
  const std::size_t count = strings.size();
  auto** copy = static_cast<char**>(allocate((count + 1) * sizeof(char*)));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bytes = std::strlen(strings[i]) + 1;
    copy[i] = static_cast<char*>(allocate(bytes));
    std::memcpy(copy[i], strings[i], bytes);
  }
  copy[count] = nullptr;
  return copy;
}

using Main = int(int, char**, char**);

// A separate frame on the stack of every rank, which calls_main() recognises.
[[gnu::noinline]] int call_main(Main* entry, int argc, char** argv, char** environment) {
  const int code = entry(argc, argv, environment);
  asm volatile("" ::: "memory");  // prevents a tail call
  return code;
}

}  // namespace

bool Program::calls_main(const void* function) noexcept {
  return function == reinterpret_cast<const void*>(&call_main);
}

bool Program::is_shim(const FoundImage& image) const noexcept {
  return shim_ && shim_->lies_between(image.slot, image.begin, image.end);
}

void Program::run_constructors(Slot slot, int argc, char** argv, char** environment) const {
  for (const std::uint32_t index : constructor_order_) {
    const Image& image = images_[index];
    const Routines& r = image.elf.routines;
    if (r.init != 0) {
      function_at<Constructor>(slot, image.base + r.init)(argc, argv, environment);
    }
    auto* const* array = reinterpret_cast<Constructor**>(slot.data() + image.base + r.init_array);
    for (std::uint64_t i = 0; i < r.init_count; ++i) {
      array[i](argc, argv, environment);
    }
  }
}

void Program::run_destructors(void* slot_begin) {
  // A rank may have moved since it started: the slot's address is the only value kept from then.
  const Program& program = *program_at(reinterpret_cast<std::uint64_t>(slot_begin));
  const Slot slot(static_cast<std::byte*>(slot_begin), program.region_->slot_size());
  for (std::size_t n = program.constructor_order_.size(); n-- > 0;) {
    const Image& image = program.images_[program.constructor_order_[n]];
    const Routines& r = image.elf.routines;
    auto* const* array = reinterpret_cast<void (**)()>(slot.data() + image.base + r.fini_array);
    for (std::uint64_t i = r.fini_count; i-- > 0;) {
      array[i]();
    }
    if (r.fini != 0) {
      function_at<void()>(slot, image.base + r.fini)();
    }
  }
}

void Program::run(Slot slot, int argc, const char* const* argv) const {
  base::check(shim_.has_value(), "a program without the shim can be placed, not run");
  shim_->start(slot);
  char** const arguments = copy_strings(*shim_, slot, {argv, static_cast<std::size_t>(argc)});
  char** const variables = shim_->environment(slot);
  // Registered first, so it runs last, as in the C library: after every atexit function, before streams are flushed.
  shim_->at_exit(slot, &Program::run_destructors);
  run_constructors(slot, argc, arguments, variables);
  auto* entry = function_at<Main>(slot, main_);
  if (main_pointer_ != 0) {
    std::memcpy(&entry, slot.data() + main_pointer_, sizeof entry);
  }
  const int code = call_main(entry, argc, arguments, variables);
  // The rank may have moved to another process meanwhile, where this object has another address.
  const Program& here = *program_at(reinterpret_cast<std::uint64_t>(slot.data()));
  here.shim_->exit(slot, code);
  base::fail("a rank went on after exit()");
}

}  // namespace weft::image
