// Finds writers to this process's memory that the page tables do not show, so that the kernel cannot track them
// (WriteTracker).
#pragma once

namespace weft::runtime {
inline namespace lbstep {

// True if the process has an io_uring, whose buffers may be registered; a context of the kernel's asynchronous I/O,
// whose direct reads may be in progress; or an open device that may write to memory: a graphics card or an InfiniBand
// adapter. Each of these pins pages. Pinning counts as a write to them; what the device writes later does not.
bool has_unseen_writers();

}  // namespace lbstep
}  // namespace weft::runtime
