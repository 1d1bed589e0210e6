#include "mpi_shim/coll/schedule/schedule_builder.hpp"

#include <algorithm>
#include <utility>

namespace weft::mpi_shim {
inline namespace coll {
namespace {

constexpr int kAcross = 1 << 30;  // added to the tag of messages between the groups of an intercommunicator
constexpr std::uint32_t kNumbers = 1U << 30;
constexpr std::size_t kLeastMemory = 256;

}  // namespace

ScheduleBuilder::ScheduleBuilder(RankState& me, Communicator& comm)
    : CollectiveSteps(me, comm),
      schedule_(std::make_unique<Schedule>()),
      number_(static_cast<int>(comm.schedules++ % kNumbers)) {
  schedule_->comm_ = comm.shared;
  schedule_->steps_.reserve(8);
}

Peers ScheduleBuilder::own_group(Collective) const {
  return Peers::in_context(me_, comm_, comm_.schedule_context(), *comm_.shared->group, number_);
}

Peers ScheduleBuilder::other_group(Collective) const {
  return Peers::in_context(me_, comm_, comm_.schedule_context(), *comm_.shared->remote, number_ + kAcross);
}

ScheduleStep& ScheduleBuilder::add(ScheduleStep::Kind kind) {
  ScheduleStep& step = schedule_->steps_.emplace_back();
  step.kind = kind;
  return step;
}

CollectiveSteps::Ticket ScheduleBuilder::fresh_ticket() {
  if (free_.empty()) {
    return tickets_++;
  }
  const std::uint32_t ticket = free_.back();
  free_.pop_back();
  return ticket;
}

void ScheduleBuilder::keep_type(const runtime::Buffer& buffer) {
  if (buffer.layout == nullptr) {
    return;
  }
  const auto& type = *static_cast<const Datatype*>(buffer.layout);
  auto& types = schedule_->types_;
  if (!type.predefined() && (types.empty() || types.back().get() != &type)) {
    types.push_back(type.shared_from_this());
  }
}

CollectiveSteps::Ticket ScheduleBuilder::start_send(const Peers& peers, int to, const runtime::Buffer& buffer) {
  const Ticket ticket = fresh_ticket();
  ScheduleStep& step = add(ScheduleStep::Kind::send);
  step.ticket = static_cast<std::uint32_t>(ticket);
  step.to = peers.job_rank(to);
  step.member = to;
  step.key = peers.send_key();
  step.from = buffer;
  keep_type(buffer);
  return ticket;
}

CollectiveSteps::Ticket ScheduleBuilder::start_receive(const Peers& peers, int from, const runtime::Buffer& buffer) {
  const Ticket ticket = fresh_ticket();
  ScheduleStep& step = add(ScheduleStep::Kind::receive);
  step.ticket = static_cast<std::uint32_t>(ticket);
  step.key = peers.receive_key(from);
  step.into = buffer;
  keep_type(buffer);
  return ticket;
}

void ScheduleBuilder::wait(Ticket ticket) {
  add(ScheduleStep::Kind::wait).ticket = static_cast<std::uint32_t>(ticket);
  free_.push_back(static_cast<std::uint32_t>(ticket));
}

void ScheduleBuilder::send(const Peers& peers, int to, const runtime::Buffer& buffer) {
  wait(start_send(peers, to, buffer));
}

void ScheduleBuilder::receive(const Peers& peers, int from, const runtime::Buffer& buffer) {
  wait(start_receive(peers, from, buffer));
}

void ScheduleBuilder::copy(const runtime::Buffer& from, const runtime::Buffer& to, int sender) {
  ScheduleStep& step = add(ScheduleStep::Kind::copy);
  step.member = sender;
  step.from = from;
  step.into = to;
  keep_type(from);
  keep_type(to);
}

void* ScheduleBuilder::combine(const Reduction& reduction, void* left, void* right, std::size_t n) {
  if (!schedule_->combination_) {
    Combination& combination = schedule_->combination_.emplace();
    combination.op = reduction.op;
    combination.kernel = reduction.kernel;
    combination.type = shared(*reduction.type);
    if (reduction.user_op != nullptr) {
      combination.user_op = *reduction.user_op;
    }
  }
  // A kernel's elements are contiguous. A message_buffer() would not do for the others: it may begin where the data do,
  // and the user's function adds the type's displacements to the address that it gets.
  const Datatype* const layout = reduction.user_op == nullptr ? nullptr : reduction.type;
  ScheduleStep& step = add(ScheduleStep::Kind::combine);
  step.from = {left, 0, layout, n};
  step.into = {right, 0, layout, n};
  keep_type(step.from);
  return layout == nullptr ? left : right;
}

std::byte* ScheduleBuilder::scratch(std::size_t bytes) {
  constexpr std::size_t kAlignment = alignof(std::max_align_t);
  const std::size_t needed = (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  auto& memory = schedule_->memory_;
  if (needed > scratch_left_) {
    scratch_left_ = std::max(needed, kLeastMemory);
    memory.push_back({std::make_unique_for_overwrite<std::byte[]>(scratch_left_), scratch_left_});
  }
  std::byte* const place = memory.back().bytes.get() + memory.back().size - scratch_left_;
  scratch_left_ -= needed;
  return place;
}

std::unique_ptr<Schedule> ScheduleBuilder::take(const char* call) {
  schedule_->call_ = call;
  schedule_->requests_ = std::make_unique<runtime::Request[]>(tickets_);
  schedule_->request_count_ = tickets_;
  return std::move(schedule_);
}

}  // namespace coll
}  // namespace weft::mpi_shim
