#include "runtime/sync/asymmetric_fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft::runtime {
inline namespace sync {
namespace {

int membarrier(int command) { return static_cast<int>(syscall(SYS_membarrier, command, 0, 0)); }

}  // namespace

bool has_asymmetric_fence() {
  // The kernel carries out the command only for processes that have registered for it.
  static const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
  return registered;
}

void asymmetric_fence() {
  if (has_asymmetric_fence()) {
    membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  }
}

}  // namespace sync
}  // namespace weft::runtime
