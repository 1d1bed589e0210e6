#include "runtime/bootstrap/addresses.hpp"

#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace weft::bootstrap {
namespace {

constexpr unsigned long kAsk = 0xffffffff;  // personality() then only returns the present value
constexpr rlim_t kStackBytes = rlim_t{8} << 20;
constexpr const char* kGuard = "WEFT_ADDRESSES_FIXED";  // set while fix_addresses() executes the program again

// The kernel places libraries below the space that it reserves for the stack.
bool stack_is_fixed() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur == std::min(kStackBytes, limit.rlim_max);
}

void fix_stack() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) == 0) {
    limit.rlim_cur = std::min(kStackBytes, limit.rlim_max);
    ::setrlimit(RLIMIT_STACK, &limit);
  }
}

}  // namespace

bool addresses_are_fixed() {
  const int now = ::personality(kAsk);
  return now >= 0 && (now & ADDR_NO_RANDOMIZE) != 0;
}

bool fix_addresses_of_next_image() {
  const int now = ::personality(kAsk);
  fix_stack();
  return now >= 0 && ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) >= 0 && addresses_are_fixed();
}

void fix_addresses(std::span<const char* const> arguments) {
  const bool again = std::getenv(kGuard) != nullptr;
  ::unsetenv(kGuard);
  if (again || (addresses_are_fixed() && stack_is_fixed()) || !fix_addresses_of_next_image()) {
    return;
  }
  std::error_code unreadable;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unreadable);
  if (!unreadable && ::setenv(kGuard, "1", 1) == 0) {
    std::vector<const char*> words{::program_invocation_name};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.push_back(nullptr);
    ::execv(self.c_str(), const_cast<char* const*>(words.data()));
    ::unsetenv(kGuard);
  }
}

}  // namespace weft::bootstrap
