#include "tools/weft/asking.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "window/connection.hpp"

namespace weft::tools::weft_tool {

window::FoundJob require_job(const std::string& name) {
  if (!window::is_job_name(name)) {
    throw std::runtime_error(fmt::format("'{}' is no name of a job: weft ps lists those of this host", name));
  }
  for (window::FoundJob& job : window::find_jobs()) {
    if (job.name == name && window::drop_leftovers(job)) {
      return job;
    }
  }
  throw std::runtime_error(fmt::format("no job '{}' runs on this host: weft ps lists those that do", name));
}

std::optional<std::vector<std::byte>> ask_process(const window::FoundJob& job, std::uint32_t process,
                                                  window::Subject subject, int seconds) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  const window::Descriptor connection = window::connect_to(job.folder + "/" + window::socket_name(process));
  if (!connection) {
    return std::nullopt;
  }
  window::limit_waiting(connection, seconds);
  window::Question question{.subject = subject};
  std::vector<std::byte> bytes;
  if (!window::send_frame(connection, pup::pack(question)) || !window::receive_frame(connection, bytes, kMostBytes)) {
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
