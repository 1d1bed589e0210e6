#include "mpi_shim/rma/messages.hpp"

#include <array>
#include <cstring>

#include "runtime/control/cluster.hpp"
#include "runtime/lbstep/balancing_step.hpp"

namespace weft::mpi_shim::rma {

void Message::send(const runtime::Job& job, ProcessId to, std::span<const std::byte> payload) {
  job.cluster().activate(to, std::as_writable_bytes(std::span(&head_, 1)), payload);
}

void Message::send(const runtime::Job& job, ProcessId to, std::span<const Run> runs,
                   std::span<const std::byte> payload) {
  head_.words.runs = static_cast<std::uint16_t>(runs.size());
  std::vector<std::byte> head(sizeof head_ + runs.size_bytes());
  std::memcpy(head.data(), static_cast<const void*>(&head_), sizeof head_);
  std::memcpy(head.data() + sizeof head_, runs.data(), runs.size_bytes());
  job.cluster().activate(to, head, payload);
}

void part_done(Transfer& transfer) {
  // Pairs with part_done() on the threads that finished the other parts: who comes last sees what all of them wrote.
  if (transfer.left.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  const std::unique_ptr<Transfer> ends(&transfer);
  if (transfer.request != nullptr) {
    runtime::finish_event(*transfer.request);
  }
  transfer.window.unanswered.end();
}

void grant(const runtime::Job& job, const Waiter& waiter) {
  if (waiter.process == job.process()) {
    part_done(*reinterpret_cast<Transfer*>(waiter.token));
  } else {
    Message({.what = What::reply, .token = waiter.token}).send(job, waiter.process);
  }
}

void grant_all(const runtime::Job& job, std::span<const Waiter> waiters) {
  for (const Waiter& waiter : waiters) {
    grant(job, waiter);
  }
}

void begin_read(runtime::Job& job, net::Read& read) {
  job.cluster().begin_read();
  job.cluster().transport().read(read);
}

void end_read(runtime::Job& job) { job.cluster().end_read(); }

SpinLock& accumulate_lock(int world_rank) {
  struct alignas(64) Line {
    SpinLock lock;
  };
  static std::array<Line, 64> lines;
  return lines[static_cast<std::size_t>(world_rank) % lines.size()].lock;
}

}  // namespace weft::mpi_shim::rma
