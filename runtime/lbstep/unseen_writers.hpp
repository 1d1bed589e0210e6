// What writes to this process's memory without the page tables, in which the kernel sees who writes (WriteTracker).
#pragma once

namespace weft::runtime {
inline namespace lbstep {

// The process has an io_uring, whose buffers may be registered, a context of the kernel's asynchronous I/O, whose
// direct reads may be under way, or a device open that may write to memory: a graphics card or an InfiniBand adapter.
// Each pins the pages when it gets them, which counts as a write to them; what it writes later does not.
bool has_unseen_writers();

}  // namespace lbstep
}  // namespace weft::runtime
