// Implements --stall: a process of the program `weft` prints what the ranks do when the job makes no progress.
#pragma once

#include <string>

#include "inspect/connection.hpp"

namespace weft::launch {

// While it lives, a process of the program `weft` asks the job's processes now and then for their progress, and writes
// to standard error when there was none for `seconds`. It is no child of this process, since ranks may wait for their
// own children. It ends with this object, and with this process however that ends. Throws std::runtime_error, one line,
// where `weft` cannot be started. REQUIRES: the job's socket is open, no rank runs.
class StallWatch {
 public:
  StallWatch(const std::string& job, double seconds);

 private:
  inspect::Descriptor pipe_;  // the watching process ends when this end is closed
};

}  // namespace weft::launch
