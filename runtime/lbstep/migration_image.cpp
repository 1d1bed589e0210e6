// Packs ranks for another process or a file, and installs them.
#include "runtime/lbstep/migration_image.hpp"

#include <sched.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <system_error>
#include <thread>

#include "base/check.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/control/rank.hpp"
#include "runtime/p2p/packing.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/setup/program.hpp"
#include "runtime/setup/upper_layer.hpp"
#include "runtime/sync/arrival.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

// What the runtime and the upper layer know of a rank.
struct RankImage {
  Rank& rank;
  UpperLayer* upper_layer;  // may be null
  Fiber::Saved fiber;
  std::uint32_t worker;  // the worker that it leaves, numbered through the job

  void pup(pup::Puper& p) {
    p.bytes(std::as_writable_bytes(std::span(&fiber, 1)));
    bool migratable = rank.migratable;
    std::uint32_t moves = rank.moves.load(std::memory_order_relaxed);
    p | worker | moves | rank.sent;
    rank.moves.store(moves, std::memory_order_relaxed);
    p | rank.load | rank.exit_code | rank.migrate_calls | rank.steps | rank.last_send_id | migratable |
        rank.wanted_worker | rank.recorded_calls;
    rank.migratable = migratable;
    pup::same_address(p, rank.call);
    pup_unexpected(p, rank);
    if (upper_layer != nullptr) {
      upper_layer->pup(rank, p);
    }
  }
};

std::uint32_t global_number(const JobContext& job, const Worker& worker) {
  return job.cluster.first_worker(job.cluster.self()) + number(worker.id());
}

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

struct RangeRead : net::Read {
  std::atomic<std::size_t>* missing = nullptr;
};

// Splits the range at huge pages, so that several threads can read it.
void add_reads(std::deque<RangeRead>& reads, const MemoryRange& range, ProcessId from,
               std::atomic<std::size_t>& missing) {
  const std::uint64_t end = range.address + range.bytes;
  for (std::uint64_t begin = range.address; begin < end;) {
    const std::uint64_t cut = std::min(end, (begin & ~(kHugePage - 1)) + kHugePage);
    RangeRead& read = reads.emplace_back();
    read.from = from;
    read.helped = false;
    read.address = reinterpret_cast<const void*>(begin);
    read.into = {reinterpret_cast<std::byte*>(begin), cut - begin};
    read.missing = &missing;
    read.finished = [](net::Read& done) {
      // Pairs with the acquire load in read_memory(): the ranks run only once all their memory is here.
      static_cast<RangeRead&>(done).missing->fetch_sub(1, std::memory_order_acq_rel);
    };
    begin = cut;
  }
}

// The reads for all these images.
std::deque<RangeRead> reads_of(std::span<const ReceivedImage> images, std::atomic<std::size_t>& missing) {
  std::deque<RangeRead> reads;
  for (const ReceivedImage& received : images) {
    for (const MemoryRange& range : received.image.memory) {
      prefer_huge_pages(range);
      add_reads(reads, range, received.from, missing);
    }
  }
  missing = reads.size();
  return reads;
}

// How many threads should read: for little data, a second thread would start only when everything has been read.
std::size_t readers_of(const std::deque<RangeRead>& reads, std::size_t cores) {
  constexpr std::size_t kMost = 4;
  constexpr std::size_t kEnough = std::size_t{4} << 20;  // bytes for each
  std::size_t bytes = 0;
  for (const RangeRead& read : reads) {
    bytes += read.into.size();
  }
  return std::min({cores, bytes / kEnough, kMost});
}

}  // namespace

void prefer_huge_pages(const MemoryRange& range) {
  const std::uint64_t begin = (range.address + kHugePage - 1) & ~(kHugePage - 1);
  const std::uint64_t end = (range.address + range.bytes) & ~(kHugePage - 1);
  if (end >= begin + 2 * kHugePage) {
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }
}

void make_present(std::span<std::byte> range) {
  const std::uint64_t page = 4096;
  const auto begin = reinterpret_cast<std::uint64_t>(range.data()) & ~(page - 1);
  const auto end = reinterpret_cast<std::uint64_t>(range.data() + range.size());
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);
}

