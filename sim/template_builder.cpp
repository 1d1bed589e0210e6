#include "sim/template_builder.hpp"

#include <algorithm>
#include <bit>

#include "base/check.hpp"

namespace weft::sim {

TemplateBuilder& TemplateBuilder::compute(Seconds work, std::uint32_t phase, WorkDetail detail) {
  actions_.push_back({.kind = ActionKind::compute,
                      .detail = static_cast<std::uint8_t>(detail),
                      .index = phase,
                      .value = std::bit_cast<std::uint64_t>(work)});
  return *this;
}

TemplateBuilder& TemplateBuilder::message(ActionKind kind, const MessageSpec& message, std::uint16_t slot) {
  const bool sends = kind == ActionKind::send || kind == ActionKind::isend;
  const Channel channel{.end = sends ? ChannelEnd::sender : ChannelEnd::receiver,
                        .addressing = message.peer.addressing,
                        .peer = message.peer.number,
                        .tag = message.tag,
                        .comm = message.comm};
  auto found = std::ranges::find(channels_, channel);
  if (found == channels_.end()) {
    found = channels_.insert(found, channel);
  }
  requests_ = std::max(requests_, slot + 1U);
  actions_.push_back({.kind = kind,
                      .request = slot,
                      .index = static_cast<std::uint32_t>(found - channels_.begin()),
                      .value = message.bytes});
  return *this;
}

TemplateBuilder& TemplateBuilder::send(const MessageSpec& spec) { return message(ActionKind::send, spec, 0); }
TemplateBuilder& TemplateBuilder::recv(const MessageSpec& spec) { return message(ActionKind::recv, spec, 0); }
TemplateBuilder& TemplateBuilder::isend(const MessageSpec& spec, std::uint16_t slot) {
  return message(ActionKind::isend, spec, slot);
}
TemplateBuilder& TemplateBuilder::irecv(const MessageSpec& spec, std::uint16_t slot) {
  return message(ActionKind::irecv, spec, slot);
}

TemplateBuilder& TemplateBuilder::wait(std::uint16_t slot, std::uint32_t slots) {
  actions_.push_back({.kind = ActionKind::wait, .request = slot, .index = slots});
  return *this;
}

TemplateBuilder& TemplateBuilder::collective(std::uint32_t call, std::uint64_t bytes, std::uint16_t slot,
                                             std::uint8_t number) {
  requests_ = std::max(requests_, slot + 1U);
  actions_.push_back(
      {.kind = ActionKind::collective, .detail = number, .request = slot, .index = call, .value = bytes});
  return *this;
}

TemplateBuilder& TemplateBuilder::migrate(std::uint64_t bytes, std::uint8_t detail) {
  actions_.push_back({.kind = ActionKind::migrate, .detail = detail, .value = bytes});
  return *this;
}

TemplateBuilder& TemplateBuilder::phase(std::uint32_t phase) {
  actions_.push_back({.kind = ActionKind::phase, .index = phase});
  return *this;
}

TemplateBuilder& TemplateBuilder::loop(std::uint64_t times) {
  actions_.push_back({.kind = ActionKind::loop, .request = static_cast<std::uint16_t>(loops_.size()), .value = times});
  loops_.push_back(static_cast<std::uint32_t>(actions_.size()));
  return *this;
}

TemplateBuilder& TemplateBuilder::end_loop() {
  base::check(!loops_.empty(), "a loop ends that did not begin");
  actions_.push_back(
      {.kind = ActionKind::end_loop, .request = static_cast<std::uint16_t>(loops_.size() - 1), .index = loops_.back()});
  loops_.pop_back();
  return *this;
}

std::uint32_t TemplateBuilder::finish() {
  base::check(loops_.empty(), "a template ends within a loop");
  actions_.push_back({.kind = ActionKind::stop});
  workload_.templates.push_back({.first_action = workload_.actions.size(),
                                 .first_channel = workload_.channels.size(),
                                 .actions = static_cast<std::uint32_t>(actions_.size()),
                                 .channels = static_cast<std::uint32_t>(channels_.size()),
                                 .requests = requests_});
  workload_.actions.insert(workload_.actions.end(), actions_.begin(), actions_.end());
  workload_.channels.insert(workload_.channels.end(), channels_.begin(), channels_.end());
  actions_.clear();
  channels_.clear();
  requests_ = 1;
  return static_cast<std::uint32_t>(workload_.templates.size() - 1);
}

}  // namespace weft::sim
