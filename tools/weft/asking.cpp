#include "tools/weft/asking.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "inspect/connection.hpp"

namespace weft::tools::weft_tool {

inspect::FoundJob require_job(const std::string& name) {
  if (!inspect::is_job_name(name)) {
    throw std::runtime_error(fmt::format("'{}' is no name of a job: weft ps lists those of this host", name));
  }
  for (inspect::FoundJob& job : inspect::find_jobs()) {
    if (job.name == name && inspect::drop_leftovers(job)) {
      return job;
    }
  }
  throw std::runtime_error(fmt::format("no job '{}' runs on this host: weft ps lists those that do", name));
}

std::optional<std::vector<std::byte>> ask_process(const inspect::FoundJob& job, std::uint32_t process,
                                                  inspect::Subject subject, int seconds) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  const inspect::Descriptor connection = inspect::connect_to(job.folder + "/" + inspect::socket_name(process));
  if (!connection) {
    return std::nullopt;
  }
  inspect::limit_waiting(connection, seconds);
  inspect::Question question{.subject = subject};
  std::vector<std::byte> bytes;
  if (!inspect::send_frame(connection, pup::pack(question)) || !inspect::receive_frame(connection, bytes, kMostBytes)) {
    return std::nullopt;
  }
  return bytes;
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace weft::tools::weft_tool
