#include "runtime/bootstrap/host_proxy.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/options.hpp"
#include "runtime/bootstrap/address_words.hpp"
#include "runtime/bootstrap/connect_with_secret.hpp"
#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/heartbeat.hpp"
#include "runtime/bootstrap/host_images.hpp"
#include "runtime/bootstrap/image_files.hpp"
#include "runtime/bootstrap/launcher_address.hpp"
#include "runtime/bootstrap/launcher_port.hpp"
#include "runtime/bootstrap/start.hpp"
#include "runtime/bootstrap/stop_signals.hpp"

namespace weft::bootstrap {
namespace {

constexpr std::chrono::seconds kGivesUp{10};  // without an answer of the launcher's host: then the proxy ends

void read_nothing_more() {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0 || ::dup2(null, STDIN_FILENO) < 0) {
    throw std::runtime_error(std::string("cannot open /dev/null: ") + std::strerror(errno));
  }
  ::close(null);
}

// Reads where the launcher is. The rest of standard input belongs to the processes.
LauncherPort take_port() {
  const bool has_input = std::getenv(kVariable) == kProxyWithInput;
  LauncherPort port = read_launcher_port();
  if (!has_input) {
    read_nothing_more();
  }
  return port;
}

class HostProxy {
 public:
  explicit HostProxy(std::vector<std::string> command)
      : start_{.command = std::move(command), .variables = {}, .agent = {}, .signals = signals_.before()},
        port_(take_port()),
        launcher_(connect_with_secret(port_, {FrameKind::kHello, port_.host, kProxyHello, port_.secret})) {}
  ~HostProxy();
  HostProxy(const HostProxy&) = delete;
  HostProxy& operator=(const HostProxy&) = delete;

  int run();

 private:
  void handle(const Frame& frame);
  void start(const Frame& frame);
  std::string with_own_images(std::string_view setting);
  void copy(const Frame& frame);
  void signal_all(int signal) const;
  int watch_launcher();
  bool requests_evacuation(int signal);
  void reap();
  void serve_images();
  void send(const Frame& frame);

