// The command line.
#pragma once

#include <optional>
#include <string>

#include "input/case.hpp"
#include "output/observer.hpp"
#include "output/results.hpp"
#include "parallel/simulation.hpp"

namespace ondes3d {

struct Options {
  std::string parameters;
  std::string out;  // empty: the case's own `dir`
  CaseOptions reading;
  RunOptions run;
  ObserverOptions watch;
  ResultOptions results;
  Index3 parts{};  // px, py, pz; 0: free
  double kappa = 1;
  bool double_precision = false;
  bool keep_denormals = false;
  bool domain_map = false;
};

// What to do after parsing: run with the options, or end with the exit code if there is one.
struct Parsed {
  Options options;
  std::optional<int> exit_code;
};

// Prints help and complaints when `speak`; every rank parses, one speaks.
[[nodiscard]] Parsed parse_options(int argc, char** argv, bool speak);

}  // namespace ondes3d
