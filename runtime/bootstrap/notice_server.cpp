#include "runtime/bootstrap/notice_server.hpp"

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "base/say.hpp"

namespace weft::bootstrap {

NoticeServer::NoticeServer(std::uint32_t processes)
    : streams_(processes),
      coordinator_(processes, [this](std::uint32_t process, const Frame& frame) { send(process, frame); }) {}

// Handles what the process had sent before.
void NoticeServer::note_death(std::uint32_t process) {
  pollfd waiting{streams_[process] == nullptr ? -1 : streams_[process]->fd(), POLLIN, 0};
  while (::poll(&waiting, 1, 0) > 0 && read(process)) {
  }
  streams_[process].reset();
  coordinator_.note_death(process);
}

// Returns false once nothing more can arrive.
bool NoticeServer::read(std::uint32_t process) {
  FrameStream& stream = *streams_[process];
  bool open = stream.receive();
  try {
    while (const auto frame = stream.next()) {
      coordinator_.handle(process, *frame);
    }
  } catch (const std::exception& error) {
    base::say(fmt::format("weftrun: process {} {}\n", process, error.what()));
    stream.shut_down();
    open = false;
  }
  return open;
}

void NoticeServer::watch(std::vector<pollfd>& watched) const {
  for (const auto& stream : streams_) {
    const bool writes = stream != nullptr && stream->has_output();
    watched.push_back(
        {stream == nullptr ? -1 : stream->fd(), static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0});
  }
}

// A lost connection needs no handling: its process ends, which the launcher notices.
void NoticeServer::serve(std::span<const pollfd> watched) {
  for (std::uint32_t p = 0; p < streams_.size(); ++p) {
    if (watched[p].revents == 0 || streams_[p] == nullptr) {
      continue;
    }
    const bool open = read(p) && (!streams_[p]->has_output() || streams_[p]->flush());
    if (!open) {
      streams_[p].reset();
    }
  }
}

void NoticeServer::send(std::uint32_t process, const Frame& frame) {
  if (streams_[process] != nullptr) {
    streams_[process]->append(frame);
    streams_[process]->flush();  // poll() reports when the rest fits, or the connection is gone
  }
}

}  // namespace weft::bootstrap
