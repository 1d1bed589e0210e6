// Fences that those pay for who are slow anyhow: who goes to sleep passes one in all threads, so that who wakes it
// needs none between what it writes and its look at who sleeps.
#pragma once

namespace weft::runtime {
inline namespace sync {

// Whether the kernel can do that; where it cannot, both sides must pass a fence of their own.
bool has_asymmetric_fence();
// A fence in all threads of the process, if it can.
void asymmetric_fence();

}  // namespace sync
}  // namespace weft::runtime
