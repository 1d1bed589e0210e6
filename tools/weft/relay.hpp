// Queries the processes of a job on another host. The agent that has started them also starts `weft answer-relayed`
// there.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "inspect/connection.hpp"
#include "inspect/messages.hpp"
#include "tools/weft/job_query.hpp"

namespace weft::tools::weft_tool {

// What `weft answer-relayed` writes first. Shells may write something before it.
inline constexpr std::string_view kRelayGreeting = "\x01weft answers\n";

// Used by one thread at a time.
class Relay {
 public:
  // `agent` runs a shell command on `host` (bootstrap::agent_command()), which has this program at the same path.
  Relay(const std::string& agent, const std::string& host, const std::string& job);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  const std::string& host() const { return host_; }
  // False once a question was not answered.
  bool answers() const { return static_cast<bool>(connection_); }
  // The answers of the processes there that come within `seconds`; the first query may take 10 seconds longer.
  PackedAnswers query(const inspect::Question& question, int seconds);

 private:
  bool read_greeting();

  std::string host_;
  inspect::Descriptor connection_;  // the agent's standard input and output
  pid_t agent_ = 0;
  bool has_greeted_ = false;
};

}  // namespace weft::tools::weft_tool
