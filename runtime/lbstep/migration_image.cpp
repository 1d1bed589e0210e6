// What of a rank goes to another process or to a file, and how it is taken in.
#include "runtime/lbstep/migration_image.hpp"

#include <sched.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include <algorithm>
#include <cstdio>
#include <deque>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "base/check.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/lbstep/step.hpp"
#include "runtime/p2p/carry.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
namespace {

constexpr ProcessId kFirst{};

// What the runtime and the layer above know of a rank.
struct RankImage {
  Rank& rank;
  Fiber::Saved fiber;

  void pup(pup::Puper& p) {
    p.bytes(std::as_writable_bytes(std::span(&fiber, 1)));
    bool migratable = rank.migratable;
    p | rank.load | rank.exit_code | rank.migrate_calls | rank.steps | rank.last_send_id | migratable |
        rank.wanted_worker;
    rank.migratable = migratable;
    pup::same_address(p, rank.call);
    pup_unexpected(p, rank);
    if (Client* const client = rank.job.client(); client != nullptr) {
      client->pup(rank, p);
    }
  }
};

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

// Long ranges are all in use, so huge pages waste nothing there; page by page, faults would take longer than the
// copy.
void prefer_huge_pages(const MemoryRange& range) {
  const std::uint64_t begin = (range.address + kHugePage - 1) & ~(kHugePage - 1);
  const std::uint64_t end = (range.address + range.bytes) & ~(kHugePage - 1);
  if (end >= begin + 2 * kHugePage) {
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }
}

struct Part : net::Read {
  std::atomic<std::size_t>* missing = nullptr;
};

// What is to be read, cut at huge pages so that several threads may take it.
std::deque<Part> parts_of(const std::vector<MemoryRange>& memory, ProcessId from, std::atomic<std::size_t>& missing) {
  std::deque<Part> parts;
  for (const MemoryRange& range : memory) {
    prefer_huge_pages(range);
    const std::uint64_t end = range.address + range.bytes;
    for (std::uint64_t begin = range.address; begin < end;) {
      const std::uint64_t cut = std::min(end, (begin & ~(kHugePage - 1)) + kHugePage);
      Part& part = parts.emplace_back();
      part.from = from;
      part.helped = false;
      part.address = reinterpret_cast<const void*>(begin);
      part.into = {reinterpret_cast<std::byte*>(begin), cut - begin};
      part.missing = &missing;
      part.finished = [](net::Read& read) {
        static_cast<Part&>(read).missing->fetch_sub(1, std::memory_order_acq_rel);
      };
      begin = cut;
    }
  }
  missing = parts.size();
  return parts;
}

// Reads them all into place. The host's cores are free in a step, and the system fills new pages with zeroes first: two
// or more threads are that much faster; they leave no core to a helper.
void read_memory(Job& job, ProcessId from, const std::vector<MemoryRange>& memory) {
  constexpr std::size_t kMostThreads = 4;
  std::atomic<std::size_t> missing = 0;
  std::deque<Part> parts = parts_of(memory, from, missing);
  std::atomic<std::size_t> next = 0;
  const auto read_some = [&] {
    for (std::size_t i = next++; i < parts.size(); i = next++) {
      job.cluster().transport().read(parts[i]);
    }
  };
  const std::vector<std::uint32_t>& cores = job.config().host_cores;
  std::vector<std::jthread> helpers;
  const auto here = std::find(cores.begin(), cores.end(), static_cast<std::uint32_t>(sched_getcpu())) - cores.begin();
  for (std::size_t t = 1; t < std::min({cores.size(), parts.size() / 2, kMostThreads}); ++t) {
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
  while (missing.load(std::memory_order_acquire) != 0) {
    if (!job.cluster().poll()) {
      sched_yield();
    }
  }
}

}  // namespace

std::vector<std::span<std::byte>> spans_of(const std::vector<MemoryRange>& memory) {
  std::vector<std::span<std::byte>> spans;
  for (const MemoryRange& range : memory) {
    spans.emplace_back(reinterpret_cast<std::byte*>(range.address), range.bytes);
  }
  return spans;
}

// Becomes the rank's first doing in its new place, on its worker.
struct Step::Installation : InboxItem {
  Rank* rank = nullptr;

