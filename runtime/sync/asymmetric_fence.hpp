// A store-load fence of which one side pays for both (Linux's membarrier). A thread that goes to sleep calls
// asymmetric_fence(), which makes every thread of the process execute a fence. Threads that may have to wake it, on
// their fast paths, then only keep the compiler from reordering their store and their load.
#pragma once

namespace weft::runtime {
inline namespace sync {

// Whether the kernel has one; where it has none, each side needs a fence of its own.
bool has_asymmetric_fence();
// A fence in all threads of the process; nothing where the kernel has none.
void asymmetric_fence();

}  // namespace sync
}  // namespace weft::runtime
