// Manages the other hosts of a job, for the launcher: an agent such as ssh starts one proxy on each (host_proxy.hpp),
// which starts the job's processes there.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/bootstrap/acceptor.hpp"
#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/host_images.hpp"
#include "runtime/bootstrap/launcher_address.hpp"
#include "runtime/bootstrap/start.hpp"
#include "runtime/bootstrap/stop_signals.hpp"

namespace weft::bootstrap {

class RemoteEvents {
 public:
  virtual ~RemoteEvents() = default;
  // A connection that the callee does not take is closed.
  virtual void process_connected(std::uint32_t process, std::unique_ptr<FrameStream>& stream) = 0;
  // `status`: as waitpid returns it. Frames of the process may still be in its connection.
  virtual void process_ended(std::uint32_t process, int status) = 0;
  // The host is lost: its agent has ended with this status, its connection has ended, or it has sent nothing for too
  // long.
  enum class Loss : std::uint8_t { agent, connection, silence };
  virtual void host_lost(std::uint32_t host, Loss loss, int status) = 0;
  // An order of copy_files() or save_files() is over.
  virtual void files_copied(const CopyOrder& order, bool is_whole) = 0;
};

class RemoteHosts {
 public:
  // With `host_timeout`, hosts hold images, and a host that sends nothing for this long is lost. `config` outlives this
  // object. Throws std::runtime_error.
  RemoteHosts(const StartConfig& config, std::optional<std::chrono::milliseconds> host_timeout);
  // Kills what is still running.
  ~RemoteHosts();
  RemoteHosts(const RemoteHosts&) = delete;
  RemoteHosts& operator=(const RemoteHosts&) = delete;

  // Starts a proxy on one more host. Hosts are numbered from 1 on, in the order of the calls. Throws
  // std::runtime_error.
  void add(const std::string& name, bool gets_input);
  // The host does not belong to the job any more: its proxy ends, which does not count as a loss.
  void dismiss(std::uint32_t host);
  // The number of hosts that have ever been added.
  std::uint32_t count() const { return static_cast<std::uint32_t>(hosts_.size()); }
  // True for a host that is neither lost nor dismissed.
  bool is_in_use(std::uint32_t host) const { return !at(host).gone; }
  // The hosts that are to be evacuated.
  std::vector<std::uint32_t> to_evacuate() const;

  // Starts the process once the proxy has connected.
  void start_process(std::uint32_t host, const LauncherAddress& address, std::span<const std::string> variables);
  // Before the proxy has connected, SIGTERM and SIGKILL are sent to the agent instead.
  void signal_process(std::uint32_t host, std::uint32_t process, int signal);
  // The port where the host receives files of images; nothing: unknown yet, or the host is lost.
  std::optional<LauncherPort> files_port(std::uint32_t host) const;
  void copy_files(std::uint32_t host, const CopyOrder& order, const LauncherPort& to);
  void save_files(std::uint32_t host, const CopyOrder& order);
  // keep_files(): the host keeps only these files of the image, and frees the memory of the others. have_kept(): all
  // hosts have done so.
  void keep_files(std::uint32_t host, std::uint32_t image, const std::vector<std::uint32_t>& files);
  bool have_kept() const;
  // Tells all hosts not to wait for transfers from or to a lost host.
  void forget(std::uint32_t lost);

  // What to poll() and until when, and what to do then.
  void watch(std::vector<pollfd>& watched) const;
  std::optional<std::chrono::steady_clock::time_point> due() const { return next_heartbeat_; }
  void serve(RemoteEvents& events);

  // Closes the port. Prints a line if connections without the secret have been rejected.
  void close_port();
  void kill_agent(std::uint32_t host) const;
  // Ends the proxies and waits for the agents, which pass on output. Kills the agents when a signal stops the launcher
  // or, with `ended_early`, after a short time.
  void finish(StopSignals& signals, bool ended_early);

 private:
  using Clock = std::chrono::steady_clock;

  struct Host {
    std::uint32_t number = 0;
    pid_t agent = 0;            // 0: it has ended
    pid_t input_forwarder = 0;  // 0: none
    // to the proxy; null before it has connected and after its connection has ended
    std::unique_ptr<FrameStream> stream;
    std::vector<Frame> waiting;  // until the proxy has connected
    std::optional<LauncherPort> files_port;
    bool has_connected = false;
    Clock::time_point last_message;   // when the last frame arrived
    bool gone = false;                // lost or dismissed
    bool is_to_be_evacuated = false;  // it has requested that
    std::uint32_t not_kept = 0;       // unanswered requests of keep_files()
  };
  void end_children();
  void accept_connection(const Frame& hello, std::unique_ptr<FrameStream>& stream, RemoteEvents& events);
  Host& at(std::uint32_t host) { return *std::next(hosts_.begin(), host - 1); }
  const Host& at(std::uint32_t host) const { return *std::next(hosts_.begin(), host - 1); }
  static void read(Host& host, RemoteEvents& events);
  static void handle(Host& host, const Frame& frame, RemoteEvents& events);
  void exchange_heartbeats();
  void look_for_lost(RemoteEvents& events);
  static void send(Host& host, Frame frame);
  static void disconnect(Host& host);

  const StartConfig& config_;
  const std::optional<std::chrono::milliseconds> host_timeout_;
  std::list<Host> hosts_;  // a list: hosts may be added while it is traversed
  std::optional<Acceptor> acceptor_;
  std::optional<Clock::time_point> next_heartbeat_;  // with host_timeout_: when to send heartbeats to all proxies
  Clock::time_point served_ = Clock::now();          // when serve() was last called
};

}  // namespace weft::bootstrap
