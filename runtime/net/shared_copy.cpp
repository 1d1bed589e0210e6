#include "runtime/net/shared_copy.hpp"

#include <immintrin.h>
#include <sched.h>
#include <signal.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace weft::net {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{128} << 10;
constexpr std::uint64_t kPieceMask = 0xffffffff;
constexpr std::uint64_t kClosed = kPieceMask;  // no copy has so many pieces

std::uint64_t pieces_of(std::uint64_t bytes) { return (bytes + kPiece - 1) / kPiece; }

using KernelCopy = decltype(process_vm_readv);

bool copy(KernelCopy& by, pid_t process, const void* there, void* here, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const iovec local{static_cast<std::byte*>(here) + done, bytes - done};
    const iovec remote{static_cast<std::byte*>(const_cast<void*>(there)) + done, bytes - done};
    const ssize_t copied = by(process, &local, 1, &remote, 1, 0);
    if (copied <= 0) {
      errno = copied == 0 ? EFAULT : errno;
      return false;
    }
    done += static_cast<std::size_t>(copied);
  }
  return true;
}

// The helper's last piece may take as long as the system keeps it from its core. False when it is gone.
bool await_pieces(const CopyBoard& board, std::uint64_t pieces, pid_t helper) {
  constexpr int kSpins = 2000;
  // Pairs with the increments of `done` in help_copy(): the pieces are in place before the copy is said to be whole.
  for (int i = 0; board.done.load(std::memory_order_acquire) != pieces; ++i) {
    if (i < kSpins) {
      _mm_pause();
    } else {
      if (kill(helper, 0) != 0 && errno == ESRCH) {
        return false;
      }
      sched_yield();
    }
  }
  return true;
}

}  // namespace

bool copy_from(RemoteSource source, std::span<std::byte> into) {
  return copy(process_vm_readv, source.process, source.address, into.data(), into.size());
}

bool copy_shared(CopyBoard& own, CopyBoard& theirs, ProcessId self, RemoteSource source, std::span<std::byte> into) {
  const std::uint64_t pieces = pieces_of(into.size());
  const std::uint64_t number = ((own.turn.load(std::memory_order_relaxed) >> 32) + 1) << 32;
  // Closed first: who still looks at the copy before must not take this one's description for its. Pairs with the
  // exchange of the turn in help_copy(), which fails if any of the next three values may have been read.
  own.turn.store(number | kClosed, std::memory_order_seq_cst);
  // These three pair with the loads in help_copy(): who reads one of them finds the turn changed when it takes a piece.
  own.from.store(reinterpret_cast<std::uint64_t>(source.address), std::memory_order_release);
  own.into.store(reinterpret_cast<std::uint64_t>(into.data()), std::memory_order_release);  // help_copy(), as above
  own.bytes.store(into.size(), std::memory_order_release);                                  // help_copy(), as above
  own.done.store(0, std::memory_order_relaxed);
  own.refused.store(false, std::memory_order_relaxed);
  // Pairs with the load of the turn in help_copy(): who sees the copy open sees its description.
  own.turn.store(number, std::memory_order_release);
  // Pairs with the exchange in SharedMemory's help(): who is asked sees the open copy.
  theirs.asked_by.store(weft::number(self) + 1, std::memory_order_seq_cst);
  bool whole = true;
  for (;;) {
    // Pairs with the exchange of the turn in help_copy(): each piece is taken once.
    const std::uint64_t piece = own.turn.fetch_add(1, std::memory_order_acq_rel) & kPieceMask;
    if (piece >= pieces) {
      break;
    }
    const std::uint64_t begin = piece * kPiece;
    const std::size_t bytes = std::min<std::uint64_t>(kPiece, into.size() - begin);
    const RemoteSource from{source.process, static_cast<const std::byte*>(source.address) + begin};
    whole = whole && copy_from(from, into.subspan(begin, bytes));
    // Pairs with await_pieces().
    own.done.fetch_add(1, std::memory_order_acq_rel);
  }
  const int why = errno;
  if (!await_pieces(own, pieces, source.process)) {
    errno = ESRCH;
    return false;
  }
  errno = why;
  // Pairs with the store in help_copy(); the increment of `done` behind it is what makes it visible here in time.
  return whole && (!own.refused.load(std::memory_order_acquire) || copy_from(source, into));
}

bool help_copy(CopyBoard& board, pid_t to) {
  // Pairs with the last store of the turn in copy_shared(): the description that follows is at least this turn's.
  std::uint64_t turn = board.turn.load(std::memory_order_acquire);
  // These three pair with the stores in copy_shared(). Acquire, so that the exchange below comes after them: if one is
  // already a later copy's, the turn has been closed before it and the exchange fails.
  const std::uint64_t bytes = board.bytes.load(std::memory_order_acquire);
  const std::uint64_t from = board.from.load(std::memory_order_acquire);  // copy_shared(), as above
  const std::uint64_t into = board.into.load(std::memory_order_acquire);  // copy_shared(), as above
  const std::uint64_t piece = turn & kPieceMask;
  // What was read belongs to this turn if it is still the same: a copy has all its pieces until the last is taken.
  // Pairs with the exchanges of the turn in copy_shared() and in help_copy() of other workers.
  if (piece >= pieces_of(bytes) || !board.turn.compare_exchange_strong(turn, turn + 1, std::memory_order_acq_rel)) {
    return false;
  }
  const std::uint64_t begin = piece * kPiece;
  if (!copy(process_vm_writev, to, reinterpret_cast<const void*>(into + begin), reinterpret_cast<void*>(from + begin),
            std::min(kPiece, bytes - begin))) {
    // Pairs with the load at the end of copy_shared().
    board.refused.store(true, std::memory_order_release);
  }
  // Pairs with await_pieces(): the piece is in place.
  board.done.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

}  // namespace weft::net
