// The memory files that one host of a job holds for images of ranks, and their copies on other hosts and on disks.
// Files go from host to host, and to a disk, in child processes.
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

// What is done for a checkpoint: its folder is made, files are copied there, it becomes whole; or its folder is
// removed.
enum class DiskWork : std::uint8_t { folder, files, name, removal };

struct CopyOrder {
  std::uint32_t image = 0;
  std::vector<std::uint32_t> files;                     // 0: the index; 1 + p: that of process p
  std::uint32_t to = 0;                                 // a host
  std::optional<CheckpointTarget> disk = std::nullopt;  // not to a host, but to a checkpoint on a disk
  DiskWork work = DiskWork::files;                      // of that
  bool operator==(const CopyOrder&) const = default;
};

class HostImages {
 public:
  // `host`: this one's number. Throws std::runtime_error.
  explicit HostImages(std::uint32_t host) : host_(host), files_(0) {}
  ~HostImages();
  HostImages(const HostImages&) = delete;
  HostImages& operator=(const HostImages&) = delete;

  ImageFiles& files() { return files_; }
  // Where others send files to: it is open from the first call on. Throws std::runtime_error.
  LauncherPort port();

  // `to` is the port of the order's host.
  void send(const CopyOrder& order, const LauncherPort& to);
  // One to a disk.
  void save(const CopyOrder& order);
  // Those to disks that are not over are stopped.
  void end_saves();
  // What comes from this host, or goes there, is stopped; nothing comes from it any more.
  void drop_host(std::uint32_t host);

  // What to poll() beside SIGCHLD, and what to do then. Returns which orders are over, and whether all is there.
  void watch(std::vector<pollfd>& watched) const;
  struct Outcome {
    CopyOrder order;
    bool is_whole = false;
  };
  std::vector<Outcome> serve();

 private:
  void begin(const CopyOrder& order, const std::function<void()>& body);
  void receive(const Frame& hello, FrameStream& from);

  struct Transfer {
    pid_t child = 0;
    std::optional<std::uint32_t> other;  // the host at the other end; nothing: it is a disk
    std::optional<CopyOrder> order;      // of send() or save(); nothing: files come
  };

  const std::uint32_t host_;
  ImageFiles files_;
  std::optional<Acceptor> acceptor_;
  std::vector<Transfer> transfers_;
  std::vector<Outcome> not_begun_;
  std::set<std::uint32_t> dropped_;
};

}  // namespace weft::bootstrap