  static void land(Worker& worker, InboxItem& item) {
    const std::unique_ptr<Installation> ends(static_cast<Installation*>(&item));
    Rank& rank = *ends->rank;
    arrive_at_worker(worker, rank);
  }
};

// The rank is nowhere afterwards but for its memory.
MigrationImage Step::pack(Rank& rank) {
  Job& job = cluster_.job();
  MigrationImage image;
  image.rank = number(rank.id);
  if (!checkpoint_.empty() || rank.process != cluster_.self()) {
    for (const std::span<std::byte> memory : job.program().memory_of(rank.id, *rank.fiber.saved_context())) {
#if defined(__SANITIZE_ADDRESS__)
      // The transport reads it whole, across the red zones of the stack's frames.
      __asan_unpoison_memory_region(memory.data(), memory.size());
#endif
      image.memory.push_back({reinterpret_cast<std::uint64_t>(memory.data()), memory.size()});
    }
  }
  RankImage known{rank, rank.fiber.save()};
  {
    const std::lock_guard lock(cluster_.pool_mutex);
    image.state = pup::pack(known);
  }
  if (Client* const client = job.client(); client != nullptr) {
    client->forget(rank);
  }
  base::check(rank.registered_sends.empty() && rank.mailbox.posted() == 0, "a rank leaves nothing behind");
  rank.teams.clear();
  rank.worker.store(nullptr, std::memory_order_release);
  return image;
}

void Step::resume(Rank& rank, std::span<const std::byte> state, Worker& worker) {
  RankImage known{rank, {}};
  {
    const std::lock_guard lock(cluster_.pool_mutex);
    pup::unpack(state, known);
  }
  rank.fiber.restore(known.fiber);
  rank.state = Rank::State::moving;
  auto landing = std::make_unique<Installation>();
  landing->rank = &rank;
  landing->deliver = &Installation::land;
  worker.inbox().push(*landing.release());
}

void Step::send(Rank& rank) { control_.send_control(rank.process, pack(rank)); }

void Step::install(const MigrationImage& image, ProcessId from) {
  Job& job = cluster_.job();
  Rank& rank = job.rank(image.rank);
  if (from != cluster_.self()) {
    job.program().make_room(rank.id);
    read_memory(job, from, image.memory);
    job.program().arrived(rank.id);
    control_.send_control(from, RankInstalled{image.rank});
  }
  std::uint32_t worker = 0;
  {
    const Guard guard(*this);
    worker = planned_[image.rank] - cluster_.first_worker(cluster_.self());
  }
  resume(rank, image.state, job.worker(worker));
}

void Step::save(Rank& rank) {
  saved_.push_back(&rank);
  if (saved_.size() == cluster_.job().state_->live_ranks.load()) {
    save_all();
  }
}

// What goes wrong is told to process 0; the ranks go on all the same.
void Step::save_all() {
  Job& job = cluster_.job();
  CheckpointPart part;
  std::unique_ptr<CheckpointWriter> writer;
  const auto attempt = [&](const auto& action) {
    try {
      if (part.failure.empty()) {
        action();
      }
    } catch (const std::exception& error) {
      part.failure = error.what();
    }
  };
  attempt(
      [&] { writer = std::make_unique<CheckpointWriter>(checkpoint_, steps_, number(cluster_.self()), ram_files_); });
  for (Rank* const rank : std::exchange(saved_, {})) {
    Worker& home = *rank->worker.load(std::memory_order_relaxed);
    MigrationImage image = pack(*rank);
    attempt([&] { part.entries.push_back(writer->add(image.rank, pup::pack(image), spans_of(image.memory))); });
    resume(*rank, image.state, home);
  }
  attempt([&] { writer->close(); });
  part.first_context = job.client() == nullptr ? 0 : job.client()->contexts_used(job);
  control_.send_control(kFirst, std::move(part));
  part_done();
}

void Step::restore() {
  Job& job = cluster_.job();
  try {
    const CheckpointReader reader(job.config().restart);
    const Guard guard(*this);
    steps_ = reader.index().steps;
    barrier_.go_on_from(2 * steps_ - 1);
    unfinished_.store(job.state_->live_ranks.load());
    if (job.client() != nullptr) {
      job.client()->skip_contexts(job, reader.index().first_context);
    }
    for (std::uint32_t r = 0; r < job.rank_count(); ++r) {
      Rank& rank = job.rank(r);
      Worker* const home = rank.worker.load(std::memory_order_relaxed);
      if (home == nullptr) {
        continue;
      }
      const CheckpointEntry& entry = reader.entry(r);
      MigrationImage image;
      pup::unpack(reader.parcel(entry), image);
      job.program().make_room(rank.id);
      reader.memory(entry, spans_of(image.memory));
      job.program().arrived(rank.id);
      rank.worker.store(nullptr, std::memory_order_relaxed);
      resume(rank, image.state, *home);
    }
  } catch (const std::exception& error) {
    job.abort(1, std::string("weftrun: ") + error.what());
  }
  if (job.state_->live_ranks == 0) {
    control_.send_control(kFirst, MovesDone{});
  }
}

}  // namespace weft::runtime
