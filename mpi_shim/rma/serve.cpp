// One-sided operations on memory of other processes: the target side. The thread that polls executes them, whatever the
// target rank is doing.
#include <cstring>

#include "base/check.hpp"
#include "mpi_shim/rma/accumulate_op.hpp"
#include "mpi_shim/rma/messages.hpp"
#include "mpi_shim/state/process_state.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::mpi_shim::rma {

namespace {

// A received message, parsed.
struct Received {
  runtime::Job& job;
  ProcessId from;
  MessageHeader header;
  std::span<const StridedRegion> regions;
  std::span<const std::byte> payload;
  StridedRegion single;  // if the message has no regions

  Received(runtime::Job& of, ProcessId sender, std::span<const std::byte> message) : job(of), from(sender) {
    std::memcpy(&header, message.data(), sizeof header);
    const std::span<const std::byte> rest = message.subspan(sizeof header);
    single.bytes = header.bytes;
    regions = header.regions == 0 ? std::span<const StridedRegion>(&single, 1)
                                  : std::span(reinterpret_cast<const StridedRegion*>(rest.data()), header.regions);
    payload = header.regions == 0 ? rest : rest.subspan(regions.size_bytes());
  }
  Received(const Received&) = delete;
  Received& operator=(const Received&) = delete;

  std::byte* address() const { return reinterpret_cast<std::byte*>(header.address); }
  void reply(std::span<const std::byte> bytes = {}) const {
    RmaMessage({.kind = RmaMessageKind::reply, .token = header.token, .skip = header.skip}).send(job, from, bytes);
  }
  int target_in_job() const { return window()->group->job_rank(header.target); }
  std::shared_ptr<WindowShared> window() const {
    auto window = process_part<WindowRegistry>(job).find(header.window);
    base::check(window != nullptr, "an operation came for a window that is not here");
    return window;
  }
};

// A long put whose data is being read.
struct LongPut : runtime::InboxItem, net::Read {
  runtime::Job* job = nullptr;
  ProcessId origin{};
  std::uint64_t token = 0;
};

void end_long_put(net::Read& read) {
  const std::unique_ptr<LongPut> put(&static_cast<LongPut&>(read));
  RmaMessage({.kind = RmaMessageKind::reply, .token = put->token}).send(*put->job, put->origin);
  end_read(*put->job);
}

// Has a worker start the read from its inbox: reading may take long and uses the transport, which is delivering now.
void start_long_put(const Received& received) {
  auto put = std::make_unique<LongPut>();
  put->job = &received.job;
  put->origin = received.from;
  put->token = received.header.token;
  put->from = received.from;
  put->address = reinterpret_cast<const void*>(received.header.skip);
  put->into = {received.address(), received.header.bytes};
  put->finished = &end_long_put;
  put->deliver = [](runtime::Worker&, runtime::InboxItem& item) {
    auto& ready = static_cast<LongPut&>(item);
    ready.job->cluster().transport().read(ready);
  };
  received.job.cluster().begin_read();
  runtime::Worker* const here = runtime::Worker::current();
  runtime::Worker& reader = here != nullptr && received.job.owns(*here) ? *here : received.job.worker(0);
  reader.inbox().push(*put.release());
}

void get(const Received& received) {
  std::vector<std::byte> bytes(received.header.bytes);
  gather(received.regions, received.address(), bytes.data());
  received.reply(bytes);
}

void accumulate(const Received& received) {
  const auto element = reinterpret_cast<MPI_Datatype>(std::uintptr_t{received.header.element});
  const AccumulateOp accumulate_op(reinterpret_cast<MPI_Op>(std::uintptr_t{received.header.op}),
                                   *predefined_datatype(element));
  std::vector<std::byte> old(received.header.token == 0 ? 0 : received.header.bytes);
  {
    const std::lock_guard guard(accumulate_lock(received.target_in_job()));
    accumulate_op.apply(received.regions, received.address(), received.payload.data(),
                        old.empty() ? nullptr : old.data());
  }
  if (received.header.token != 0) {
    received.reply(old);
  }
}

void swap(const Received& received) {
  std::array<std::byte, 2 * sizeof(std::max_align_t)> old{};
  const std::size_t bytes = received.header.bytes;
  {
    const std::lock_guard guard(accumulate_lock(received.target_in_job()));
    std::memcpy(old.data(), received.address(), bytes);
    if (std::memcmp(old.data(), received.payload.data(), bytes) == 0) {
      std::memcpy(received.address(), received.payload.data() + bytes, bytes);
    }
  }
  received.reply(std::span(old).first(bytes));
}

void lock(const Received& received) {
  const Waiter waiter{received.from, received.header.token, received.header.exclusive};
  if (received.window()->local_exposure(received.header.target)->lock(waiter)) {
    received.reply();
  }
}

void unlock(const Received& received) {
  std::vector<Waiter> granted;
  received.window()->local_exposure(received.header.target)->unlock(granted);
  received.reply();
  grant_all(received.job, granted);
}

void take_reply(const Received& received) {
  auto& transfer = *reinterpret_cast<Transfer*>(received.header.token);
  if (!received.payload.empty()) {
    const runtime::Buffer& into = transfer.into;
    if (into.layout != nullptr) {
      into.layout->unpack(into.base, into.count, received.header.skip, received.payload);
    } else {
      std::memcpy(static_cast<std::byte*>(into.base) + received.header.skip, received.payload.data(),
                  received.payload.size());
    }
  }
  part_done(transfer);
}

}  // namespace

void serve(runtime::Job& job, ProcessId from, std::span<const std::byte> message) {
  const Received received(job, from, message);
  switch (received.header.kind) {
    case RmaMessageKind::put:
      return scatter(received.regions, received.address(), received.payload.data());
    case RmaMessageKind::put_long:
      return start_long_put(received);
    case RmaMessageKind::get:
      return get(received);
    case RmaMessageKind::accumulate:
      return accumulate(received);
    case RmaMessageKind::swap:
      return swap(received);
    case RmaMessageKind::lock:
      return lock(received);
    case RmaMessageKind::unlock:
      return unlock(received);
    case RmaMessageKind::flush:
      return received.reply();
    case RmaMessageKind::posted:
      return received.window()->local_exposure(received.header.target)->add_post(received.header.origin);
    case RmaMessageKind::completed:
      return received.window()->local_exposure(received.header.target)->add_completion();
    case RmaMessageKind::reply:
      return take_reply(received);
  }
  base::fail("a message about a window of an unknown kind");
}

}  // namespace weft::mpi_shim::rma
