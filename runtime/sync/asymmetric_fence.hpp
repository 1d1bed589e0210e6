// A memory fence that one side pays for (membarrier): a thread that goes to sleep fences all threads of the process, so
// that a thread that wakes it needs no fence between its write and its look at who sleeps.
#pragma once

namespace weft::runtime {
inline namespace sync {

// Whether the kernel can do that; where it cannot, both sides must pass a fence of their own.
bool has_asymmetric_fence();
// A fence in all threads of the process, if it can.
void asymmetric_fence();

}  // namespace sync
}  // namespace weft::runtime
