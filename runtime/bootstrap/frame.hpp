// Messages between the embedded launcher and the processes it has started, over one stream socket each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::bootstrap {

enum class FrameKind : std::uint8_t {
  // To the launcher.
  // First on a TCP connection. Of a process: number: which; key: its host. Else number: the host; key: kProxyHello or
  // kFilesHello. value: the secret.
  kHello,
  kPut,  // key, value
  kFence,
  kGet,     // number: of which process; key
  kGetAll,  // key; answered for each process in turn
  kRanks,   // value: the ranks that live there, for messages to the user
  kFinish,
  kAbort,      // number: the exit code
  kImage,      // number: which image is whole, 0 or 1; key: its step, and a folder of checkpoints that it goes to, too,
               // if there is one; value: the position of standard input
  kPrepare,    // value: processes that are wanted from a later image on (next_process.hpp)
  kMayChange,  // value: the same; answered by kValue: whether hosts are ready for them, as JobHosts::readiness()
  kLeaving,    // answered by kValue: hosts that want to be left, with commas
  kChange,     // after kImage: from it on, the job goes on with other processes; value: as above
  kResumed,    // the ranks go on from the image
  kMayWrite,   // number: the image that is to be written over; answered by kValue, "1" if it may be
  kCrash,      // a fatal signal is being handled; number: 1 if another process has sent it; value: what ran there
  // The same, from the proxy of another host.
  kEnded,   // number: the process; value: its status as waitpid returns it
  kPort,    // value: where it takes in files of images, a LauncherPort
  kLeave,   // the host wants to be left
  kKept,    // the answer to kKeep
  kCopied,  // a kCopy is over; number, key: as there; value: the host, and 1 if all is there
  kSaved,   // a kSave is over; number, key: as there; value: 1 if all is there, else 0, a space and the target
  // With --survive api, on a connection of their own: failure_coordinator.hpp.
  kRevoke,   // number: a communicator's context
  kApplied,  // number: so many notices have been acted on
  kAgree,    // key: the agreement's name; number: flags; value: acknowledged, a context, the processes that take part
  // To a process.
  kFenced,
  kValue,    // value
  kNothing,  // nobody has put it
  kAlone,    // value: why a fence can never be reached
  kWelcome,  // the answer to kHello
  // To the proxy of another host.
  kStart,   // number: the process to be started; key: how many there are; value: NAME=VALUE, each with a zero behind it
  kSignal,  // number: the signal; key: the process that is to get it
  kWatch,   // the host holds images, and is watched: it is lost where it says nothing for so many milliseconds (number)
  kCopy,    // number: an image; key: files of it, with commas; value: the host that gets them, a space, its kPort
  kSave,    // number, key: the same; value: the CheckpointTarget on a disk that gets them
  kKeep,    // number: an image; key: the files of it that the host will have, others give their memory back
  kForget,  // number: a host that is lost: files that come from it or go there are not waited for
  // Both ways between them: nothing but a sign of life.
  kAlive,
  // To a process: notices, and what comes of them.
  kDied,     // number: the process
  kRevoked,  // number: the communicator's context
  kSettled,  // number: so many notices have been acted on by all
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

// One end of a connection; owns its socket. Used by one thread.
class FrameStream {
 public:
  // A frame longer than `most` bytes breaks the connection.
  explicit FrameStream(int fd, std::size_t most = std::size_t{1} << 30) : fd_(fd), most_(most) {}
  ~FrameStream();
  FrameStream(const FrameStream&) = delete;
  FrameStream& operator=(const FrameStream&) = delete;

  int fd() const { return fd_; }
  void allow(std::size_t most) { most_ = most; }

  // Takes what has arrived, or waits for it on a blocking socket. False once the other end is gone.
  bool receive();
  // The next whole frame of what has arrived. Throws std::runtime_error when it is none of ours.
  std::optional<Frame> next();

  // Part of a frame, or more, has arrived that next() has not given.
  bool has_input() const { return taken_ < input_.size(); }

  void append(const Frame& frame);
  bool has_output() const { return sent_ < output_.size(); }
  // Writes once. False once the other end is gone.
  bool flush();
  // Writes a short frame without a key past what append() has kept; may be called by a signal handler. In vain where
  // the socket is full.
  void send_at_once(FrameKind kind, std::uint32_t number, std::string_view value) const;
  // Tells the other end that all is over.
  void hang_up();

 private:
  int fd_;
  std::size_t most_;
  std::string input_, output_;
  std::size_t taken_ = 0, sent_ = 0;
};

}  // namespace weft::bootstrap
