// The settings of a job.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/placement/rank_mapping.hpp"
#include "runtime/setup/resize_request.hpp"

namespace weft::bootstrap {
class FolderLock;
class NoticeConnection;
}  // namespace weft::bootstrap

namespace weft::runtime {
inline namespace job {
class Job;
}  // namespace job

inline namespace setup {

// How many ranks and workers there are, and where.
struct SizeConfig {
  std::uint32_t ranks = 1;
  std::uint32_t max_spawned = 0;  // how many more ranks may be spawned, at the same time
  std::uint32_t workers = 1;
  bool idle_workers = false;         // start workers that have no rank at first, for ranks that may be spawned
  std::vector<std::uint32_t> hosts;  // of each process, numbered in the order of their first process; empty: all on one
  placement::MappingPolicy mapping;  // which worker each rank starts on
  // for mapping: like hosts, but by the names that the user gave; empty: like hosts
  std::vector<std::uint32_t> named_hosts;
  placement::NextProcesses processes;  // the job's processes, for requests to change them
  std::uint32_t named_host_of(std::uint32_t process) const {
    return named_hosts.empty() ? host_of(process) : named_hosts[process];
  }
  std::uint32_t host_of(std::uint32_t process) const { return hosts.empty() ? 0 : hosts[process]; }
  bool has_several_hosts() const {
    return std::ranges::any_of(hosts, [](std::uint32_t host) { return host != 0; });
  }
  std::vector<std::uint32_t> host_cores;  // the cores of all the job's processes on this host, which are free in a step
};

// How workers run and what ranks run on.
struct WorkersConfig {
  std::size_t stack_bytes = std::size_t{1} << 20;
  std::uint64_t stack_guard = 0;  // the stack protector's value in threads that run ranks; 0: the system's
  std::uint32_t spin_us = 50;     // how long an idle worker polls before it sleeps; 0 where workers share cores
  // How long an idle worker polls instead of spin_us while nobody else wants its core and polling may save it a sleep.
  std::uint32_t idle_spin_us = 0;
  bool bind = true;                                  // each worker to its own core, where there are enough
  std::vector<std::vector<std::uint32_t>> bound_to;  // each worker's hardware threads; empty: by `bind`
  bool lb_continuous = false;                        // a worker gives ready ranks to an idle worker (--lb-continuous)
  std::uint32_t lb_continuous_us = 20;               // with it: only ranks that run at least this long at a time
  std::string load_clock = "auto";                   // what measures how much ranks compute (meter/load_clock.hpp)
};

// Messages between ranks.
struct MessagesConfig {
  std::size_t eager_bytes = 16384;     // longer messages stay in the sender's buffer until they are matched
  std::uint64_t unexpected_limit = 0;  // bytes kept of unexpected messages; 0: as p2p/unexpected_memory.hpp says
};

// The balancing step.
struct BalancingConfig {
  std::string lb = "none";               // the strategy that decides in a step (--lb)
  std::uint32_t lb_period = 1;           // balance at every k-th migrate()
  std::string lb_when = "every";         // which of them balance: "every" is the k-th, or another rule of lb/when.hpp
  std::string lb_calls = "MPI_Migrate";  // the calls in which ranks come to migrate(), for reports
  std::string lb_links = "measured";     // what messages cost (--lb-links)
  std::string lb_model = "last";         // how lb/load_model.hpp predicts the next LB interval
  std::string lb_summary = "none";       // of all balancing steps, at the end: none, line, table
  std::string lb_report;                 // a file for the report page; empty: none
  bool ranks_may_leave = true;           // their process; false where addresses differ between processes
  bool repack = false;                   // tests: a rank's state is packed and unpacked whenever it moves
};

struct CheckpointConfig {
  std::string checkpoint;  // the folder for checkpoints; empty: only checkpoints that ranks ask for are written
  // A checkpoint at every this many calls of migrate(), or at the first call after this many seconds. Both 0: after
  // each request_checkpoint().
  std::uint32_t checkpoint_every = 0;
  double checkpoint_seconds = 0;
  // Seconds that had passed since the last checkpoint when these processes were started (again, with --survive).
  std::uint32_t unsaved_seconds = 0;
  std::string restart;  // a folder: ranks continue from its checkpoint
  // Process 0's locks: of `checkpoint` for the job's whole life, of `restart` until all ranks have been read.
  std::shared_ptr<bootstrap::FolderLock> checkpoint_lock;
  std::shared_ptr<bootstrap::FolderLock> restart_lock;
  bool addresses_are_fixed = true;  // the same in a later run, so that it can use a checkpoint
};

// Images of all ranks in memory that outlives the processes. From them the launcher starts the job again when a process
// dies.
struct SurvivalConfig {
  std::optional<double> survive;           // seconds: at most one image in this time; nothing: no images
  std::array<std::string, 2> image_files;  // where images go alternately, in the format of CheckpointFiles
  std::uint32_t first_image = 0;           // which of image_files the first image goes to
  bool incremental = true;  // copies only what was written since the last image, where the kernel can tell
  // For a job that continues from such an image: the process that reads each of its files, which is on that file's
  // host; and the process in which each rank is to live. Empty: each process reads what its ranks need, and ranks live
  // as `mapping` says.
  std::vector<std::uint32_t> file_readers;
  std::vector<std::uint32_t> first_processes;
  // Independent of images: the connection on which the launcher reports the death of processes (--survive api); null
  // without.
  bootstrap::NoticeConnection* notices = nullptr;
  // Asks the launcher whether this image may be overwritten now, and waits for the answer. Process 0's, called on the
  // thread that decides the step. Null: it may.
  std::function<bool(std::uint32_t which)> may_write_image;
  // Likewise asks the launcher which hosts are to be evacuated (null: none), and whether the job can continue with
  // these processes now (null: it can). The second answer is empty, bootstrap::kHostsAreNotReady, or why it never can.
  std::function<std::vector<std::string>()> hosts_to_evacuate;
  std::function<std::string(const placement::NextProcesses&)> may_change;
  // Tells the launcher that this image, which step `step` has written, is complete, and to which folder of checkpoints
  // the launcher copies it while the ranks go on (empty: none). Called on process 0's main thread.
  std::function<void(std::uint32_t which, std::uint64_t step, const std::string& folder)> image_is_whole;
  // writes what ranks have printed before an image, so that it is not lost with the process
  std::function<void()> flush_output;
  std::function<void()> ranks_resumed;  // tells the launcher that all ranks continue from `restart`; process 0's
  // The processes that the job is to have from the next image on. Null: it cannot change them. Process 0's.
  std::shared_ptr<ResizeRequest> resize_request;
  // Why the job cannot have these processes; empty: it can. Set where resize_request is.
  std::function<std::string(const placement::NextProcesses&)> why_not_changed;
  // Asks the launcher to prepare the hosts of these processes; if empty, to keep only the present hosts. Any thread;
  // does not wait.
  std::function<void(const placement::NextProcesses&)> prepare_change;
  // Called after image_is_whole: ends this process and starts these processes. Does not return.
  std::function<void(const placement::NextProcesses&)> change_processes;
};

// What is checked and recorded.
struct TraceConfig {
  bool check = false;                               // WEFT_CHECK: name unmatched messages and leaked handles at the end
  bool keeps_requests = false;                      // also requests of sends that complete at once; set by the job
  std::string trace;                                // a file for the timeline; empty: none
  std::string otf2;                                 // a folder for it as an OTF2 archive; empty: none
  std::string record;                               // a folder for a recording for the simulator; empty: none
  std::vector<std::string> command;                 // the program and its arguments, then other programs after ":"
  std::size_t trace_bytes = std::size_t{16} << 20;  // of each worker's events, in memory
};

struct JobConfig : SizeConfig,
                   WorkersConfig,
                   MessagesConfig,
                   BalancingConfig,
                   CheckpointConfig,
                   SurvivalConfig,
                   TraceConfig {
  // True when calls of migrate() write checkpoints or images without a request by a rank.
  bool saves_ranks() const { return !checkpoint.empty() || survive; }

  // The upper layer acts as if ranks lived in several processes: for tests and --survive api.
  bool act_as_processes = false;
  std::function<void()> before_abort;  // writes what ranks have printed; may run on any thread
  // Called on the main thread when ranks have come from or gone to another process, before they run here.
  std::function<void(const Job&)> ranks_moved;
  std::function<void(int code)> end_processes;  // ends the job's other processes in an abort; may run on any thread
};

}  // namespace setup
}  // namespace weft::runtime
