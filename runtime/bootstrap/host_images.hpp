// The memory files that one host of a job holds for images of ranks, and their copies on other hosts and on disks.
// Child processes transfer files to other hosts and to disks.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "runtime/bootstrap/acceptor.hpp"
#include "runtime/bootstrap/checkpoint_folder.hpp"
#include "runtime/bootstrap/image_files.hpp"
#include "runtime/bootstrap/launcher_port.hpp"

namespace weft::bootstrap {

// The steps of writing a checkpoint: its folder is created, files are copied there, it gets its final name; or its
// folder is removed.
enum class DiskWork : std::uint8_t { folder, files, name, removal };

struct CopyOrder {
  std::uint32_t image = 0;
  std::vector<std::uint32_t> files;                     // 0: the index; 1 + p: the file of process p
  std::uint32_t to = 0;                                 // a host
  std::optional<CheckpointTarget> disk = std::nullopt;  // if set, the target is a checkpoint on a disk, not a host
  DiskWork work = DiskWork::files;                      // for a target on a disk
  bool operator==(const CopyOrder&) const = default;
};

class HostImages {
 public:
  // `host`: this host's number. Throws std::runtime_error.
  explicit HostImages(std::uint32_t host) : host_(host), files_(0) {}
  ~HostImages();
  HostImages(const HostImages&) = delete;
  HostImages& operator=(const HostImages&) = delete;

  ImageFiles& files() { return files_; }
  // Where other hosts send files to; open from the first call on. Throws std::runtime_error.
  LauncherPort port();

  // Starts a copy to a host; `to` is the port of the order's host.
  void send(const CopyOrder& order, const LauncherPort& to);
  // Starts a copy to a disk.
  void save(const CopyOrder& order);
  // Stops all unfinished copies to disks.
  void end_saves();
  // Stops all transfers from and to this host; nothing is received from it any more.
  void drop_host(std::uint32_t host);

  // What to poll() besides SIGCHLD, and what to do then. Returns the finished orders, and whether everything was
  // copied.
  void watch(std::vector<pollfd>& watched) const;
  struct FinishedOrder {
    CopyOrder order;
    bool is_whole = false;
  };
  std::vector<FinishedOrder> serve();

 private:
  void begin(const CopyOrder& order, const std::function<void()>& body);
  void receive(const Frame& hello, FrameStream& from);

  struct Transfer {
    pid_t child = 0;
    std::optional<std::uint32_t> other;  // the host at the other end; nothing: a disk
    std::optional<CopyOrder> order;      // of send() or save(); nothing: files are being received
  };

  const std::uint32_t host_;
  ImageFiles files_;
  std::optional<Acceptor> acceptor_;
  std::vector<Transfer> transfers_;
  std::vector<FinishedOrder> not_begun_;  // no child process could be created for these
  std::set<std::uint32_t> dropped_;       // hosts from which nothing is received any more
};

}  // namespace weft::bootstrap
