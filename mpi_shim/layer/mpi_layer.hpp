// The MPI layer as the runtime calls it when a rank begins, ends or moves. It depends on all other folders of mpi_shim:
// the tables in mpi_layer.cpp list what each folder keeps for a rank and for a process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "mpi_shim/state/leak_report.hpp"
#include "mpi_shim/state/process_state.hpp"

namespace weft::mpi_shim {
inline namespace state {
struct RankState;
}  // namespace state

inline namespace layer {

// One for each job. Creates the RankState of every rank, and looks for leaks at the rank's end.
class MpiLayer final : public ProcessState {
 public:
  // Without `sites` leak reports name no places.
  explicit MpiLayer(std::unique_ptr<CallSites> sites = nullptr);
  ~MpiLayer() override;
  void begin(runtime::Rank& rank) override;
  // A rank that ends between MPI_Init and MPI_Finalize ends the job, with its exit code or 1 and a line that says so.
  // With JobConfig::check it adds the rank's leaks to leaks().
  void end(runtime::Rank& rank, int exit_code) override;
  std::uint32_t first_unused_context(const runtime::Job& job) const override;
  void skip_contexts(const runtime::Job& job, std::uint32_t first) override;
  std::string context_name(const runtime::Rank& rank, std::uint32_t context) const override;
  std::optional<std::int32_t> program_tag(const runtime::MatchKey& key) const override;
  std::vector<std::string> call_places(std::span<const runtime::Rank* const> suspended) const override;
  std::string pending_calls(const runtime::Rank& rank) const override;
  void pup(runtime::Rank& rank, pup::Puper& p) override;
  void forget(runtime::Rank& rank) override;
  std::string roll_back(runtime::Rank& rank, bool cut) override;
  // One reason among others: a pending send whose receiver reads the payload where it lies, outside of the rank's
  // memory.
  const char* why_pinned(const runtime::Rank& rank) const override;
  void about_to_move(runtime::Rank& me, bool leaves_process) override;
  void just_moved(runtime::Rank& me, bool new_process) override;
  void enable_thread_calls() override;
  void note_death(runtime::Job& job, ProcessId process, std::uint32_t notice) override;
  void note_revocation(runtime::Job& job, std::uint32_t context, std::uint32_t notice) override;
  runtime::Failure receive_failure(const runtime::Rank& rank, const runtime::MatchKey& pattern) const override;
  runtime::Failure message_failure(runtime::Job& job, const runtime::MatchKey& key,
                                   std::uint32_t notices) const override;
  void give_up_matched(runtime::Rank& rank, runtime::Worker& here, std::uint32_t notices) override;
  // Handles messages about windows and published names.
  void on_active_message(runtime::Job& job, ProcessId from, std::span<const std::byte> text) override;

  // The leaks of the ranks that ended in this process. REQUIRES: the job has ended here.
  LeakReport& leaks() { return leaks_; }

 private:
  std::mutex mutex_;  // guards what follows
  LeakReport leaks_;
  std::vector<std::unique_ptr<RankState>> unsettled_;  // of ended ranks: messages may still arrive for their requests
};

inline std::unique_ptr<runtime::UpperLayer> make_mpi_layer() { return std::make_unique<MpiLayer>(); }

}  // namespace layer
}  // namespace weft::mpi_shim
