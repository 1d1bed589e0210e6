#include "runtime/bootstrap/launcher_client.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/blocked_signals.hpp"
#include "base/options.hpp"
#include "base/thread_start.hpp"
#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/notice_connection.hpp"

namespace weft::bootstrap {
namespace {

constexpr int kEnded = 128 + SIGTERM;  // as if the launcher had sent the signal

// Watches a connection in a thread of its own, and ends this process when the connection ends. The thread allocates
// nothing: an allocator's new arena would lie at another address in each process.
class HangUpWatch {
 public:
  explicit HangUpWatch(int fd) : connection_(fd), stop_(::eventfd(0, EFD_CLOEXEC)) {
    if (stop_ < 0) {
      base::fail_to_start("the watch over the launcher", std::strerror(errno));
    }
    const base::BlockedSignals inherited;
    const int error = ::pthread_create(&thread_, nullptr, &HangUpWatch::run, this);
    running_ = error == 0;
    if (error != 0) {
      ::close(stop_);
      base::fail_to_start("the thread that watches the launcher", std::strerror(error));
    }
  }
  ~HangUpWatch() {
    stop();
    ::close(stop_);
  }
  HangUpWatch(const HangUpWatch&) = delete;
  HangUpWatch& operator=(const HangUpWatch&) = delete;

  void stop() {
    if (running_.exchange(false)) {
      ::eventfd_write(stop_, 1);
      ::pthread_join(thread_, nullptr);
    }
  }

 private:
  static void* run(void* self) {
    const auto* const watch = static_cast<const HangUpWatch*>(self);
    std::array<pollfd, 2> watched{pollfd{watch->connection_, POLLRDHUP, 0}, pollfd{watch->stop_, POLLIN, 0}};
    while (::poll(watched.data(), watched.size(), -1) <= 0) {
    }
    if (watched[1].revents == 0) {
      ::_exit(kEnded);
    }
    return nullptr;
  }

  int connection_;
  int stop_;
  std::atomic<bool> running_ = false;
  pthread_t thread_{};
};

// Returns the inherited socket, which programs that ranks start do not inherit any more (FD_CLOEXEC).
int connection_of(const LauncherAddress& address) {
  if (::fcntl(address.fd, F_SETFD, FD_CLOEXEC) != 0) {
    throw std::runtime_error("the launcher's socket was closed before weftrun started");
  }
  return address.fd;
}

class LauncherClient final : public Bootstrap {
 public:
  explicit LauncherClient(const LauncherAddress& address)
      : process_(address.process),
        processes_(address.processes),
        stream_(std::make_unique<FrameStream>(connection_of(address))),
        watch_(std::make_unique<HangUpWatch>(stream_->fd())),
        notices_(address.notices_fd >= 0 ? std::make_unique<NoticeConnection>(address.notices_fd) : nullptr) {
    if (address.notices_fd >= 0) {
      ::fcntl(address.notices_fd, F_SETFD, FD_CLOEXEC);  // not for what ranks start
    }
  }

  ProcessId process() const override { return ProcessId{process_}; }
  std::uint32_t processes() const override { return processes_; }

  void put(std::string_view key, std::string_view value) override {
    send({FrameKind::kPut, 0, std::string(key), std::string(value)});
  }

  void fence() override {
    send({FrameKind::kFence});
    const auto reply = receive();
    if (reply.kind != FrameKind::kFenced) {
      throw std::runtime_error("the processes of the job cannot agree any more: " + reply.value);
    }
  }

  std::string get(ProcessId of, std::string_view key) override {
    if (number(of) >= processes_) {
      throw std::runtime_error("the job has no process " + std::to_string(number(of)));
    }
    send({FrameKind::kGet, number(of), std::string(key)});
    return value_of(receive(), number(of), key);
  }

  std::vector<std::string> get_all(std::string_view key) override {
    send({FrameKind::kGetAll, 0, std::string(key)});
    std::vector<Frame> replies(processes_);
    std::ranges::generate(replies, [this] { return receive(); });
    std::vector<std::string> values;
    for (std::uint32_t p = 0; p < processes_; ++p) {
      values.push_back(value_of(std::move(replies[p]), p, key));
    }
    return values;
  }

  void finish() override {
    watch_->stop();
    send({FrameKind::kFinish});
  }

  void abort(int code) override {
    watch_->stop();
    send({FrameKind::kAbort, static_cast<std::uint32_t>(code)});
  }

  void announce_ranks(std::string_view ranks) override { send({FrameKind::kRanks, 0, "", std::string(ranks)}); }

  void image_is_whole(std::uint32_t image, std::uint64_t step, const std::string& folder) override {
    const off_t input = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
    send({FrameKind::kImage, image, folder.empty() ? std::to_string(step) : fmt::format("{} {}", step, folder),
          std::to_string(input)});
  }

  bool may_write_image(std::uint32_t image) override {
    send({FrameKind::kMayWrite, image});
    return receive().value == "1";
  }

  void ranks_resumed() override { send({FrameKind::kResumed}); }

  void prepare_change(const std::vector<NextProcess>& processes) override {
    send({FrameKind::kPrepare, 0, "", to_text(processes)});
  }

  std::string may_change(const std::vector<NextProcess>& processes) override {
    send({FrameKind::kMayChange, 0, "", to_text(processes)});
    return receive().value;
  }

  std::vector<std::string> hosts_to_evacuate() override {
    send({FrameKind::kHostsToEvacuate});
    const std::string hosts = receive().value;
    std::vector<std::string> names;
    for (const auto name : base::split_words(hosts, ',')) {
      names.emplace_back(name);
    }
    return names;
  }

  void change_processes(const std::vector<NextProcess>& processes) override {
    send({FrameKind::kChange, 0, "", to_text(processes)});
  }

  NoticeConnection* notices() override { return notices_.get(); }

  // Sends nothing while another frame is being written.
  void note_crash(std::string_view site, bool from_outside) override {
    if (sending_.try_lock()) {
      stream_->send_at_once(FrameKind::kCrash, from_outside ? 1 : 0, site);
      sending_.unlock();
    }
  }

 private:
  // A worker may abort the job while another thread is in a fence.
  void send(const Frame& frame) {
    const std::lock_guard lock(sending_);
    stream_->append(frame);
    while (stream_->has_output()) {
      if (!stream_->flush()) {
        ::_exit(kEnded);
      }
    }
  }

  Frame receive() {
    for (;;) {
      if (auto frame = stream_->next()) {
        return std::move(*frame);
      }
      if (!stream_->receive()) {
        ::_exit(kEnded);
      }
    }
  }

  static std::string value_of(Frame reply, std::uint32_t of, std::string_view key) {
    if (reply.kind != FrameKind::kValue) {
      throw std::runtime_error("process " + std::to_string(of) + " has published no '" + std::string(key) + "'");
    }
    return std::move(reply.value);
  }

  std::uint32_t process_, processes_;
  std::mutex sending_;  // guards what the stream has to send
  std::unique_ptr<FrameStream> stream_;
  std::unique_ptr<HangUpWatch> watch_;
  std::unique_ptr<NoticeConnection> notices_;
};

}  // namespace

std::unique_ptr<Bootstrap> connect_to_launcher(const LauncherAddress& address) {
  return std::make_unique<LauncherClient>(address);
}

}  // namespace weft::bootstrap
