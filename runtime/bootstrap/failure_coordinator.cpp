#include "runtime/bootstrap/failure_coordinator.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace weft::bootstrap {

std::string pack_numbers(const std::vector<std::uint32_t>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint32_t)};
}

std::vector<std::uint32_t> unpack_numbers(const std::string& value) {
  if (value.size() % sizeof(std::uint32_t) != 0) {
    throw std::runtime_error("sent a list of numbers that ends within one");
  }
  std::vector<std::uint32_t> numbers(value.size() / sizeof(std::uint32_t));
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), value.data(), value.size());
  }
  return numbers;
}

FailureCoordinator::FailureCoordinator(std::uint32_t processes, Send send)
    : send_(std::move(send)), dead_(processes), applied_(processes) {}

void FailureCoordinator::send_to_all(const Frame& notice) {
  ++notices_;
  for (std::uint32_t p = 0; p < dead_.size(); ++p) {
    if (!dead_[p]) {
      send_(p, notice);
    }
  }
}

void FailureCoordinator::note_death(std::uint32_t process) {
  dead_[process] = true;
  send_to_all({FrameKind::kDied, process});
  settle();
  std::erase_if(agreements_, [this](const auto& open) { return decide(open.first, open.second); });
}

void FailureCoordinator::handle(std::uint32_t process, const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kRevoke:
      if (revoked_.insert(frame.number).second) {
        send_to_all({FrameKind::kRevoked, frame.number});
      }
      break;
    case FrameKind::kApplied:
      if (frame.number > notices_ || frame.number < applied_[process]) {
        throw std::runtime_error("has acted on notices that it has not been given");
      }
      applied_[process] = frame.number;
      settle();
      break;
    case FrameKind::kAgree:
      add_part(process, frame);
      break;
    default:
      throw std::runtime_error("sent a notice of an unknown kind");
  }
}

void FailureCoordinator::settle() {
  std::uint32_t all = notices_;
  for (std::uint32_t p = 0; p < dead_.size(); ++p) {
    all = dead_[p] ? all : std::min(all, applied_[p]);
  }
  if (all > settled_) {
    settled_ = all;
    for (std::uint32_t p = 0; p < dead_.size(); ++p) {
      if (!dead_[p]) {
        send_(p, {FrameKind::kSettled, settled_});
      }
    }
  }
}

// The frame's value: acknowledged, a context number that the process offers, then the processes that take part.
void FailureCoordinator::add_part(std::uint32_t process, const Frame& frame) {
  const std::vector<std::uint32_t> numbers = unpack_numbers(frame.value);
  if (numbers.size() < 3 ||
      std::any_of(numbers.begin() + 2, numbers.end(), [this](auto p) { return p >= dead_.size(); })) {
    throw std::runtime_error("sent a damaged part of an agreement");
  }
  const auto [place, first] = agreements_.try_emplace(frame.key);
  PendingAgreement& agreement = place->second;
  if (first) {
    agreement.awaited.resize(dead_.size());
    for (auto part = numbers.begin() + 2; part != numbers.end(); ++part) {
      agreement.awaited[*part] = true;
    }
    agreement.value.context = numbers[1];
  }
  agreement.value.flags &= frame.number;
  agreement.value.acknowledged = std::min(agreement.value.acknowledged, numbers[0]);
  agreement.participants.push_back(process);
  agreement.awaited[process] = false;
  if (decide(frame.key, agreement)) {
    agreements_.erase(place);
  }
}

// False while a living process has not sent its part.
bool FailureCoordinator::decide(const std::string& name, const PendingAgreement& agreement) {
  for (std::uint32_t p = 0; p < dead_.size(); ++p) {
    if (agreement.awaited[p] && !dead_[p]) {
      return false;
    }
  }
  const std::string numbers = pack_numbers({agreement.value.acknowledged, agreement.value.context});
  for (const std::uint32_t p : agreement.participants) {
    if (!dead_[p]) {
      send_(p, {FrameKind::kAgreed, agreement.value.flags, name, numbers});
    }
  }
  return true;
}

}  // namespace weft::bootstrap
