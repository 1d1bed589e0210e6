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
  std::uint32_t spare = 0;  // how many more may be spawned, at any one time
  std::uint32_t workers = 1;
  bool idle_workers = false;               // start workers that have no rank at first, for those that may be spawned
  std::vector<std::uint32_t> hosts;        // of each process, numbered in the order of their first; empty: all on one
  placement::MappingPolicy mapping;        // which worker each rank starts on
  std::vector<std::uint32_t> named_hosts;  // for that: as hosts, by the names that the user gave; empty: as hosts
  placement::NextProcesses processes;      // those that there are, for requests to change them
  std::uint32_t named_host_of(std::uint32_t process) const {
    return named_hosts.empty() ? host_of(process) : named_hosts[process];
  }
  std::uint32_t host_of(std::uint32_t process) const { return hosts.empty() ? 0 : hosts[process]; }
  bool has_several_hosts() const {
    return std::ranges::any_of(hosts, [](std::uint32_t host) { return host != 0; });
  }
  std::vector<std::uint32_t> host_cores;  // those of all the job's processes of this host, which are free in a step
};

// How workers run and what ranks run on.
struct WorkersConfig {
  std::size_t stack_bytes = std::size_t{1} << 20;
  std::uint64_t stack_guard = 0;  // the stack protector's value in threads that run ranks; 0: the system's
  std::uint32_t spin_us = 50;     // how long an idle worker polls before it sleeps; 0 where workers share cores
  // What an idle worker polls in place of that while nobody else wants its core, where it would spare it the sleep.
  std::uint32_t idle_spin_us = 0;
  bool bind = true;                                  // each worker to a core of its own, where there are enough
  std::vector<std::vector<std::uint32_t>> bound_to;  // each worker's hardware threads; empty: by `bind`
  bool share = false;                                // a worker gives ready ranks to one that has nothing to do
  std::uint32_t share_us = 20;                       // but only ranks that run so long at a time
  std::string load_clock = "auto";                   // what segments are measured by (meter/load_clock.hpp)
};

// Messages between ranks.
struct MessagesConfig {
  std::size_t eager_bytes = 16384;     // longer messages wait in the sender's buffer
  std::uint64_t unexpected_limit = 0;  // see UnexpectedMemory
};

// The balancing step.
struct BalancingConfig {
  std::string lb = "none";
  std::uint32_t lb_period = 1;           // balance at every k-th migrate()
  std::string lb_when = "every";         // the k-th, or another rule of lb/when.hpp
  std::string lb_calls = "MPI_Migrate";  // in which ranks come to migrate(), for reports
  std::string lb_links = "measured";     // what messages cost (--lb-links)
  std::string lb_model = "last";         // how lb/load_model.hpp predicts the next LB interval
  std::string lb_summary = "none";       // of all balancing steps, at the end: none, line, table
  std::string lb_report;                 // a file for the report page; empty: none
  bool ranks_may_leave = true;           // their process; false where addresses differ between processes
  bool repack = false;                   // tests: a rank's state is packed and unpacked whenever it moves
};

struct CheckpointConfig {
  std::string checkpoint;  // a folder: where checkpoints go; empty: none but those that ranks ask for
  // A checkpoint at every so many migrate(), or after so many seconds at the next one; both 0: when
  // request_checkpoint() was called.
  std::uint32_t checkpoint_every = 0;
  double checkpoint_seconds = 0;
  std::uint32_t unsaved_seconds = 0;  // that an earlier start of the job's processes has had since the last one
  std::string restart;                // a folder: ranks go on from its checkpoint
  // Process 0's: of `checkpoint`, for the job's whole life; of `restart`, until all ranks have been read.
  std::shared_ptr<bootstrap::FolderLock> checkpoint_lock;
  std::shared_ptr<bootstrap::FolderLock> restart_lock;
  bool addresses_are_fixed = true;  // the same in a later run, so that a checkpoint will be of use
};

