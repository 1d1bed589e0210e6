// A job in one process: its workers, its ranks, their start and end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "lb/strategy.hpp"
#include "pup/pup.hpp"
#include "runtime/job/world.hpp"
#include "runtime/meter/load_clock.hpp"
#include "runtime/sched/rank.hpp"

namespace weft::runtime {

class Cluster;
class FolderLock;
class ContinuousBalancer;
class Timeline;

struct JobConfig {
  std::uint32_t ranks = 1;
  std::uint32_t spare = 0;  // how many more may be spawned, at any one time
  std::uint32_t workers = 1;
  bool idle_workers = false;  // start workers that have no rank at first, for those that may be spawned
  std::size_t stack_bytes = std::size_t{1} << 20;
  std::size_t eager_bytes = 16384;     // longer messages wait in the sender's buffer
  std::uint64_t unexpected_limit = 0;  // see UnexpectedMemory
  std::uint32_t spin_us = 50;          // how long an idle worker polls before it sleeps; 0 where workers share cores
  // What an idle worker polls in place of that while nobody else wants its core, where it would spare it the sleep.
  std::uint32_t idle_spin_us = 0;
  bool bind = true;    // each worker to a core of its own, where there are enough
  bool check = false;  // WEFT_CHECK: name unmatched messages and leaked handles at the end
  std::string lb = "none";
  std::vector<std::uint32_t> hosts;  // of each process, numbered in the order of their first; empty: all on one
  std::uint32_t host_of(std::uint32_t process) const { return hosts.empty() ? 0 : hosts[process]; }
  std::string checkpoint;  // a folder: where checkpoints go; empty: none but those that ranks ask for
  std::uint32_t checkpoint_every =
      0;                // a checkpoint at every so many migrate(); 0: when request_checkpoint() was called
  std::string restart;  // a folder: ranks go on from its checkpoint
  // Process 0's: of `checkpoint`, for the job's whole life; of `restart`, until all ranks have been read.
  std::shared_ptr<FolderLock> checkpoint_lock;
  std::shared_ptr<FolderLock> restart_lock;
  bool addresses_are_fixed = true;                  // the same in a later run, so that a checkpoint will be of use
  std::uint32_t lb_period = 1;                      // balance at every k-th migrate()
  bool share = false;                               // a worker gives ready ranks to one that has nothing to do
  std::uint32_t share_us = 20;                      // but only ranks that run so long at a time
  std::string lb_when = "every";                    // the k-th, or another rule of lb/when.hpp
  std::string lb_links = "measured";                // what messages cost (--lb-links)
  std::string lb_model = "last";                    // how lb/load_model.hpp predicts the next window
  std::string load_clock = "auto";                  // what segments are measured by (meter/load_clock.hpp)
  std::string lb_summary = "none";                  // of all balancing steps, at the end: none, line, table
  std::string lb_report;                            // a file for the report page; empty: none
  std::string trace;                                // a file for the timeline; empty: none
  std::string otf2;                                 // a folder for it as an OTF2 archive; empty: none
  std::size_t trace_bytes = std::size_t{16} << 20;  // of each worker's events, in memory
  bool ranks_may_leave = true;                      // their process; false where addresses differ between processes
  bool act_as_processes = false;  // tests: the layer above does everything as if ranks lived in several processes
  bool repack = false;            // tests: a rank's state is packed and unpacked whenever it moves
  std::vector<std::uint32_t> host_cores;  // those of all the job's processes of this host, which are free in a step
  std::uint64_t stack_guard = 0;          // the stack protector's value in threads that run ranks; 0: the system's
  std::function<void()> before_abort;     // flushes what ranks have printed; may run on any thread
  std::function<void(const Job&)>
      ranks_moved;  // from or to another process: on the main thread, before they go on here
  std::function<void(int code)> end_processes;  // the job's other ones, in an abort; may run on any thread
};

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
  // Whether the rank may have threads of its own; and the rank whose code lies at the address, none where that cannot
  // be told.
  virtual bool has_threads(RankId /*rank*/) const { return false; }
  virtual std::optional<RankId> rank_at(const void* /*code*/) const { return std::nullopt; }
  // Whether the number of a rank that has been released can be a new rank's.
  virtual bool vacant(RankId /*rank*/) const { return true; }

