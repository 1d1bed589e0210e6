// Asks the processes of a job on another host, where the agent that has started them there starts `weft
// answer-relayed`.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "inspect/connection.hpp"
#include "inspect/messages.hpp"
#include "tools/weft/asking.hpp"

namespace weft::tools::weft_tool {

// What `weft answer-relayed` says first: shells may have written something before.
inline constexpr std::string_view kRelayGreeting = "\x01weft answers\n";

// Used by one thread at a time.
class Relay {
 public:
  // `agent` starts a line of shell on `host` (bootstrap::agent_command()), which has this program at the same path.
  Relay(const std::string& agent, const std::string& host, const std::string& job);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  const std::string& host() const { return host_; }
  // False from the first question on that it has not answered.
  bool answers() const { return static_cast<bool>(connection_); }
  // Of the processes there that answer within `seconds`; for the first question 10 seconds longer.
  PackedAnswers ask(const inspect::Question& question, int seconds);

 private:
  bool greet();

  std::string host_;
  inspect::Descriptor connection_;  // the agent's standard input and output
  pid_t agent_ = 0;
  bool has_greeted_ = false;
};

}  // namespace weft::tools::weft_tool
