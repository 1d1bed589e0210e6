// A memory fence for which one side pays (membarrier): a thread that goes to sleep fences all threads of the process. A
// thread that may have to wake it then needs no fence between its store and its load of who sleeps.
#pragma once

namespace weft::runtime {
inline namespace sync {

// Whether the kernel has one; where it has none, each side needs a fence of its own.
bool has_asymmetric_fence();
// A fence in all threads of the process; nothing where the kernel has none.
void asymmetric_fence();

}  // namespace sync
}  // namespace weft::runtime
