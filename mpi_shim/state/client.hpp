// The MPI layer as the runtime sees it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "mpi_shim/comm/comm_registry.hpp"
#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/comm/communicator_assembly.hpp"
#include "mpi_shim/dynamic/published_names.hpp"
#include "mpi_shim/io/posix_file.hpp"
#include "mpi_shim/rma/registry.hpp"
#include "mpi_shim/state/leak_report.hpp"
#include "runtime/job/job.hpp"

namespace weft::mpi_shim {

struct RankState;

// One for each job. Gives every rank its RankState, and looks at what a rank leaves behind.
class Client final : public runtime::Client {
 public:
  Client();
  ~Client() override;
  void begin(runtime::Rank& rank) override;
  // A rank that ends between MPI_Init and MPI_Finalize ends the job, with its exit code or 1 and a line that says so.
  // With JobConfig::check it notes the handles and messages that the rank leaves, for print_leak_report().
  void end(runtime::Rank& rank, int exit_code) override;
  std::uint32_t contexts_used(const runtime::Job& job) const override { return numbers_->used(job); }
  void skip_contexts(const runtime::Job& job, std::uint32_t first) override { numbers_->skip(job, first); }
  std::string context_name(const runtime::Rank& rank, std::uint32_t context) const override;
  std::string pending_calls(const runtime::Rank& rank) const override;
  void pup(runtime::Rank& rank, pup::Puper& p) override;
  void forget(runtime::Rank& rank) override;
  // A pending send whose payload does not lie in the rank's memory as it is sent: its receiver reads it where it is.
  const char* pinned(const runtime::Rank& rank) const override;
  void about_to_move(runtime::Rank& me, bool leaves_process) override;
  void just_moved(runtime::Rank& me, bool new_process) override;
  // Operations on windows, and published names.
  void active(runtime::Job& job, ProcessId from, std::span<const std::byte> text) override;

  // Says on standard error what ranks have left, once. REQUIRES: the job has ended here. The destructor does it too.
  void print_leak_report();

  // Of this process. Any thread.
  const std::shared_ptr<ContextNumbers>& numbers() const { return numbers_; }
  CommRegistry& registry() { return registry_; }
  CommunicatorAssemblies& communicator_assemblies() { return gatherings_; }
  rma::WindowRegistry& windows() { return windows_; }
  PublishedNames& published() { return published_; }
  io::OpenFiles& open_files() { return open_files_; }
  // What all ranks of the job are members of; no collective call can be made on it.
  const std::shared_ptr<const CommShared>& universe(const runtime::Job& job);
  // Holds the number of a communicator that exists already.
  std::shared_ptr<Context> lease_again(const runtime::Job& job, std::uint32_t context) const;

 private:
  std::shared_ptr<const CommShared> world_of(runtime::Job& job);

  const std::shared_ptr<ContextNumbers> numbers_ = std::make_shared<ContextNumbers>();
  CommRegistry registry_;
  CommunicatorAssemblies gatherings_;
  rma::WindowRegistry windows_;
  PublishedNames published_;
  io::OpenFiles open_files_;
  std::mutex mutex_;  // guards what follows
  std::shared_ptr<const CommShared> world_, universe_;
  LeftoverReport leftovers_;
  std::vector<std::unique_ptr<RankState>> unsettled_;  // of ended ranks: messages may come for their requests
};

// The client of a job whose ranks call MPI.
inline Client& client_of(const runtime::Job& job) { return static_cast<Client&>(*job.client()); }

inline std::unique_ptr<runtime::Client> make_client() { return std::make_unique<Client>(); }

}  // namespace weft::mpi_shim
