// A rank on its way to another process: what is sent, and how it is taken in.
#include <sched.h>

#include <utility>

#include "base/check.hpp"
#include "runtime/cluster/step.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/message/carry.hpp"
#include "runtime/worker/worker.hpp"

namespace weft::runtime {
namespace {

// A stretch of the rank's memory, at the same address in both processes.
struct Stretch {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  void pup(pup::Puper& p) { p | address | bytes; }
};

struct Parcel {
  std::uint32_t rank = 0;
  std::vector<Stretch> memory;
  std::vector<std::byte> state;
  void pup(pup::Puper& p) { p | rank | memory | state; }
};

// What the runtime and the layer above know of a rank.
struct RankImage {
  Rank& rank;
  Fiber::Saved fiber;

  void pup(pup::Puper& p) {
    p.bytes(std::as_writable_bytes(std::span(&fiber, 1)));
    p | rank.load | rank.exit_code | rank.migrate_calls | rank.last_send_id | rank.migratable | rank.wanted_worker;
    pup::same_address(p, rank.call);
    pup_unexpected(p, rank);
    if (Client* const client = rank.job.client(); client != nullptr) {
      client->pup(rank, p);
    }
  }
};

// Reads them all into place, many at a time.
void read_memory(Cluster& cluster, ProcessId from, const std::vector<Stretch>& memory) {
  struct Part : net::Read {
    std::atomic<std::size_t>* missing = nullptr;
  };
  std::atomic<std::size_t> missing = memory.size();
  std::vector<Part> parts(memory.size());
  for (std::size_t i = 0; i < memory.size(); ++i) {
    auto* const address = reinterpret_cast<std::byte*>(memory[i].address);
    parts[i].from = from;
    parts[i].address = address;
    parts[i].into = {address, memory[i].bytes};
    parts[i].missing = &missing;
    parts[i].finished = [](net::Read& read) {
      static_cast<Part&>(read).missing->fetch_sub(1, std::memory_order_acq_rel);
    };
    cluster.transport().read(parts[i]);
  }
  while (missing.load(std::memory_order_acquire) != 0) {
    if (!cluster.poll()) {
      sched_yield();
    }
  }
}

}  // namespace

// Becomes the rank's first doing in its new process, on its new worker.
struct Step::Landing : InboxItem {
  Rank* rank = nullptr;

  static void land(Worker& worker, InboxItem& item) {
    const std::unique_ptr<Landing> ends(static_cast<Landing*>(&item));
    Rank& rank = *ends->rank;
    rank.worker_number = number(worker.id());
    rank.worker.store(&worker, std::memory_order_release);
    for (Team* team : rank.teams) {
      team->joins(worker);
    }
    worker.make_ready(rank);
  }
};

void Step::pack(Rank& rank) {
  Job& job = cluster_.job();
  Parcel parcel;
  parcel.rank = number(rank.id);
  for (const std::span<std::byte> memory : job.program().memory_of(rank.id, *rank.fiber.saved_context())) {
    parcel.memory.push_back({reinterpret_cast<std::uint64_t>(memory.data()), memory.size()});
  }
  RankImage image{rank, rank.fiber.save()};
  {
    const std::lock_guard lock(cluster_.pool_mutex);
    parcel.state = pup::pack(image);
  }
  if (Client* const client = job.client(); client != nullptr) {
    client->forget(rank);
  }
  base::check(rank.named_sends.empty() && rank.mailbox.posted() == 0, "a rank leaves nothing behind");
  rank.teams.clear();
  rank.worker.store(nullptr, std::memory_order_release);
  cluster_.tell(rank.process, Control::offer, pup::pack(parcel));
}

void Step::unpack(std::vector<std::byte> text, ProcessId from) {
  Job& job = cluster_.job();
  Parcel parcel;
  pup::unpack(text, parcel);
  Rank& rank = job.rank(parcel.rank);
  job.program().make_room(rank.id);
  read_memory(cluster_, from, parcel.memory);
  job.program().arrived(rank.id);
  RankImage image{rank, {}};
  {
    const std::lock_guard lock(cluster_.pool_mutex);
    pup::unpack(parcel.state, image);
  }
  rank.fiber.restore(image.fiber);
  rank.state = Rank::State::moving;
  cluster_.tell(from, Control::taken, std::as_bytes(std::span(&rank.id, 1)));
  auto landing = std::make_unique<Landing>();
  landing->rank = &rank;
  landing->deliver = &Landing::land;
  std::uint32_t worker = 0;
  {
    const std::lock_guard lock(mutex_);
    worker = planned_[parcel.rank] - cluster_.first_worker(cluster_.self());
  }
  job.worker(worker).inbox().push(*landing.release());
}

}  // namespace weft::runtime