  // Equal in two processes where ranks can live on in the other: what it is made of, and at which addresses.
  virtual std::string fingerprint() const { return {}; }
  // A suspended rank's way to another process. Here: why it cannot leave (an open file), or null; good until it runs.
  virtual const char* pinned(RankId /*rank*/) { return nullptr; }
  // Here: all its memory. It goes to the same addresses there.
  virtual std::vector<std::span<std::byte>> memory_of(RankId /*rank*/, const void* /*stack_pointer*/) { return {}; }
  // There: makes the addresses usable; then the memory has come and the rank may run.
  virtual void make_room(RankId /*rank*/) {}
  virtual void arrived(RankId /*rank*/) {}
  // About what it would take to another process, in bytes; asked by the rank itself in a balancing step. Cheap: it may
  // be some steps old.
  virtual std::uint64_t bytes_to_move(RankId /*rank*/, const void* /*stack_pointer*/) { return 0; }
  // Here, at the end: gives its memory back.
  virtual void left(RankId /*rank*/) {}

  // On the rank's fibre: memory of its own, which goes where it goes and which the program may free; null when there is
  // none. `alignment` is a power of two.
  virtual void* allocate(RankId rank, std::size_t alignment, std::size_t bytes);
  virtual void deallocate(RankId rank, void* memory);
};

// The layer above the runtime: what hangs on Rank::client. Every call is made on the rank's fibre.
class Client {
 public:
  virtual ~Client() = default;
  virtual void begin(Rank& rank) = 0;               // before the program's first instruction
  virtual void end(Rank& rank, int exit_code) = 0;  // after its last
  // A communicator's name for a context number, for reports; any thread, while nothing runs.
  virtual std::string context_name(const Rank& rank, std::uint32_t context) const = 0;
  // Calls of the rank that have begun and go on behind requests, for reports: "MPI_Ibarrier on MPI_COMM_WORLD, …" or
  // nothing; any thread, while nothing runs.
  virtual std::string pending_calls(const Rank& /*rank*/) const { return {}; }
  // A move to another process: packs the state of a rank that is suspended in a balancing step; unpacking, makes it
  // anew on `rank`. Not on the rank's fibre.
  virtual void pup(Rank& /*rank*/, pup::Puper& /*p*/) {}
  // Why a rank that is suspended in a balancing step cannot be packed (until it has run again), or null.
  virtual const char* pinned(const Rank& /*rank*/) const { return nullptr; }
  // In a balancing step, on the rank's fibre: before it is suspended to move, and once it runs again where it lives
  // now. Both ways a move to another worker of the process, or to another process (whose Client is called after it).
  virtual void about_to_move(Rank& /*me*/, bool /*leaves_process*/) {}
  virtual void just_moved(Rank& /*me*/, bool /*new_process*/) {}
  // Context numbers from here on are in no use by this process; and none below is to be given out any more.
  virtual std::uint32_t contexts_used(const Job& /*job*/) const { return 0; }
  virtual void skip_contexts(const Job& /*job*/, std::uint32_t /*first*/) {}
  // What Cluster::activate() was given in another process; on whatever thread lets it arrive. Must not block or
  // suspend.
  virtual void active(Job& /*job*/, ProcessId /*from*/, std::span<const std::byte> /*text*/) {}
  // Ends the state of a rank that has been packed and lives elsewhere now.
  virtual void forget(Rank& /*rank*/) {}
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

// What a balancing step is for, beside what the job's configuration says.
struct StepOptions {
  bool balance = true;
  // A folder to write a checkpoint to. Lies in the rank's own memory: after the step nothing else of the caller's may
  // be used or given back.
  std::string_view checkpoint;
};

class Job {
 public:
  // `client` may be null; without `cluster` there is one process. All outlive the job. config.workers counts this
  // process's, config.ranks all ranks of the job. Throws std::invalid_argument, and what choose_load_clock()
  // does.
  Job(JobConfig config, Program& program, Client* client = nullptr, Cluster* cluster = nullptr);
  ~Job();

