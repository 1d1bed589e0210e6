// Builds a template action by action.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/actions.hpp"

namespace weft::sim {

// The peer of a message: a rank, or an offset from the rank that uses the template.
struct Peer {
  Addressing addressing = Addressing::absolute;
  std::int32_t number = 0;
  static Peer rank(std::uint32_t rank) { return {Addressing::absolute, static_cast<std::int32_t>(rank)}; }
  static Peer offset(std::int32_t offset) { return {Addressing::relative, offset}; }
};

struct MessageSpec {
  Peer peer;
  std::uint64_t bytes = 0;
  std::uint32_t tag = 0;
  std::uint32_t comm = 0;
};

class TemplateBuilder {
 public:
  explicit TemplateBuilder(Workload& workload) : workload_(workload) {}

  TemplateBuilder& compute(Seconds work, std::uint32_t phase = 0, WorkDetail detail = WorkDetail::constant);
  TemplateBuilder& send(const MessageSpec& message);
  TemplateBuilder& recv(const MessageSpec& message);
  TemplateBuilder& isend(const MessageSpec& message, std::uint16_t slot);
  TemplateBuilder& irecv(const MessageSpec& message, std::uint16_t slot);
  TemplateBuilder& wait(std::uint16_t slot, std::uint32_t slots = 1);
  // `call` is an index of Workload::calls; `number`: of a persistent one.
  TemplateBuilder& collective(std::uint32_t call, std::uint64_t bytes, std::uint16_t slot = kBlockingSlot,
                              std::uint8_t number = 0);
  TemplateBuilder& migrate(std::uint64_t bytes, std::uint8_t detail = kMayMove);
  TemplateBuilder& phase(std::uint32_t phase);
  TemplateBuilder& loop(std::uint64_t times);
  TemplateBuilder& end_loop();
  // Adds the template to the workload and returns its index. The builder is empty afterwards.
  std::uint32_t finish();

 private:
  TemplateBuilder& message(ActionKind kind, const MessageSpec& message, std::uint16_t slot);

  Workload& workload_;
  std::vector<Action> actions_;
  std::vector<Channel> channels_;
  std::vector<std::uint32_t> loops_;  // open loops: their first actions
  std::uint32_t requests_ = 1;
};

}  // namespace weft::sim
