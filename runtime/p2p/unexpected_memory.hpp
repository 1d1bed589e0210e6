// Limits how much of this process's memory unexpected messages from other processes may take.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weft::runtime {
inline namespace p2p {

// Counts what goes beyond the credit that each other process has in any case. For any thread.
class UnexpectedMemory {
 public:
  // Bytes that may wait at their receivers, for each pair of processes.
  static constexpr std::int64_t kCredit = std::int64_t{16} << 20;

  // `most`: bytes, including the credit (kCredit) of one other process. 0: no limit while a tenth of the system's
  // memory is free.
  explicit UnexpectedMemory(std::uint64_t most) : most_(most) {}

  // Reserves so many bytes more; false if that is too much.
  bool reserve(std::size_t bytes);
  // The job is over: reserve() fails from now on.
  void close() { closed_.store(true, std::memory_order_relaxed); }
  void release(std::size_t bytes) { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  bool ask_system(std::uint64_t taken);

  const std::uint64_t most_;
  std::atomic<bool> closed_ = false;
  std::atomic<std::uint64_t> taken_ = 0;
  std::atomic<std::uint64_t> allowed_ = 0;  // bytes that may be taken before the system is asked again
};

}  // namespace p2p
}  // namespace weft::runtime