  StopSignals signals_;
  const StartConfig start_;
  const LauncherPort port_;
  const std::unique_ptr<FrameStream> launcher_;
  struct Process {
    std::uint32_t number = 0;
    std::unique_ptr<FrameStream> stream;  // the process's connection to the launcher; its children may hold copies
  };
  std::map<pid_t, Process> processes_;      // that are running
  std::optional<HostImages> images_;        // in a job with --survive
  std::optional<LauncherHeartbeat> watch_;  // the same
  bool has_requested_evacuation_ = false;   // of this host, after the first SIGTERM
};

HostProxy::~HostProxy() {
  for (const auto& [pid, process] : processes_) {
    ::kill(pid, SIGKILL);
  }
  for (const auto& [pid, process] : processes_) {
    ::waitpid(pid, nullptr, 0);
  }
}

int HostProxy::run() {
  for (bool open = true; open;) {
    const auto frame = launcher_->next();  // the first may have come together with kAccepted
    if (frame) {
      handle(*frame);
    }
    std::vector<pollfd> watched{{launcher_->fd(), POLLIN, 0}, {signals_.fd(), POLLIN, 0}};
    if (images_) {
      images_->watch(watched);
    }
    const int timeout = watch_launcher();
    ::poll(watched.data(), watched.size(), frame ? 0 : timeout);
    // A terminal's SIGINT reaches the launcher as well, which decides what to do.
    if (const auto signal = signals_.stop_request(); signal && *signal != SIGINT && !requests_evacuation(*signal)) {
      return 128 + *signal;
    }
    reap();
    serve_images();
    open = watched[0].revents == 0 || launcher_->receive();
    if (watch_ && watched[0].revents != 0 && watch_->note_message()) {
      signal_all(SIGCONT);
    }
  }
  return 0;
}

// Sends heartbeats and checks that the launcher's arrive. If these fail to come, stops this host's processes, since the
// job may continue without them; run() resumes them at the next message. Returns the milliseconds until the next call;
// -1: none is needed.
int HostProxy::watch_launcher() {
  if (!watch_) {
    return -1;
  }
  if (watch_->is_heartbeat_due()) {
    send({FrameKind::kHeartbeat});
  }
  if (watch_->has_timed_out()) {
    signal_all(SIGSTOP);
  }
  return watch_->milliseconds_left();
}

// The first SIGTERM announces that this host is about to go: if possible, the job moves its processes elsewhere
// meanwhile.
bool HostProxy::requests_evacuation(int signal) {
  if (signal != SIGTERM || !watch_ || has_requested_evacuation_) {
    return false;
  }
  has_requested_evacuation_ = true;
  send({FrameKind::kEvacuateHost});
  return true;
}

void HostProxy::signal_all(int signal) const {
  for (const auto& [pid, process] : processes_) {
    ::kill(pid, signal);
  }
}

void HostProxy::handle(const Frame& frame) {
  if (frame.kind == FrameKind::kStart) {
    start(frame);
  } else if (frame.kind == FrameKind::kSignal) {
    const auto wanted = number_of<std::uint32_t>(frame.key);
    for (const auto& [pid, process] : processes_) {
      if (process.number == wanted) {
        ::kill(pid, static_cast<int>(frame.number));
      }
    }
  } else if (frame.kind == FrameKind::kWatch) {
    images_.emplace(port_.host);
    watch_.emplace(std::chrono::milliseconds(frame.number));
    give_up_after(launcher_->fd(), kGivesUp);
    send({FrameKind::kPort, 0, "", to_text(images_->port())});
  } else if (frame.kind == FrameKind::kCopy && images_) {
    copy(frame);
  } else if (frame.kind == FrameKind::kSave && images_) {
    images_->save(
        {.image = frame.number, .files = parse_files(frame.key), .disk = parse_checkpoint_target(frame.value)});
  } else if (frame.kind == FrameKind::kKeep && images_) {
    images_->files().keep(frame.number, parse_files(frame.key));
    send({FrameKind::kKept});
  } else if (frame.kind == FrameKind::kForget && images_) {
    images_->drop_host(frame.number);
  } else if (frame.kind != FrameKind::kHeartbeat) {
    throw std::runtime_error(
        fmt::format("weftrun sent a message of kind {}, which was not expected: use one version of Weft on all hosts",
                    static_cast<unsigned>(frame.kind)));
  }
}

// Replaces the memory files in `setting` by this host's.
std::string HostProxy::with_own_images(std::string_view setting) {
  std::string_view text = setting;
  text.remove_prefix(text.find('=') + 1);
  ImagesAddress address = parse_images_address(text);
  address.paths = images_->files().paths();
  return fmt::format("{}={}", kImagesVariable, to_text(address));
}

void HostProxy::copy(const Frame& frame) {
  const auto words = base::split_words(frame.value);
  const CopyOrder order{
      .image = frame.number, .files = parse_files(frame.key), .to = number_of<std::uint32_t>(words.at(0))};
  images_->send(order, parse_launcher_port(words.at(1)));
}

void HostProxy::serve_images() {
  if (!images_) {
    return;
  }
  for (const HostImages::FinishedOrder& outcome : images_->serve()) {
    const CopyOrder& order = outcome.order;
    const int is_whole = outcome.is_whole ? 1 : 0;
    send(
        {order.disk ? FrameKind::kSaved : FrameKind::kCopied, order.image,
         fmt::format("{}", fmt::join(order.files, ",")),
         order.disk ? fmt::format("{} {}", is_whole, to_text(*order.disk)) : fmt::format("{} {}", order.to, is_whole)});
  }
}

void HostProxy::start(const Frame& frame) {
  const auto processes = number_of<std::uint32_t>(frame.key);
  if (images_) {
    images_->files().make_room(processes);
  }
  std::vector<std::string> variables;
  for (const auto variable : base::split_words(frame.value, '\0')) {
    const bool is_images = images_ && variable.starts_with(std::string(kImagesVariable) + "=");
    variables.push_back(is_images ? with_own_images(variable) : std::string(variable));
  }
  auto stream = connect_with_secret(port_, {FrameKind::kHello, frame.number, std::to_string(port_.host), port_.secret});
  const LauncherAddress address{.process = frame.number, .processes = processes, .fd = stream->fd()};
  const pid_t pid = start_process(start_, address, true, variables);
  processes_.emplace(pid, Process{.number = frame.number, .stream = std::move(stream)});
}

void HostProxy::reap() {
  std::erase_if(processes_, [this](const auto& one) {
    const auto& [pid, process] = one;
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) != pid) {
      return false;
    }
    process.stream->shut_down();  // also for its children's copies; what it has sent arrives first
    send({FrameKind::kEnded, process.number, "", std::to_string(status)});
    return true;
  });
}

// If the launcher is gone, run() notices that too.
void HostProxy::send(const Frame& frame) {
  launcher_->append(frame);
  while (launcher_->has_output() && launcher_->flush()) {
  }
}

}  // namespace

bool is_host_proxy() {
  const char* const value = std::getenv(kVariable);
  return value != nullptr && (value == kProxyWithInput || value == kProxyWithoutInput);
}

int run_host_proxy(std::span<const char* const> arguments) { return HostProxy(same_command(arguments)).run(); }

}  // namespace weft::bootstrap
