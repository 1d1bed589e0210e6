// weft answer-relayed JOB: started here by weft on another host (relay.hpp). Reads questions from standard input until
// its end, and writes the answers of the job's processes on this host to standard output.
#include <unistd.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "inspect/connection.hpp"
#include "tools/weft/commands.hpp"
#include "tools/weft/job_query.hpp"
#include "tools/weft/relay.hpp"

namespace weft::tools::weft_tool {

int answer_relayed(const std::string& job) {
  constexpr std::size_t kMostQuestionBytes = 4096;
  const inspect::Descriptor input(STDIN_FILENO), output(STDOUT_FILENO);
  inspect::RelayedQuestion question;
  const std::size_t size = pup::pack(question).size();
  std::vector<std::byte> bytes;
  if (::write(output.get(), kRelayGreeting.data(), kRelayGreeting.size()) < 0) {
    return 1;
  }
  while (inspect::receive_frame(input, bytes, kMostQuestionBytes)) {
    if (bytes.size() != size) {
      return 1;
    }
    pup::unpack(bytes, question);
    if (question.question.version != inspect::kVersion) {
      return 1;  // the other side would not understand the answers
    }
    inspect::RelayedAnswers answers;
    if (const std::optional<inspect::FoundJob> found = find_job(job)) {
      answers.processes = query_local_processes(*found, question.question, question.seconds);
    }
    if (!inspect::send_frame(output, pup::pack(answers))) {
      return 1;
    }
  }
  return 0;
}

}  // namespace weft::tools::weft_tool