// Images of all ranks in memory that outlives the processes, from which the launcher starts the job again when one
// dies.
struct SurvivalConfig {
  std::optional<double> survive;           // seconds: at most one image in so long; nothing: none
  std::array<std::string, 2> image_files;  // where they go in turn, as CheckpointFiles has it
  std::uint32_t first_image = 0;           // which of them the first one goes to
  bool incremental = true;                 // copies only what was written since, where the kernel tells
  // Of a job that goes on from such an image: the process that reads each of its files, which is on that one's host;
  // and the process that each rank is to live in. Empty: each reads what its ranks need, which live by `mapping`.
  std::vector<std::uint32_t> file_readers;
  std::vector<std::uint32_t> first_processes;
  // Beside all that, or alone: where the launcher says which processes have died (--survive api); null without.
  bootstrap::NoticeConnection* notices = nullptr;
  // Asks the launcher whether this one may be written over now, and waits for the answer: process 0's, on whatever
  // thread decides the step. Null: it may.
  std::function<bool(std::uint32_t which)> may_write_image;
  // Asks the launcher likewise which hosts want to be left (null: none), and whether the job can go on with these
  // processes now (null: it can): the answer is empty, bootstrap::kHostsAreNotReady,
  // or why it never can.
  std::function<std::vector<std::string>()> leaving_hosts;
  std::function<std::string(const placement::NextProcesses&)> may_change;
  // Tells the launcher that the one there is whole, which this step has written, and the folder of checkpoints that it
  // has to bring it to while the ranks go on (empty: none): process 0's main thread.
  std::function<void(std::uint32_t which, std::uint64_t step, const std::string& folder)> image_is_whole;
  std::function<void()> flush_output;   // what ranks have printed before an image is not lost with the process
  std::function<void()> ranks_resumed;  // tells the launcher that all ranks go on from `restart`: process 0's
  // Which processes the job is to have from the next image on; null: it cannot change them. Process 0's.
  std::shared_ptr<ResizeRequest> resize_request;
  // Why the job cannot have these; empty: it can. Set where resize_request is.
  std::function<std::string(const placement::NextProcesses&)> why_not_changed;
  // Has the launcher make hosts ready for these, or for none but those that there are. Any thread; does not wait.
  std::function<void(const placement::NextProcesses&)> prepare_change;
  // After image_is_whole: ends this process and starts these. Does not return.
  std::function<void(const placement::NextProcesses&)> change_processes;
};

// What is checked and recorded.
struct TraceConfig {
  bool check = false;                               // WEFT_CHECK: name unmatched messages and leaked handles at the end
  bool keeps_requests = false;                      // also of sends that are complete at once; filled in by the job
  std::string trace;                                // a file for the timeline; empty: none
  std::string otf2;                                 // a folder for it as an OTF2 archive; empty: none
  std::string record;                               // a folder for a recording for the simulator; empty: none
  std::vector<std::string> command;                 // the program and its arguments; behind ":" others
  std::size_t trace_bytes = std::size_t{16} << 20;  // of each worker's events, in memory
};

struct JobConfig : SizeConfig,
                   WorkersConfig,
                   MessagesConfig,
                   BalancingConfig,
                   CheckpointConfig,
                   SurvivalConfig,
                   TraceConfig {
  // At a call of migrate(), without being asked by a rank.
  bool saves_ranks() const { return !checkpoint.empty() || survive; }

  // The layer above does everything as if ranks lived in several processes: for tests and --survive api.
  bool act_as_processes = false;
  std::function<void()> before_abort;  // flushes what ranks have printed; may run on any thread
  // Ranks have come from or gone to another process: on the main thread, before they go on here.
  std::function<void(const Job&)> ranks_moved;
  std::function<void(int code)> end_processes;  // the job's other ones, in an abort; may run on any thread
};

}  // namespace setup
}  // namespace weft::runtime