  // Runs all ranks to their end; the largest exit code of theirs, 0 to 255 as the system keeps them. When every rank is
  // blocked and nothing is under way it prints the deadlock report and ends the process with code 1.
  int run();

  const JobConfig& config() const { return config_; }
  std::uint32_t rank_count() const { return config_.ranks; }  // at the start
  // Those, and all that may be spawned: the numbers from rank_count() on.
  std::uint32_t universe() const { return config_.ranks + config_.spare; }
  Rank& rank(std::uint32_t number) const { return *ranks_[number]; }
  Worker& worker(std::uint32_t number) const { return *workers_[number]; }
  std::uint32_t worker_count() const { return config_.workers; }
  // How many of them would take a ready rank of another one, and how many ranks are to be given to a certain one.
  alignas(64) std::atomic<std::uint32_t> reasons_to_share = 0;
  Client* client() const { return client_; }

  // The job's processes, of which this is number process(). rank() knows the ranks of all of them; those that live
  // elsewhere have no worker here. Where a rank lives changes in balancing steps only; placement() counts those that
  // changed any rank's process.
  Cluster& cluster() const { return *cluster_; }
  std::uint32_t process_count() const;
  ProcessId process() const;
  static ProcessId process_of(const Rank& rank) { return rank.process; }
  std::uint32_t placement() const { return placement_.load(std::memory_order_acquire); }
  // Workers of all processes, and this one's among them.
  std::uint32_t total_workers() const;
  std::uint32_t global_number(const Worker& worker) const;
  // Whether ranks may be packed, here or into a checkpoint: then nothing that two of them share may be known to them
  // alone.
  bool may_pack_ranks() const {
    return spans_processes() || config_.repack || !config_.checkpoint.empty() || !config_.restart.empty();
  }
  // Whether ranks may live in several processes: then nobody may rely on shared memory for good.
  bool spans_processes() const { return process_count() > 1 || config_.act_as_processes; }

  Program& program() const { return program_; }
  const LoadClock& load_clock() const { return load_clock_; }
  // Null where nobody asked for one.
  Timeline* timeline() const { return timeline_.get(); }
  // Null where ranks change their workers in steps only.
  ContinuousBalancer* placing() const { return placing_.get(); }

  // Ends the process with `code` (never 0: what the system would keep as 0 becomes 1) after printing `message` and
  // flushing every rank's output. Any thread; the first that calls it is heard.
  [[noreturn]] void abort(int code, const std::string& message);

  // The balancing step: all ranks call it, with equal options. At the calls that the rule of `lb_when` names the
  // strategy decides and ranks move between workers. Returns true when the calling rank has moved; to another process,
  // perhaps: then `me`, and all else that is not the rank's own memory, is the past.
  bool migrate(Rank& me, const StepOptions& options = {});

 private:
  friend class Termination;
  friend class ContinuousBalancer;
  friend class Spawning;
  friend class Step;
  friend class StepTree;
  friend class Worker;
  struct State;
  void watch();  // on the main thread: ends, deadlocks
  void end_timeline();

  JobConfig config_;
  Program& program_;
  Client* client_;
  std::unique_ptr<Cluster> own_cluster_;  // of a job that was given none
  Cluster* cluster_;
  std::atomic<std::uint32_t> placement_ = 0;
  std::atomic<std::uint64_t> next_balance_ = 1;  // the call of migrate(); changes while all ranks are in one
  std::unique_ptr<Timeline> timeline_;
  const LoadClock load_clock_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<State> state_;
  std::unique_ptr<ContinuousBalancer> placing_;
};

// The rank whose fibre calls; null on other threads and stacks. Read anew after every suspension.
Rank* current_rank();

// Ends the calling rank's fibre with this exit code, from any depth of its stack.
[[noreturn]] void end_rank(Rank& me, int exit_code);

}  // namespace weft::runtime
