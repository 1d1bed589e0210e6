#include "runtime/bootstrap/remote_hosts.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/options.hpp"
#include "base/say.hpp"
#include "runtime/bootstrap/address_words.hpp"
#include "runtime/bootstrap/child_process.hpp"
#include "runtime/bootstrap/heartbeat.hpp"

namespace weft::bootstrap {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAgentTimeout{700};  // for agents to end after their proxies

}  // namespace

// Shuts the connection down first: children that copy files hold copies of it.
void RemoteHosts::disconnect(Host& host) {
  if (host.stream != nullptr) {
    host.stream->shut_down();
    host.stream.reset();
  }
}

RemoteHosts::RemoteHosts(const StartConfig& config, std::optional<milliseconds> host_timeout)
    : config_(config), host_timeout_(host_timeout), acceptor_(std::in_place) {
  if (host_timeout) {
    next_heartbeat_ = Clock::now();
  }
}

void RemoteHosts::add(const std::string& name, bool gets_input) {
  const auto number = static_cast<std::uint32_t>(hosts_.size()) + 1;
  const RemoteProxy started = start_proxy(config_, name, acceptor_.value().port(number), gets_input);
  Host& host = hosts_.emplace_back();
  host.number = number;
  host.agent = started.agent;
  host.input_forwarder = started.input_forwarder;
}

void RemoteHosts::dismiss(std::uint32_t host) {
  Host& its = at(host);
  its.gone = true;
  disconnect(its);
  if (!its.has_connected) {
    end_child(its.agent);
  }
}

std::vector<std::uint32_t> RemoteHosts::to_evacuate() const {
  std::vector<std::uint32_t> hosts;
  for (const Host& host : hosts_) {
    if (host.is_to_be_evacuated && !host.gone) {
      hosts.push_back(host.number);
    }
  }
  return hosts;
}

RemoteHosts::~RemoteHosts() { end_children(); }

void RemoteHosts::end_children() {
  for (Host& host : hosts_) {
    end_child(host.agent);
    end_child(host.input_forwarder);
  }
}

void RemoteHosts::send(Host& host, Frame frame) {
  if (host.stream == nullptr) {
    if (!host.has_connected) {
      host.waiting.push_back(std::move(frame));
    }
    return;
  }
  host.stream->append(frame);
  host.stream->flush();  // poll() reports when the rest fits, or the connection is gone
}

void RemoteHosts::start_process(std::uint32_t host, const LauncherAddress& address,
                                std::span<const std::string> variables) {
  Frame frame{FrameKind::kStart, address.process, std::to_string(address.processes), ""};
  for (const std::string& variable : variables) {
    frame.value.append(variable).push_back('\0');
  }
  send(at(host), std::move(frame));
}

void RemoteHosts::signal_process(std::uint32_t host, std::uint32_t process, int signal) {
  Host& of = at(host);
  const bool ends = signal == SIGTERM || signal == SIGKILL;
  if (of.has_connected || !ends) {
    send(of, {FrameKind::kSignal, static_cast<std::uint32_t>(signal), std::to_string(process), ""});
  } else if (of.agent > 0) {
    ::kill(of.agent, signal);
  }
}

void RemoteHosts::watch(std::vector<pollfd>& watched) const {
  for (const Host& host : hosts_) {
    if (host.stream != nullptr) {
      const bool writes = host.stream->has_output();
      watched.push_back({host.stream->fd(), static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0});
    }
  }
  for (const int caller : acceptor_ ? acceptor_->sockets() : std::vector<int>{}) {
    watched.push_back({caller, POLLIN, 0});
  }
}

std::optional<LauncherPort> RemoteHosts::files_port(std::uint32_t host) const {
  const Host& its = at(host);
  return its.gone ? std::nullopt : its.files_port;
}

void RemoteHosts::copy_files(std::uint32_t host, const CopyOrder& order, const LauncherPort& to) {
  send(at(host), {FrameKind::kCopy, order.image, fmt::format("{}", fmt::join(order.files, ",")),
                  fmt::format("{} {}", order.to, to_text(to))});
}

void RemoteHosts::save_files(std::uint32_t host, const CopyOrder& order) {
  send(at(host), {FrameKind::kSave, order.image, fmt::format("{}", fmt::join(order.files, ",")), to_text(*order.disk)});
}

void RemoteHosts::keep_files(std::uint32_t host, std::uint32_t image, const std::vector<std::uint32_t>& files) {
  if (Host& its = at(host); !its.gone) {
    ++its.not_kept;
    send(its, {FrameKind::kKeep, image, fmt::format("{}", fmt::join(files, ",")), ""});
  }
}

bool RemoteHosts::have_kept() const {
  return std::ranges::all_of(hosts_, [](const Host& host) { return host.gone || host.not_kept == 0; });
}

void RemoteHosts::forget(std::uint32_t lost) {
  for (Host& host : hosts_) {
    if (!host.gone) {
      send(host, {FrameKind::kForget, lost});
    }
  }
}

void RemoteHosts::serve(RemoteEvents& events) {
  for (Host& host : hosts_) {
    if (host.stream != nullptr) {
      read(host, events);
    }
  }
  if (acceptor_) {
    acceptor_->receive(
        [&](const Frame& hello, std::unique_ptr<FrameStream>& stream) { accept_connection(hello, stream, events); });
  }
  if (host_timeout_) {
    exchange_heartbeats();
  }
  look_for_lost(events);
}