// Reads everything into place, with several threads: the host's cores are free in a step, and besides the copy the
// system must fill each new page with zeroes. No core is left then for a worker of the other process to help
// (net::Read::helped).
void read_memory(const JobContext& job, std::span<const ReceivedImage> images) {
  std::atomic<std::size_t> missing = 0;
  std::deque<RangeRead> reads = reads_of(images, missing);
  std::atomic<std::size_t> next = 0;
  const auto read_some = [&] {
    for (std::size_t i = next++; i < reads.size(); i = next++) {
      make_present(reads[i].into);
      job.cluster.transport().read(reads[i]);
    }
  };
  const std::vector<std::uint32_t>& cores = job.config.host_cores;
  std::vector<std::jthread> helpers;
  const auto here = std::find(cores.begin(), cores.end(), static_cast<std::uint32_t>(sched_getcpu())) - cores.begin();
  for (std::size_t t = 1, readers = readers_of(reads, cores.size()); t < readers; ++t) {
    try {
      helpers.emplace_back([&, core = cores[(static_cast<std::size_t>(here) + t) % cores.size()]] {
        bind_this_thread(core);
        read_some();
      });
    } catch (const std::system_error&) {
      break;  // no thread to spare: fewer read
    }
  }
  read_some();
  // Pairs with the decrement of each read in add_reads(): what other threads have read is in place.
  while (missing.load(std::memory_order_acquire) != 0) {
    if (!job.cluster.poll()) {
      sched_yield();
    }
  }
}

std::vector<std::span<std::byte>> spans_of(const std::vector<MemoryRange>& memory) {
  std::vector<std::span<std::byte>> spans;
  for (const MemoryRange& range : memory) {
    spans.emplace_back(reinterpret_cast<std::byte*>(range.address), range.bytes);
  }
  return spans;
}

// The first item for the rank in its new worker's inbox. Until it is delivered the rank has no worker.
struct Installation : InboxItem {
  Rank* rank = nullptr;

  static void install(Worker& worker, InboxItem& item) {
    const std::unique_ptr<Installation> ends(static_cast<Installation*>(&item));
    Rank& rank = *ends->rank;
    arrive_at_worker(worker, rank);
  }
};

MigrationImage pack_rank(const JobContext& job, Rank& rank, bool with_memory) {
  MigrationImage image;
  image.rank = number(rank.id);
  if (with_memory) {
    for (const std::span<std::byte> memory : job.program.memory_of(rank.id, *rank.fiber.saved_context())) {
#if defined(__SANITIZE_ADDRESS__)
      // The transport reads the whole memory, including the red zones of the stack's frames.
      __asan_unpoison_memory_region(memory.data(), memory.size());
#endif
      image.memory.push_back({reinterpret_cast<std::uint64_t>(memory.data()), memory.size()});
    }
  }
  RankImage known{rank, job.upper_layer, rank.fiber.save(),
                  global_number(job, *rank.worker.load(std::memory_order_relaxed))};
  // The lock: unexpected messages are packed from, and unpacked into, envelopes of Remote::pool().
  {
    const std::lock_guard lock(job.cluster.pool_mutex);
    image.state = pup::pack(known);
  }
  if (job.upper_layer != nullptr) {
    job.upper_layer->forget(rank);
  }
  base::check(rank.registered_sends.empty() && rank.mailbox.posted() == 0, "a rank leaves nothing behind");
  rank.teams.clear();
  // Pairs with start_send() of other ranks: a sender that finds no worker sends to the process to which the rank moves.
  rank.worker.store(nullptr, std::memory_order_release);
  return image;
}

void resume_rank(const JobContext& job, Rank& rank, std::span<const std::byte> state, Worker& worker) {
  RankImage known{rank, job.upper_layer, {}, 0};
  {
    const std::lock_guard lock(job.cluster.pool_mutex);
    pup::unpack(state, known);
  }
  if (known.worker != global_number(job, worker)) {
    rank.count_move();
  }
  if (rank.wanted_worker >= job.cluster.worker_count()) {
    rank.wanted_worker = Rank::kAnyWorker;  // the image is of a job with more workers
  }
  rank.fiber.restore(known.fiber);
  rank.state = Rank::State::moving;
  auto installation = std::make_unique<Installation>();
  installation->rank = &rank;
  installation->deliver = &Installation::install;
  worker.inbox().push(*installation.release());
}

}  // namespace lbstep
}  // namespace weft::runtime
