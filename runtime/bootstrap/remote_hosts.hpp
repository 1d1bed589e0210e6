// The other hosts of a job, for the launcher: an agent such as ssh starts one proxy on each (host_proxy.hpp), which
// starts the job's processes there.
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
  // May leave the connection where it is: then it is closed.
  virtual void process_connected(std::uint32_t process, std::unique_ptr<FrameStream>& stream) = 0;
  // `status` as waitpid returns it. What the process has sent may still be in its connection.
  virtual void process_ended(std::uint32_t process, int status) = 0;
  // Nothing more is heard of the host: its agent has ended with this status, or else its connection has ended or it has
  // been silent for too long.
  enum class Loss : std::uint8_t { agent, connection, silence };
  virtual void host_lost(std::uint32_t host, Loss loss, int status) = 0;
  // An order of copy_files() or save_files() is over.
  virtual void files_copied(const CopyOrder& order, bool is_whole) = 0;
};

class RemoteHosts {
 public:
  // With `silence` hosts hold images, and one that says nothing for so long is lost. `config` outlives this. Throws
  // std::runtime_error.
  RemoteHosts(const StartConfig& config, std::optional<std::chrono::milliseconds> silence);
  // What still runs is killed.
  ~RemoteHosts();
  RemoteHosts(const RemoteHosts&) = delete;
  RemoteHosts& operator=(const RemoteHosts&) = delete;

  // Starts a proxy on one more host; they are numbered from 1 on, in this order. Throws std::runtime_error.
  void add(const std::string& name, bool gets_input);
  // The host is the job's no more: its proxy ends, and is not missed.
  void dismiss(std::uint32_t host);
  // Of all hosts that there have been.
  std::uint32_t count() const { return static_cast<std::uint32_t>(hosts_.size()); }
  // Neither lost nor dismissed.
  bool is_there(std::uint32_t host) const { return !at(host).gone; }
  // Those that ask to be left.
  std::vector<std::uint32_t> leaving() const;

  // Once the proxy has come in.
  void start_process(std::uint32_t host, const LauncherAddress& address, std::span<const std::string> variables);
  // One that ends the process goes to the agent where the proxy has not come in yet.
  void signal_process(std::uint32_t host, std::uint32_t process, int signal);
  // Where the host takes in files of images; nothing: it is not known yet, or the host is lost.
  std::optional<LauncherPort> files_port(std::uint32_t host) const;
  void copy_files(std::uint32_t host, const CopyOrder& order, const LauncherPort& to);
  void save_files(std::uint32_t host, const CopyOrder& order);
  // Of the image the host will have these files only: others give their memory back; and whether all hosts have done
  // so.
  void keep_files(std::uint32_t host, std::uint32_t image, const std::vector<std::uint32_t>& files);
  bool have_kept() const;
  // What comes from a host that is lost, or goes there, is not waited for.
  void forget(std::uint32_t lost);

  // What to poll() and until when, and what to do then.
  void watch(std::vector<pollfd>& watched) const;
  std::optional<std::chrono::steady_clock::time_point> due() const { return next_sign_; }
  void serve(RemoteEvents& events);

  // No connection comes in any more. A line says so if strangers have tried.
  void close_port();
  void kill_agent(std::uint32_t host) const;
  // The proxies end, and this waits for the agents, which pass on what was printed; kills them on a signal that stops
  // the launcher, and `in_haste` soon.
  void finish(StopSignals& signals, bool in_haste);

 private:
  using Clock = std::chrono::steady_clock;

  struct Host {
    std::uint32_t number = 0;
    pid_t agent = 0;                      // 0: has ended
    pid_t feeder = 0;                     // 0: there is none
    std::unique_ptr<FrameStream> stream;  // to the proxy; null before it has come in and after it has gone
    std::vector<Frame> waiting;           // for the proxy to come in
    std::optional<LauncherPort> files_port;
    bool has_come_in = false;
    Clock::time_point heard;     // the last time
    bool gone = false;           // lost or dismissed
    bool leaves = false;         // it asks for that
    std::uint32_t not_kept = 0;  // questions of keep_files() that it has not answered
  };
  void end_children();
  void let_in(const Frame& hello, std::unique_ptr<FrameStream>& stream, RemoteEvents& events);
  Host& at(std::uint32_t host) { return *std::next(hosts_.begin(), host - 1); }
  const Host& at(std::uint32_t host) const { return *std::next(hosts_.begin(), host - 1); }
  static void read(Host& host, RemoteEvents& events);
  static void handle(Host& host, const Frame& frame, RemoteEvents& events);
  void exchange_signs();
  void look_for_lost(RemoteEvents& events);
  static void send(Host& host, Frame frame);
  static void cut_off(Host& host);

  const StartConfig& config_;
  const std::optional<std::chrono::milliseconds> silence_;
  std::list<Host> hosts_;  // one more may come while they are looked through
  std::optional<Acceptor> acceptor_;
  std::optional<Clock::time_point> next_sign_;  // with silence_: of life, to all proxies
  Clock::time_point served_ = Clock::now();     // the last time
};

}  // namespace weft::bootstrap
