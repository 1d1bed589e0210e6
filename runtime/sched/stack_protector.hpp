// The stack protector's value (canary) of a thread, where the C library keeps it.
#pragma once

#include <cstdint>

namespace weft::runtime {
inline namespace sched {

// While one exists the calling thread has this value: a rank's frames hold the value of the thread on which they were
// entered, and may return on another one.
class StackProtectorValue {
 public:
  explicit StackProtectorValue(std::uint64_t value) : before_(exchange(value)) {}
  ~StackProtectorValue() { exchange(before_); }
  StackProtectorValue(const StackProtectorValue&) = delete;
  StackProtectorValue& operator=(const StackProtectorValue&) = delete;

 private:
  static std::uint64_t exchange(std::uint64_t value) {
    asm volatile("xchgq %0, %%fs:0x28" : "+r"(value) : : "memory");
    return value;
  }
  const std::uint64_t before_;
};

}  // namespace sched
}  // namespace weft::runtime
