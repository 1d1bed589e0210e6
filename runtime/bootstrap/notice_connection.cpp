#include "runtime/bootstrap/notice_connection.hpp"

#include "base/blocked_signals.hpp"
#include "base/check.hpp"
#include "base/thread_start.hpp"

namespace weft::bootstrap {
namespace {

void handle(NoticeHandler& handler, const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kDied:
      handler.process_died(ProcessId{frame.number});
      break;
    case FrameKind::kRevoked:
      handler.communicator_revoked(frame.number);
      break;
    case FrameKind::kSettled:
      handler.notices_settled(frame.number);
      break;
    case FrameKind::kAgreed: {
      const std::vector<std::uint32_t> numbers = unpack_numbers(frame.value);
      handler.agreed(frame.key, {frame.number, numbers.at(0), numbers.at(1)});
      break;
    }
    default:
      base::fail("the launcher sent a notice of an unknown kind");
  }
}

}  // namespace

void NoticeConnection::serve(NoticeHandler& handler) {
  const base::BlockedSignals inherited;
  thread_ =
      base::start_thread("the thread that receives notices of failures", [this, &handler] { receive_all(handler); });
}

void NoticeConnection::stop() {
  if (thread_.joinable()) {
    stream_.shut_down();
    thread_.join();
  }
}

// The connection ends when the launcher ends, which the HangUpWatch of the other connection notices, or by stop().
void NoticeConnection::receive_all(NoticeHandler& handler) {
  do {
    while (const auto frame = stream_.next()) {
      handle(handler, *frame);
    }
  } while (stream_.receive());
}

void NoticeConnection::send(const Frame& frame) {
  const std::lock_guard lock(sending_);
  stream_.append(frame);
  while (stream_.has_output() && stream_.flush()) {
  }
}

void NoticeConnection::confirm_applied(std::uint32_t notices) { send({FrameKind::kApplied, notices}); }

void NoticeConnection::revoke(std::uint32_t context) { send({FrameKind::kRevoke, context}); }

void NoticeConnection::agree(const std::string& name, const AgreedValue& part,
                             const std::vector<std::uint32_t>& processes) {
  std::vector<std::uint32_t> numbers{part.acknowledged, part.context};
  numbers.insert(numbers.end(), processes.begin(), processes.end());
  send({FrameKind::kAgree, part.flags, name, pack_numbers(numbers)});
}

}  // namespace weft::bootstrap
