// Samples what the ranks of a process do at one moment, as raw addresses and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "inspect/messages.hpp"
#include "launch/held_threads.hpp"
#include "runtime/job/job.hpp"

namespace weft::launch {

class ImageProgram;

// A copy of what a suspended rank waits for.
struct WaitSample {
  enum class Kind : std::uint8_t { nothing, everybody, message, send };
  Kind kind = Kind::nothing;
  std::int32_t peer = 0;  // of a message or send: the other rank in its communicator, or kAnySource
  std::int32_t tag = 0;
  std::uint32_t others = 0;  // for `everybody`: number of other ranks; 0: unknown
};

struct RankSample {
  std::uint32_t rank = 0;
  inspect::Activity activity = inspect::Activity::unknown;
  const char* call = nullptr;  // the MPI call that it is in or was last in
  WaitSample wait{};
  bool has_unexpected = false;              // it waits for a message, and other (unexpected) messages have come
  std::span<const std::uint64_t> frames{};  // addresses; the innermost frame first
};

// Memory for the frames of so many ranks. Only pages that are used take physical memory.
class FrameMemory {
 public:
  static constexpr std::size_t kMostFrames = 48;  // of a rank
  explicit FrameMemory(std::size_t ranks);        // throws std::bad_alloc
  ~FrameMemory();
  FrameMemory(const FrameMemory&) = delete;
  FrameMemory& operator=(const FrameMemory&) = delete;
  // Walks the frames. The result is valid until clear(). Allocates nothing and takes no lock.
  std::span<const std::uint64_t> walk(const StoppedRegisters& from);
  void clear() { used_ = 0; }

 private:
  std::size_t size_;
  std::size_t used_ = 0;
  std::uint64_t* memory_ = nullptr;
};

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadsCanBeHeld = false;  // ThreadSanitizer keeps signals back until the thread makes a call
#else
inline constexpr bool kThreadsCanBeHeld = true;
#endif

struct RankSamples {
  explicit RankSamples(std::uint32_t most) : frames(most) { ranks.reserve(most); }
  FrameMemory frames;
  std::vector<RankSample> ranks;  // those that live in this process
  std::uint32_t ended = 0;
  std::uint32_t workers_missed = 0;  // workers of which at least one thread did not stop
};

// Once, before the first take_samples().
void prepare_samples(const runtime::Job& job);
// Stops the process's workers while it reads all of its ranks, about 10 microseconds a rank, and fills in `samples`. To
// be called on a thread that runs no ranks; one call waits for another. REQUIRES: kThreadsCanBeHeld.
void take_samples(const runtime::Job& job, const ImageProgram& program, RankSamples& samples);

}  // namespace weft::launch
