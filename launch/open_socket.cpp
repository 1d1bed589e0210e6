#include "launch/open_socket.hpp"

#include <atomic>

namespace weft::launch {
namespace {

std::atomic<const inspect::JobSocket*> open_socket = nullptr;

}  // namespace

OpenSocket::OpenSocket(const inspect::JobSocket& socket) { open_socket.store(&socket); }

OpenSocket::~OpenSocket() { open_socket.store(nullptr); }

void withdraw_job_socket() noexcept {
  if (const inspect::JobSocket* const socket = open_socket.load(); socket != nullptr) {
    socket->withdraw();
  }
}

}  // namespace weft::launch
