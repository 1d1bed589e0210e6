// One-sided operations on memory of other processes: the target's side. Whatever thread polls executes them, whatever
// the target rank is doing.
#include <cstring>

#include "base/check.hpp"
#include "mpi_shim/rma/combine.hpp"
#include "mpi_shim/rma/messages.hpp"
#include "mpi_shim/state/process_state.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::mpi_shim::rma {

namespace {

// A message taken apart.
struct Received {
  runtime::Job& job;
  ProcessId from;
  Words words;
  std::span<const Run> runs;
  std::span<const std::byte> payload;
  Run row;  // where the message has no runs

  Received(runtime::Job& of, ProcessId sender, std::span<const std::byte> text) : job(of), from(sender) {
    std::memcpy(&words, text.data(), sizeof words);
    const std::span<const std::byte> rest = text.subspan(sizeof words);
    row.bytes = words.bytes;
    runs = words.runs == 0 ? std::span<const Run>(&row, 1)
                           : std::span(reinterpret_cast<const Run*>(rest.data()), words.runs);
    payload = words.runs == 0 ? rest : rest.subspan(runs.size_bytes());
  }
  Received(const Received&) = delete;
  Received& operator=(const Received&) = delete;

  std::byte* address() const { return reinterpret_cast<std::byte*>(words.address); }
  void reply(std::span<const std::byte> bytes = {}) const {
    Message({.what = What::reply, .token = words.token, .skip = words.skip}).send(job, from, bytes);
  }
  int target_in_world() const { return window()->group->world_rank(words.target); }
  std::shared_ptr<WindowShared> window() const {
    auto window = process_part<WindowRegistry>(job).find(words.window);
    base::check(window != nullptr, "an operation came for a window that is not here");
    return window;
  }
};

// A long put on its way.
struct LongPut : runtime::InboxItem, net::Read {
  runtime::Job* job = nullptr;
  ProcessId origin{};
  std::uint64_t token = 0;
};

void end_long_put(net::Read& read) {
  const std::unique_ptr<LongPut> put(&static_cast<LongPut&>(read));
  Message({.what = What::reply, .token = put->token}).send(*put->job, put->origin);
  end_read(*put->job);
}

// Reading may take long and use the transport: not while it delivers.
void start_long_put(const Received& received) {
  auto put = std::make_unique<LongPut>();
  put->job = &received.job;
  put->origin = received.from;
  put->token = received.words.token;
  put->from = received.from;
  put->address = reinterpret_cast<const void*>(received.words.skip);
  put->into = {received.address(), received.words.bytes};
  put->finished = &end_long_put;
  put->deliver = [](runtime::Worker&, runtime::InboxItem& item) {
    auto& ready = static_cast<LongPut&>(item);
    ready.job->cluster().transport().read(ready);
  };
  received.job.cluster().begin_read();
  runtime::Worker* const here = runtime::Worker::current();
  runtime::Worker& doer = here != nullptr && received.job.owns(*here) ? *here : received.job.worker(0);
  doer.inbox().push(*put.release());
}

void get(const Received& received) {
  std::vector<std::byte> bytes(received.words.bytes);
  gather(received.runs, received.address(), bytes.data());
  received.reply(bytes);
}

void accumulate(const Received& received) {
  const auto element = reinterpret_cast<MPI_Datatype>(std::uintptr_t{received.words.element});
  const Combine combine(reinterpret_cast<MPI_Op>(std::uintptr_t{received.words.op}), *predefined_datatype(element));
  std::vector<std::byte> old(received.words.token == 0 ? 0 : received.words.bytes);
  {
    const std::lock_guard guard(accumulate_lock(received.target_in_world()));
    combine.apply(received.runs, received.address(), received.payload.data(), old.empty() ? nullptr : old.data());
  }
  if (received.words.token != 0) {
    received.reply(old);
  }
}

void swap(const Received& received) {
  std::array<std::byte, 2 * sizeof(std::max_align_t)> old{};
  const std::size_t bytes = received.words.bytes;
  {
    const std::lock_guard guard(accumulate_lock(received.target_in_world()));
    std::memcpy(old.data(), received.address(), bytes);
    if (std::memcmp(old.data(), received.payload.data(), bytes) == 0) {
      std::memcpy(received.address(), received.payload.data() + bytes, bytes);
    }
  }
  received.reply(std::span(old).first(bytes));
}

void lock(const Received& received) {
  const Waiter waiter{received.from, received.words.token, received.words.exclusive};
  if (received.window()->here(received.words.target)->lock(waiter)) {
    received.reply();
  }
}

void unlock(const Received& received) {
  std::vector<Waiter> granted;
  received.window()->here(received.words.target)->unlock(granted);
  received.reply();
  grant_all(received.job, granted);
}

void take_reply(const Received& received) {
  auto& transfer = *reinterpret_cast<Transfer*>(received.words.token);
  if (!received.payload.empty()) {
    const runtime::Buffer& into = transfer.into;
    if (into.layout != nullptr) {
      into.layout->unpack(into.base, into.count, received.words.skip, received.payload);
    } else {
      std::memcpy(static_cast<std::byte*>(into.base) + received.words.skip, received.payload.data(),
                  received.payload.size());
    }
  }
  part_done(transfer);
}

}  // namespace

void serve(runtime::Job& job, ProcessId from, std::span<const std::byte> text) {
  const Received received(job, from, text);
  switch (received.words.what) {
    case What::put:
      return scatter(received.runs, received.address(), received.payload.data());
    case What::put_long:
      return start_long_put(received);
    case What::get:
      return get(received);
    case What::accumulate:
      return accumulate(received);
    case What::swap:
      return swap(received);
    case What::lock:
      return lock(received);
    case What::unlock:
      return unlock(received);
    case What::flush:
      return received.reply();
    case What::posted:
      return received.window()->here(received.words.target)->posted(received.words.origin);
    case What::completed:
      return received.window()->here(received.words.target)->completed();
    case What::reply:
      return take_reply(received);
  }
  base::fail("a message about a window of an unknown kind");
}

}  // namespace weft::mpi_shim::rma
