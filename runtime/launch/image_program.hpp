// Runs a user's program, through the image loader, as the ranks of a job.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/image/program.hpp"
#include "runtime/job/job.hpp"
#include "runtime/output/output.hpp"

namespace weft::runtime {

// One at a time in a process: the ranks' calls to their host carry no context.
class ImageProgram final : public Program {
 public:
  // `arguments` begin with the program's name. All three references outlive the object.
  ImageProgram(image::Program& program, const image::Region& region, Output& output,
               std::vector<std::string> arguments);
  ~ImageProgram() override;

  std::span<std::byte> prepare(RankId rank) override;
  int main(Rank& rank) override;
  // Keeps the memory of a rank that may have left threads behind: they run on until the process ends.
  void release(RankId rank) override;

  std::string fingerprint() const override { return program_.fingerprint(); }
  const char* pinned(RankId rank) override;
  std::vector<std::span<std::byte>> memory_of(RankId rank, const void* stack_pointer) override;
  std::uint64_t bytes_to_move(RankId rank, const void* stack_pointer) override;
  void make_room(RankId rank) override;
  void arrived(RankId rank) override;
  void left(RankId rank) override;
  void* allocate(RankId rank, std::size_t alignment, std::size_t bytes) override;
  void deallocate(RankId rank, void* memory) override;

  // After the last rank has ended: whether the region and this object must stay until the process ends.
  [[nodiscard]] bool left_threads() const { return left_threads_.load(std::memory_order_relaxed); }

  // Keeps what the ranks never used out of a core file, which would else be terabytes; if that cannot be, there will be
  // no core file. Safe in a signal handler.
  void shorten_core() const noexcept;

  // The rank that runs on the calling thread or, for a thread that a rank started, the rank whose slot holds `address`.
  [[nodiscard]] std::uint32_t rank_of_caller(const void* address) const;
  [[nodiscard]] Output& output() const { return output_; }

 private:
  image::RankInfo info_of(RankId rank) const;
  void note_placed(RankId rank, bool placed);

  image::Program& program_;
  const image::Region& region_;
  Output& output_;
  std::vector<std::string> arguments_;
  std::vector<const char*> argv_;  // of arguments_, with a null at the end
  // By rank: bytes_to_move() as it was last counted, and how often it has been asked.
  struct Size {
    std::uint64_t bytes = 0;
    std::uint32_t asked = 0;
  };
  std::vector<Size> sizes_;
  std::vector<std::atomic<bool>> placed_;  // by rank: its slot holds the program
  std::atomic<bool> left_threads_ = false;
};

}  // namespace weft::runtime
