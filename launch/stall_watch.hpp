// What --stall asks for: while a job stands still, `weft` beside weftrun prints what its ranks do.
#pragma once

#include <string>

#include "inspect/connection.hpp"

namespace weft::launch {

// While it lives, a process of the program `weft` asks the job's processes now and then whether they get on, and writes
// to standard error when they have not for `seconds`. That is no child of this process, whose ranks may wait for
// theirs; it ends with this object and with this process, however that ends. Throws std::runtime_error, one line, where
// `weft` cannot be started. REQUIRES: the job's socket is open, no rank runs.
class StallWatch {
 public:
  StallWatch(const std::string& job, double seconds);

 private:
  inspect::Descriptor lifeline_;  // the other end sees that it is closed
};

}  // namespace weft::launch
