// The function of libmpi_abi that weftrun calls: it loads a program and runs it as the ranks of an MPI job.
#pragma once

#include "launch/launch_config.hpp"

// Runs the job to its end and returns its exit code. Throws std::exception when the program or the machine does not
// allow it: the text is one line for the user.
extern "C" [[gnu::visibility("default")]] int weft_launch(const weft::launch::LaunchConfig& config);
