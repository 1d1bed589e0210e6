// What a process does for operations of other processes' ranks, whatever its own ranks are doing.
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
struct Heard {
  runtime::Job& job;
  ProcessId from;
  Words words;
  std::span<const Run> runs;
  std::span<const std::byte> payload;
  Run row;  // where the message has no runs

  Heard(runtime::Job& of, ProcessId sender, std::span<const std::byte> text) : job(of), from(sender) {
    std::memcpy(&words, text.data(), sizeof words);
    const std::span<const std::byte> rest = text.subspan(sizeof words);
    row.bytes = words.bytes;
    runs = words.runs == 0 ? std::span<const Run>(&row, 1)
                           : std::span(reinterpret_cast<const Run*>(rest.data()), words.runs);
    payload = words.runs == 0 ? rest : rest.subspan(runs.size_bytes());
  }
  Heard(const Heard&) = delete;
  Heard& operator=(const Heard&) = delete;

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
void start_long_put(const Heard& heard) {
  auto put = std::make_unique<LongPut>();
  put->job = &heard.job;
  put->origin = heard.from;
  put->token = heard.words.token;
  put->from = heard.from;
  put->address = reinterpret_cast<const void*>(heard.words.skip);
  put->into = {heard.address(), heard.words.bytes};
  put->finished = &end_long_put;
  put->deliver = [](runtime::Worker&, runtime::InboxItem& item) {
    auto& ready = static_cast<LongPut&>(item);
    ready.job->cluster().transport().read(ready);
  };
  heard.job.cluster().begin_read();
  runtime::Worker* const here = runtime::Worker::current();
  runtime::Worker& doer = here != nullptr && heard.job.owns(*here) ? *here : heard.job.worker(0);
  doer.inbox().push(*put.release());
}

void get(const Heard& heard) {
  std::vector<std::byte> bytes(heard.words.bytes);
  gather(heard.runs, heard.address(), bytes.data());
  heard.reply(bytes);
}

void accumulate(const Heard& heard) {
  const auto element = reinterpret_cast<MPI_Datatype>(std::uintptr_t{heard.words.element});
  const Combine combine(reinterpret_cast<MPI_Op>(std::uintptr_t{heard.words.op}), *predefined_datatype(element));
  std::vector<std::byte> old(heard.words.token == 0 ? 0 : heard.words.bytes);
  {
    const std::lock_guard guard(accumulate_lock(heard.target_in_world()));
    combine.apply(heard.runs, heard.address(), heard.payload.data(), old.empty() ? nullptr : old.data());
  }
  if (heard.words.token != 0) {
    heard.reply(old);
  }
}

void swap(const Heard& heard) {
  std::array<std::byte, 2 * sizeof(std::max_align_t)> old{};
  const std::size_t bytes = heard.words.bytes;
  {
    const std::lock_guard guard(accumulate_lock(heard.target_in_world()));
    std::memcpy(old.data(), heard.address(), bytes);
    if (std::memcmp(old.data(), heard.payload.data(), bytes) == 0) {
      std::memcpy(heard.address(), heard.payload.data() + bytes, bytes);
    }
  }
  heard.reply(std::span(old).first(bytes));
}

void lock(const Heard& heard) {
  const Waiter waiter{heard.from, heard.words.token, heard.words.exclusive};
  if (heard.window()->here(heard.words.target)->lock(waiter)) {
    heard.reply();
  }
}

void unlock(const Heard& heard) {
  std::vector<Waiter> granted;
  heard.window()->here(heard.words.target)->unlock(granted);
  heard.reply();
  grant_all(heard.job, granted);
}

void take_reply(const Heard& heard) {
  auto& transfer = *reinterpret_cast<Transfer*>(heard.words.token);
  if (!heard.payload.empty()) {
    const runtime::Buffer& into = transfer.into;
    if (into.layout != nullptr) {
      into.layout->unpack(into.base, into.count, heard.words.skip, heard.payload);
    } else {
      std::memcpy(static_cast<std::byte*>(into.base) + heard.words.skip, heard.payload.data(), heard.payload.size());
    }
  }
  part_done(transfer);
}

}  // namespace

void serve(runtime::Job& job, ProcessId from, std::span<const std::byte> text) {
  const Heard heard(job, from, text);
  switch (heard.words.what) {
    case What::put:
      return scatter(heard.runs, heard.address(), heard.payload.data());
    case What::put_long:
      return start_long_put(heard);
    case What::get:
      return get(heard);
    case What::accumulate:
      return accumulate(heard);
    case What::swap:
      return swap(heard);
    case What::lock:
      return lock(heard);
    case What::unlock:
      return unlock(heard);
    case What::flush:
      return heard.reply();
    case What::posted:
      return heard.window()->here(heard.words.target)->posted(heard.words.origin);
    case What::completed:
      return heard.window()->here(heard.words.target)->completed();
    case What::reply:
      return take_reply(heard);
  }
  base::fail("a message about a window of an unknown kind");
}

}  // namespace weft::mpi_shim::rma
