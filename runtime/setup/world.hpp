// The ranks that a running job is asked to start together: what they run, their numbers, and where they run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pup/pup.hpp"

namespace weft::runtime {
inline namespace setup {

// One program of a world and its command line.
struct Application {
  std::string program;                 // a name or a path
  std::vector<std::string> folders;    // where to look for the program first
  std::vector<std::string> arguments;  // as main gets them, the program's name first
  std::uint32_t ranks = 0;

  void pup(pup::Puper& p) { p | program | folders | arguments | ranks; }
};

// Ranks that start together; the same in all processes. The ranks are in the order of the applications. A rank's place
// counts from 0.
struct World {
  std::vector<Application> applications;
  std::vector<std::uint32_t> ranks;         // by place: its number in the job
  std::vector<std::uint32_t> workers;       // by place: its worker, through the whole job
  std::vector<std::byte> upper_layer_data;  // data that the upper layer passes to these ranks

  // Which application the rank at this place runs.
  std::uint32_t application_of(std::uint32_t place) const {
    std::uint32_t application = 0;
    for (; place >= applications[application].ranks; ++application) {
      place -= applications[application].ranks;
    }
    return application;
  }

  void pup(pup::Puper& p) { p | applications | ranks | workers | upper_layer_data; }
};

}  // namespace setup
}  // namespace weft::runtime