// If this process itself has not called this for long, no host counts as silent.
void RemoteHosts::exchange_heartbeats() {
  const auto now = Clock::now();
  if (now - std::exchange(served_, now) > *host_timeout_ / 2) {
    for (Host& host : hosts_) {
      host.last_message = now;
    }
  }
  if (now >= *next_heartbeat_) {
    next_heartbeat_ = now + *host_timeout_ / kHeartbeatsPerTimeout;
    for (Host& host : hosts_) {
      if (host.stream != nullptr) {
        send(host, {FrameKind::kHeartbeat});
      }
    }
  }
}

void RemoteHosts::look_for_lost(RemoteEvents& events) {
  for (Host& host : hosts_) {
    int status = 0;
    const bool ended = host.agent > 0 && ::waitpid(host.agent, &status, WNOHANG) == host.agent;
    const bool is_watched = host_timeout_ && host.has_connected;
    const bool cut = is_watched && host.stream == nullptr;
    const bool silent = is_watched && Clock::now() - host.last_message > *host_timeout_;
    if (ended) {
      host.agent = 0;
    }
    if (!host.gone && (ended || cut || silent)) {
      host.gone = true;
      disconnect(host);
      end_child(host.agent);
      using Loss = RemoteEvents::Loss;
      events.host_lost(host.number, ended ? Loss::agent : cut ? Loss::connection : Loss::silence, status);
    }
  }
}

void RemoteHosts::accept_connection(const Frame& hello, std::unique_ptr<FrameStream>& stream, RemoteEvents& events) {
  if (hello.key != kProxyHello) {
    const auto host = number_of<std::uint32_t>(hello.key);
    if (host >= 1 && host <= hosts_.size() && !at(host).gone) {  // a lost host may have come back
      events.process_connected(hello.number, stream);
    }
    return;
  }
  if (hello.number < 1 || hello.number > hosts_.size() || at(hello.number).stream != nullptr || at(hello.number).gone) {
    return;
  }
  Host& host = at(hello.number);
  host.stream = std::move(stream);
  host.has_connected = true;
  host.last_message = Clock::now();
  send(host, {FrameKind::kAccepted});
  if (host_timeout_) {
    send(host, {FrameKind::kWatch, static_cast<std::uint32_t>(host_timeout_->count())});
  }
  for (Frame& frame : std::exchange(host.waiting, {})) {
    send(host, std::move(frame));
  }
}

void RemoteHosts::read(Host& host, RemoteEvents& events) {
  const bool open = host.stream->receive();
  while (const auto frame = host.stream->next()) {
    host.last_message = Clock::now();
    handle(host, *frame, events);
  }
  if (!open || (host.stream->has_output() && !host.stream->flush())) {
    host.stream.reset();
  }
}

void RemoteHosts::handle(Host& host, const Frame& frame, RemoteEvents& events) {
  if (frame.kind == FrameKind::kEnded) {
    events.process_ended(frame.number, number_of<int>(frame.value));
  } else if (frame.kind == FrameKind::kPort) {
    host.files_port = parse_launcher_port(frame.value);
  } else if (frame.kind == FrameKind::kEvacuateHost) {
    host.is_to_be_evacuated = true;
  } else if (frame.kind == FrameKind::kKept) {
    --host.not_kept;
  } else if (frame.kind == FrameKind::kCopied) {
    CopyOrder order{.image = frame.number, .files = parse_files(frame.key)};
    const auto words = base::split_words(frame.value);
    order.to = number_of<std::uint32_t>(words.at(0));
    events.files_copied(order, words.at(1) == "1");
  } else if (frame.kind == FrameKind::kSaved) {
    const std::string_view target = std::string_view(frame.value).substr(std::min<std::size_t>(2, frame.value.size()));
    events.files_copied(
        {.image = frame.number, .files = parse_files(frame.key), .disk = parse_checkpoint_target(target)},
        frame.value.starts_with('1'));
  } else if (frame.kind != FrameKind::kHeartbeat) {
    throw std::runtime_error(fmt::format("a proxy has sent a message of kind {}: use one version of Weft on all hosts",
                                         static_cast<unsigned>(frame.kind)));
  }
}

void RemoteHosts::close_port() {
  if (!acceptor_) {
    return;
  }
  if (const std::uint64_t rejected = acceptor_->rejected_connections(); rejected != 0) {
    base::say(fmt::format("weftrun: ended {} connection{} of strangers to the launcher's port\n", rejected,
                          rejected == 1 ? "" : "s"));
  }
  acceptor_.reset();
}

void RemoteHosts::kill_agent(std::uint32_t host) const {
  if (const pid_t agent = at(host).agent; agent > 0) {
    ::kill(agent, SIGKILL);
  }
}

void RemoteHosts::finish(StopSignals& signals, bool ended_early) {
  const auto end = Clock::now() + kAgentTimeout;
  for (Host& host : hosts_) {
    host.stream.reset();
    if (host.gone || !host.has_connected) {
      end_child(host.agent);  // it may be waiting for an unreachable host
    }
  }
  for (bool killed = false; !killed;) {
    for (Host& host : hosts_) {
      if (host.agent > 0 && ::waitpid(host.agent, nullptr, WNOHANG) == host.agent) {
        host.agent = 0;
      }
    }
    if (std::ranges::none_of(hosts_, [](const Host& host) { return host.agent > 0; })) {
      return;
    }
    pollfd one{signals.fd(), POLLIN, 0};
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now()).count();
    ::poll(&one, 1, ended_early ? static_cast<int>(std::max<std::int64_t>(left, 0)) : -1);
    killed = signals.stop_request().has_value() || (ended_early && Clock::now() >= end);
  }
  end_children();
}

}  // namespace weft::bootstrap
