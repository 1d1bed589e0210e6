// What the ranks of a job run, as the runtime sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
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
  // Memory for the rank's stack, ready to use. Called on the worker that will run the rank, several at a time; of a
  // rank that is spawned, on the main thread.
  virtual std::span<std::byte> prepare(RankId rank) = 0;
  // Runs on the rank's fibre; the exit code.
  virtual int main(Rank& rank) = 0;
  // Gives back what prepare() took, once the rank has ended.
  virtual void release(RankId rank) = 0;
  // What these ranks, which are dormant, are to run: before prepare(). On the main thread, while others run. Throws
  // std::exception if that cannot be.
  virtual void load(const Application& application, std::span<const RankId> ranks);
  // On a further thread that is going to run ranks.
  virtual void begin_thread() {}
  // Whether the rank has started threads by itself.
  virtual bool has_threads(RankId /*rank*/) const { return false; }
  // The rank whose code lies at the address; none where that cannot be told.
  virtual std::optional<RankId> rank_at(const void* /*code*/) const { return std::nullopt; }
  // Whether the number of a rank that has been released can be a new rank's.
  virtual bool vacant(RankId /*rank*/) const { return true; }

  // Equal in two processes where ranks can live on in the other: what it is made of, and at which addresses.
  virtual std::string fingerprint() const { return {}; }
  // A suspended rank's way to another process. Here: why it cannot leave (a socket), or null; good until it runs. With
  // several hosts it may come to one that finds other files by the same paths.
  virtual const char* pinned(RankId /*rank*/, bool /*several_hosts*/) { return nullptr; }
  // Here: all its memory. It goes to the same addresses there.
  virtual std::vector<std::span<std::byte>> memory_of(RankId /*rank*/, const void* /*stack_pointer*/) { return {}; }
  // All addresses that its memory may have while it runs on from now; none where that cannot be told.
  virtual std::span<std::byte> addresses_of(RankId /*rank*/) { return {}; }
  // There: makes the addresses usable; then the memory has come and the rank may run. Throws std::exception if a file
  // that the rank had open cannot be opened again, or, from an image, has become shorter.
  virtual void make_room(RankId /*rank*/) {}
  virtual void arrived(RankId /*rank*/, bool /*from_image*/) {}
  // Of a rank that has come from an image and waits, once those of all processes have: cuts files that it had open for
  // writing to their length in the image. Throws std::exception.
  virtual void cut_files(RankId /*rank*/) {}
  // About what it would take to another process, in bytes; asked by the rank itself in a balancing step. Cheap: it may
  // be some steps old.
  virtual std::uint64_t bytes_to_move(RankId /*rank*/, const void* /*stack_pointer*/) { return 0; }
  // Here, at the end: gives its memory back. The second one of a rank that only came through: it has not arrived.
  virtual void left(RankId /*rank*/) {}
  virtual void passed_on(RankId /*rank*/) {}

  // On the rank's fibre: memory of its own, which goes where it goes and which the program may free; null when there is
  // none. `alignment` is a power of two.
  virtual void* allocate(RankId rank, std::size_t alignment, std::size_t bytes);
  virtual void deallocate(RankId rank, void* memory);
};

// Runs a function as every rank, on stacks of its own: for tests and benchmarks.
class FunctionProgram final : public Program {
 public:
  // A body looks at its rank's world to see what was spawned.
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
