// What the ranks of a job run, as the runtime sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "runtime/setup/world.hpp"

namespace weft::runtime {
inline namespace control {
class Rank;
}  // namespace control

inline namespace setup {

// What the ranks run: the image loader's program, or a function in tests.
class Program {
 public:
  virtual ~Program() = default;
  // Memory for the rank's stack, ready to use. Called on the worker that will run the rank, on several workers at the
  // same time; for a spawned rank on the main thread.
  virtual std::span<std::byte> prepare(RankId rank) = 0;
  // Runs on the rank's fibre; returns the exit code.
  virtual int main(Rank& rank) = 0;
  // Frees what prepare() allocated, on the worker where the rank has ended; on the main thread for a spawned rank that
  // does not start after all.
  virtual void release(RankId rank) = 0;
  // Loads what these dormant ranks are to run. Called before prepare(), on the main thread, while other ranks run.
  // Throws std::exception if that fails.
  virtual void load(const Application& application, std::span<const RankId> ranks);
  // Called on each additional thread that is going to run ranks.
  virtual void begin_thread() {}
  // Whether the rank itself has started threads.
  virtual bool has_threads(RankId /*rank*/) const { return false; }
  // The rank whose code lies at the address; nothing where that is unknown.
  virtual std::optional<RankId> rank_at(const void* /*code*/) const { return std::nullopt; }
  // Whether a new rank may get the number of this rank, which has been released.
  virtual bool can_reuse_number(RankId /*rank*/) const { return true; }

  // Equal in two processes if ranks can move between them: what the program consists of, and at which addresses.
  virtual std::string fingerprint() const { return {}; }
  // The functions down to release_forwarded() move a suspended rank to another process.
  // In the old process: why the rank cannot leave (a socket), or null; valid until it runs. With several hosts it may
  // move to one where the same paths lead to other files.
  virtual const char* why_pinned(RankId /*rank*/, bool /*several_hosts*/) { return nullptr; }
  // In the old process: all memory of the rank. It is copied to the same addresses in the new process.
  virtual std::vector<std::span<std::byte>> memory_of(RankId /*rank*/, const void* /*stack_pointer*/) { return {}; }
  // All addresses that its memory may have while it runs on from now; empty where that is unknown.
  virtual std::span<std::byte> addresses_of(RankId /*rank*/) { return {}; }
  // In the new process: make_room() makes the addresses usable. finish_arrival() is called when the memory has been
  // copied, before the rank runs. It throws std::exception if a file that the rank had open cannot be opened again or,
  // for a rank from an image, has become shorter.
  virtual void make_room(RankId /*rank*/) {}
  virtual void finish_arrival(RankId /*rank*/, bool /*from_image*/) {}
  // For a rank that has come from an image and waits, once the ranks of all processes have come. Truncates files that
  // it had open for writing to their length in the image. Throws std::exception.
  virtual void truncate_files(RankId /*rank*/) {}
  // Estimates the bytes that a move to another process would copy. Called by the rank itself in a balancing step.
  // Cheap: the estimate may be some steps old.
  virtual std::uint64_t bytes_to_move(RankId /*rank*/, const void* /*stack_pointer*/) { return 0; }
  // In the old process, at the end: finish_departure() frees the rank's memory. release_forwarded() does so for a rank
  // that was only read here for another process and so has never arrived.
  virtual void finish_departure(RankId /*rank*/) {}
  virtual void release_forwarded(RankId /*rank*/) {}

  // Called on the rank's fibre. Allocates memory that moves with the rank and that the program may free; null when
  // there is none. `alignment` is a power of two.
  virtual void* allocate(RankId rank, std::size_t alignment, std::size_t bytes);
  virtual void deallocate(RankId rank, void* memory);
  // Called by the rank: writes a line to the job's output as the rank's, after all that it has printed itself unless it
  // has threads.
  virtual void print(RankId rank, std::string_view line);
};

// Runs a function as every rank, on stacks of its own: for tests and benchmarks.
class FunctionProgram final : public Program {
 public:
  // `body` finds in its rank's world what was spawned.
  FunctionProgram(std::function<int(Rank&)> body, std::size_t stack_bytes = std::size_t{256} << 10)
      : body_(std::move(body)), stack_bytes_(stack_bytes) {}
  std::span<std::byte> prepare(RankId rank) override;
  int main(Rank& rank) override { return body_(rank); }
  void release(RankId rank) override;
  // Refuses programs without a name.
  void load(const Application& application, std::span<const RankId> ranks) override;

 private:
  std::function<int(Rank&)> body_;
  std::size_t stack_bytes_;
  std::vector<std::span<std::byte>> stacks_;
  std::mutex mutex_;  // guards stacks_
};

}  // namespace setup
}  // namespace weft::runtime
