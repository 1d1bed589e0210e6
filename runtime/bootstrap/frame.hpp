// Messages between the embedded launcher and the processes and proxies that it starts, over one stream socket each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::bootstrap {

enum class FrameKind : std::uint8_t {
  // From a process to the launcher.
  // kHello is the first frame on a TCP connection; value: the secret. On a process's connection number: the process;
  // key: its host's number. On others number: the host that connects; key: kProxyHello or kFilesHello.
  kHello,
  kPut,  // key, value
  kFence,
  kGet,     // number: of which process; key
  kGetAll,  // key; answered for each process in turn
  kRanks,   // value: the ranks that live there, for messages to the user
  kFinish,
  kAbort,      // number: the exit code
  kImage,      // number: which image is complete, 0 or 1; key: its step, then the folder of checkpoints to which it is
               // copied, if there is one; value: the position of standard input
  kPrepare,    // value: processes that are wanted from a later image on (next_process.hpp)
  kMayChange,  // value: the same; answered by kValue: JobHosts::readiness() of their hosts
  kHostsToEvacuate,  // answered by kValue: hosts that are to be evacuated, separated by commas
  kChange,           // after kImage: the job continues from that image with other processes; value: as above
  kResumed,          // the ranks have gone on from the image
  kMayWrite,         // number: the image that is to be overwritten; answered by kValue, "1" if it may be
  kCrash,            // a fatal signal is being handled; number: 1 if another process has sent it; value: what ran there
  // From the proxy of another host to the launcher.
  kEnded,         // number: the process; value: its status as waitpid returns it
  kPort,          // value: the LauncherPort where it receives files of images
  kEvacuateHost,  // the host is to be evacuated
  kKept,          // the answer to kKeep
  kCopied,        // a kCopy is over; number, key: as there; value: the host, a space, 1 if all was copied, else 0
  kSaved,         // a kSave is over; number, key: as there; value: 1 if all was saved, else 0, a space, the target
  // With --survive api, on a separate connection: failure_coordinator.hpp.
  kRevoke,   // number: a communicator's context
  kApplied,  // number: how many notices have been acted on
  kAgree,    // key: the agreement's name; number: flags; value: acknowledged, a context, the processes that take part
  // From the launcher to a process.
  kFenced,
  kValue,     // value
  kNotFound,  // no process has put this key
  kFailed,    // value: why a fence can never be reached
  kAccepted,  // the answer to kHello
  // From the launcher to the proxy of another host.
  kStart,   // number: the process to start; key: how many processes there are; value: NAME=VALUE, each ended by a zero
  kSignal,  // number: the signal; key: the process that is to get it
  kWatch,   // the host holds images; number: it counts as lost if it sends nothing for so many milliseconds
  kCopy,    // number: an image; key: files of it, with commas between; value: the receiving host, a space, its kPort
  kSave,    // number, key: the same; value: the CheckpointTarget on a disk that gets them
  kKeep,    // number: an image; key: the files of it that the host will have; the memory of other files is freed
  kForget,  // number: a host that is lost: transfers from it or to it are not waited for
  // Between the launcher and a proxy, both ways.
  kHeartbeat,
  // From the launcher to a process: notices, and their results.
  kDied,     // number: the process
  kRevoked,  // number: the communicator's context
  kSettled,  // number: how many notices all processes have acted on
  kAgreed,   // key: the agreement's name; number: flags; value: acknowledged, a context
};
constexpr const char* kProxyHello = "proxy";
constexpr FrameKind kLastFrameKind = FrameKind::kAgreed;

struct Frame {
  FrameKind kind{};
  std::uint32_t number = 0;
  std::string key = {};
  std::string value = {};
};

// One end of a connection; owns its socket. One thread at a time sends, and one receives: append() and flush() use no
// member that receive() and next() change.
class FrameStream {
 public:
  // next() rejects a frame whose key and value have more than `most` bytes.
  explicit FrameStream(int fd, std::size_t most = std::size_t{1} << 30) : fd_(fd), most_(most) {}
  ~FrameStream();
  FrameStream(const FrameStream&) = delete;
  FrameStream& operator=(const FrameStream&) = delete;

  int fd() const { return fd_; }
  void allow(std::size_t most) { most_ = most; }

  // Receives what has arrived, or waits for it on a blocking socket. False once the other end is gone.
  bool receive();
  // The next complete frame of what has arrived. Throws std::runtime_error when it is invalid.
  std::optional<Frame> next();

  // True when received bytes remain that next() has not returned.
  bool has_input() const { return taken_ < input_.size(); }

  void append(const Frame& frame);
  bool has_output() const { return sent_ < output_.size(); }
  // Writes once. False once the other end is gone.
  bool flush();
  // Writes a short frame without a key directly, bypassing what append() has buffered; a signal handler may call it.
  // The frame is lost where the socket is full.
  void send_at_once(FrameKind kind, std::uint32_t number, std::string_view value) const;
  // Ends the connection in both directions: shutdown(2). Also ends copies of it that child processes hold.
  void shut_down();

 private:
  int fd_;
  std::size_t most_;
  std::string input_, output_;
  std::size_t taken_ = 0, sent_ = 0;
};

}  // namespace weft::bootstrap
