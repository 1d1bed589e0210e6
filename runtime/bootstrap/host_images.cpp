#include "runtime/bootstrap/host_images.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <memory>
#include <utility>

#include "runtime/bootstrap/checkpoint_copy.hpp"
#include "runtime/bootstrap/child_process.hpp"
#include "runtime/bootstrap/file_transfer.hpp"

namespace weft::bootstrap {
namespace {

sigset_t blocked_signals() {
  sigset_t blocked;
  ::sigprocmask(SIG_SETMASK, nullptr, &blocked);
  return blocked;
}

}  // namespace

HostImages::~HostImages() {
  for (Transfer& transfer : transfers_) {
    end_child(transfer.child);
  }
}

LauncherPort HostImages::port() {
  if (!acceptor_) {
    acceptor_.emplace();
  }
  return acceptor_->port(host_);
}

void HostImages::send(const CopyOrder& order, const LauncherPort& to) {
  begin(order, [&] {
    ::signal(SIGPIPE, SIG_IGN);
    send_files(files_, order.image, order.files, host_, to);
  });
}

void HostImages::save(const CopyOrder& order) {
  const CheckpointTarget& to = *order.disk;
  const CheckpointFolder folder(to.folder, to.attempt);
  begin(order, [&] {
    switch (order.work) {
      case DiskWork::folder:
        return folder.begin(to.step);
      case DiskWork::files:
        return save_files(files_, order.image, order.files, to);
      case DiskWork::name:
        return publish_checkpoint(to);
      case DiskWork::removal:
        return folder.discard(to.step);
    }
  });
}

void HostImages::end_saves() {
  std::erase_if(transfers_, [](Transfer& transfer) {
    if (!transfer.other) {
      end_child(transfer.child);
    }
    return !transfer.other;
  });
}

void HostImages::begin(const CopyOrder& order, const std::function<void()>& body) {
  try {
    const auto other = order.disk ? std::nullopt : std::optional(order.to);
    transfers_.push_back({.child = fork_child(blocked_signals(), body), .other = other, .order = order});
  } catch (const std::exception&) {
    // No process could be created. A later attempt may succeed.
    not_begun_.push_back({.order = order, .is_whole = false});
  }
}

void HostImages::drop_host(std::uint32_t host) {
  dropped_.insert(host);
  std::erase_if(transfers_, [host](Transfer& transfer) {
    if (transfer.other == host) {
      end_child(transfer.child);
    }
    return transfer.other == host;
  });
}

void HostImages::receive(const Frame& hello, FrameStream& from) {
  from.append({FrameKind::kAccepted});
  from.flush();
  try {
    files_.make_room(most_of_files_hello(hello));
    const pid_t child = fork_child(blocked_signals(), [&] { receive_files(files_, from); });
    transfers_.push_back({.child = child, .other = hello.number, .order = std::nullopt});
  } catch (const std::exception&) {
    return;  // the sender sees the end of the connection
  }
}

void HostImages::watch(std::vector<pollfd>& watched) const {
  for (const int caller : acceptor_ ? acceptor_->sockets() : std::vector<int>{}) {
    watched.push_back({caller, POLLIN, 0});
  }
}

std::vector<HostImages::FinishedOrder> HostImages::serve() {
  if (acceptor_) {
    acceptor_->receive([&](const Frame& hello, std::unique_ptr<FrameStream>& stream) {
      if (hello.key.starts_with(kFilesHello) && !dropped_.contains(hello.number)) {
        receive(hello, *stream);
        stream.reset();
      }
    });
  }
  std::vector<FinishedOrder> over = std::exchange(not_begun_, {});
  std::erase_if(transfers_, [&](Transfer& transfer) {
    int status = 0;
    if (::waitpid(transfer.child, &status, WNOHANG) != transfer.child) {
      return false;
    }
    if (transfer.order) {
      over.push_back({.order = *transfer.order, .is_whole = status == 0});
    }
    return true;
  });
  return over;
}

}  // namespace weft::bootstrap
