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

// Waits for the pieces that a helper still copies, which may take as long as the system keeps the helper from its core.
// False when the helper's process is gone.
bool await_pieces(const CopyOffer& offer, std::uint64_t pieces, pid_t helper) {
  constexpr int kSpins = 2000;
  // Pairs with the increments of `done` in help_copy(): the pieces are in place before the copy is said to be whole.
  for (int i = 0; offer.done.load(std::memory_order_acquire) != pieces; ++i) {
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

bool copy_shared(CopyOffer& own, CopyOffer& theirs, ProcessId self, RemoteSource source, std::span<std::byte> into) {
  const std::uint64_t pieces = pieces_of(into.size());
  const std::uint64_t number = ((own.next_piece.load(std::memory_order_relaxed) >> 32) + 1) << 32;
  // Close the offer first: a helper that is still reading the description of the previous copy must not mix the two.
  // Pairs with the exchange of next_piece in help_copy(), which fails if any of the next four values may have been
  // read.
  own.next_piece.store(number | kClosed, std::memory_order_seq_cst);
  // These four pair with the loads in help_copy(): a helper that reads one of them finds next_piece changed when it
  // takes a piece.
  own.source.store(source.process, std::memory_order_release);
  own.from.store(reinterpret_cast<std::uint64_t>(source.address), std::memory_order_release);  // help_copy(), as above
  own.into.store(reinterpret_cast<std::uint64_t>(into.data()), std::memory_order_release);     // help_copy(), as above
  own.bytes.store(into.size(), std::memory_order_release);                                     // help_copy(), as above
  own.done.store(0, std::memory_order_relaxed);
  own.refused.store(false, std::memory_order_relaxed);
  // Pairs with the load of next_piece in help_copy(): a helper that sees the copy open sees its description.
  own.next_piece.store(number, std::memory_order_release);
  // Pairs with the exchange in SharedMemory::help(): the process that is asked sees the open copy.
  theirs.asked_by.store(weft::number(self) + 1, std::memory_order_seq_cst);
  bool whole = true;
  for (;;) {
    // Pairs with the exchange of next_piece in help_copy(): each piece is taken once.
    const std::uint64_t piece = own.next_piece.fetch_add(1, std::memory_order_acq_rel) & kPieceMask;
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
  // Pairs with the store in help_copy(). The increment of `done` that follows that store makes it visible here in time.
  return whole && (!own.refused.load(std::memory_order_acquire) || copy_from(source, into));
}

bool help_copy(CopyOffer& offer, pid_t self, pid_t to) {
  // Pairs with the last store of next_piece in copy_shared(): the description read below is at least as new as this
  // value.
  std::uint64_t next_piece = offer.next_piece.load(std::memory_order_acquire);
  // These four pair with the stores in copy_shared(). Acquire, so that the exchange below comes after them: if one of
  // them is already a later copy's, next_piece was closed before it, and the exchange fails.
  const pid_t source = offer.source.load(std::memory_order_acquire);
  const std::uint64_t bytes = offer.bytes.load(std::memory_order_acquire);  // copy_shared(), as above
  const std::uint64_t from = offer.from.load(std::memory_order_acquire);    // copy_shared(), as above
  const std::uint64_t into = offer.into.load(std::memory_order_acquire);    // copy_shared(), as above
  const std::uint64_t piece = next_piece & kPieceMask;
  // If next_piece is still the same, what was read belongs to this copy: a copy offers its pieces until the last one is
  // taken. Pairs with the exchanges of next_piece in copy_shared() and in help_copy() of other workers.
  if (source != self || piece >= pieces_of(bytes) ||
      !offer.next_piece.compare_exchange_strong(next_piece, next_piece + 1, std::memory_order_acq_rel)) {
    return false;
  }
  const std::uint64_t begin = piece * kPiece;
  if (!copy(process_vm_writev, to, reinterpret_cast<const void*>(into + begin), reinterpret_cast<void*>(from + begin),
            std::min(kPiece, bytes - begin))) {
    // Pairs with the load at the end of copy_shared().
    offer.refused.store(true, std::memory_order_release);
  }
  // Pairs with await_pieces(): the piece is in place.
  offer.done.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

}  // namespace weft::net
