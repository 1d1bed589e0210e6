#include "mpi_shim/rma/messages.hpp"

#include <array>
#include <cstring>

#include "runtime/control/cluster.hpp"
#include "runtime/lbstep/balancing_step.hpp"

namespace weft::mpi_shim::rma {

void RmaMessage::send(const runtime::Job& job, ProcessId to, std::span<const std::byte> payload) {
  job.cluster().send_active_message(to, std::as_writable_bytes(std::span(&wire_, 1)), payload);
}

void RmaMessage::send(const runtime::Job& job, ProcessId to, std::span<const StridedRegion> regions,
                      std::span<const std::byte> payload) {
  wire_.header.regions = static_cast<std::uint16_t>(regions.size());
  std::vector<std::byte> head(sizeof wire_ + regions.size_bytes());
  std::memcpy(head.data(), static_cast<const void*>(&wire_), sizeof wire_);
  std::memcpy(head.data() + sizeof wire_, regions.data(), regions.size_bytes());
  job.cluster().send_active_message(to, head, payload);
}

void part_done(Transfer& transfer) {
  // Pairs with part_done() on the threads that finished the other parts: the last thread sees what all of them wrote.
  if (transfer.parts_left.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  const std::unique_ptr<Transfer> ends(&transfer);
  if (transfer.request != nullptr) {
    runtime::finish_event(*transfer.request);
  }
  transfer.window.outstanding.end();
}

void grant(const runtime::Job& job, const Waiter& waiter) {
  if (waiter.process == job.process()) {
    part_done(*reinterpret_cast<Transfer*>(waiter.token));
  } else {
    RmaMessage({.kind = RmaMessageKind::reply, .token = waiter.token}).send(job, waiter.process);
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

SpinLock& accumulate_lock(int job_rank) {
  struct alignas(64) Line {
    SpinLock lock;
  };
  static std::array<Line, 64> lines;
  return lines[static_cast<std::size_t>(job_rank) % lines.size()].lock;
}

}  // namespace weft::mpi_shim::rma
