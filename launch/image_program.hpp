// Runs a user's program, through the image loader, as the ranks of a job.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/move_size.hpp"
#include "launch/rank_signals.hpp"
#include "runtime/image/program.hpp"
#include "runtime/job/job.hpp"
#include "runtime/output/output.hpp"

namespace weft::launch {

// One at a time in a process: the calls from ranks to their host carry no context.
class ImageProgram final : public runtime::Program {
 public:
  // Loads a program that is to be spawned. Throws std::exception.
  using Loader = std::function<std::unique_ptr<image::Program>(const std::string& path)>;

  // `arguments` begin with the program's name. The referenced objects outlive this one.
  ImageProgram(image::Program& program, const image::Region& region, runtime::Output& output,
               std::vector<std::string> arguments);
  ~ImageProgram() override;
  // Sets what loads programs that ranks spawn. `path` is the first program's. Call it before any rank runs.
  void set_loader(const std::string& path, Loader loader);

  std::span<std::byte> prepare(RankId rank) override;
  int main(runtime::Rank& rank) override;
  // Keeps the memory of a rank that may have left threads behind: these run until the process ends.
  void release(RankId rank) override;
  void load(const runtime::Application& application, std::span<const RankId> ranks) override;
  // False where release() has kept the memory. Called after release(), on the same thread. Pairs with note_placed().
  bool can_reuse_number(RankId rank) const override { return !placed_[number(rank)].load(std::memory_order_acquire); }

  std::string fingerprint() const override;
  const char* why_pinned(RankId rank, bool several_hosts) override;
  std::vector<std::span<std::byte>> memory_of(RankId rank, const void* stack_pointer) override;
  std::span<std::byte> addresses_of(RankId rank) override;
  std::uint64_t bytes_to_move(RankId rank, const void* stack_pointer) override;
  void make_room(RankId rank) override;
  void finish_arrival(RankId rank, bool from_image) override;
  void truncate_files(RankId rank) override;
  void finish_departure(RankId rank) override;
  void release_forwarded(RankId rank) override;
  void begin_thread() override;
  bool has_threads(RankId rank) const override;
  std::optional<RankId> rank_at(const void* code) const override;
  void* allocate(RankId rank, std::size_t alignment, std::size_t bytes) override;
  void deallocate(RankId rank, void* memory) override;
  void print(RankId rank, std::string_view line) override;

  // To be called on a thread that the rank has started.
  void adopt_thread(RankId rank) const;
  // Async-signal-safe.
  std::span<std::byte> stack_of(RankId rank) const { return program_of(rank).stack(region_.slot(number(rank))); }
  // See image::written_bytes(). On any thread.
  std::optional<std::uint64_t> written_bytes(RankId rank) const;
  // Tells the runtime that a signal handler of the rank has run: ends the rank's sleep. Async-signal-safe.
  void interrupt(RankId rank) const;
  [[nodiscard]] RankSignals& signals() { return signals_; }

  // After the last rank has ended: whether the region and this object must stay until the process ends.
  [[nodiscard]] bool has_left_threads() const { return left_threads_.load(std::memory_order_relaxed); }

  // Seconds from the beginning of the first rank in this process to the end of the last one, without the start and the
  // end of the job; 0 where none has ended.
  [[nodiscard]] double seconds_of_ranks() const;

  // Keeps memory that the ranks never used out of a core file, which would otherwise have terabytes. If that cannot be
  // done, there will be no core file. Async-signal-safe.
  void shorten_core() const noexcept;

  // Whether a stack pointer is below the rank's slot, but no further than a local array could have moved it.
  // Async-signal-safe.
  [[nodiscard]] bool is_below(RankId rank, std::uintptr_t stack_pointer) const noexcept;

  // The rank that runs on the calling thread. For a thread that a rank has started: the rank whose slot holds
  // `address`.
  [[nodiscard]] std::uint32_t rank_of_caller(const void* address) const;
  [[nodiscard]] runtime::Output& output() const { return output_; }
  // Called when the job aborts: writes the ranks' buffered output, and what the calling rank has begun to print.
  void flush_at_abort() const;

 private:
  // Writes what the calling rank's own streams have buffered. Leaves out a rank with threads: one of these may hold the
  // locks of the streams for any time.
  void flush_streams(RankId rank) const;

  struct Command {
    explicit Command(std::vector<std::string> words);
    std::vector<std::string> arguments;
    std::vector<const char*> argv;  // points to the arguments; ends with a null pointer
  };
  // What a rank runs.
  struct Task {
    image::Program* program;
    const Command* command;
  };

  image::RankInfo info_of(RankId rank) const;
  void note_placed(RankId rank, bool placed);
  image::Program& program_of(RankId rank) const { return *tasks_[number(rank)].program; }
  image::Program& loaded(const std::string& path);

  image::Program& program_;
  const image::Region& region_;
  runtime::Output& output_;
  std::deque<Command> commands_;  // elements are never removed: tasks_ points to them
  std::vector<Task> tasks_;       // by rank; written before it starts
  // The next four are used by the main thread only.
  Loader loader_;
  std::string first_path_;
  std::map<std::string, image::Program*> programs_;  // by path
  std::vector<std::unique_ptr<image::Program>> spawned_;
  std::vector<MoveSize> sizes_;            // by rank; each is used by its rank only
  RankSignals signals_;                    // thread-safe
  std::vector<std::atomic<bool>> placed_;  // by rank: its slot holds the program
  std::atomic<bool> left_threads_ = false;
  std::atomic<runtime::Job*> job_ = nullptr;             // once a rank runs
  std::atomic<std::uint64_t> first_began_ = UINT64_MAX;  // ticks
  std::atomic<std::uint64_t> last_ended_ = 0;
};

}  // namespace weft::launch
