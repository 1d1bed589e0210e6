// Observations of the tests: runs of one program whose sums are given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/observation.hpp"

namespace weft::predict::test {

inline Observation observed(std::uint32_t ranks, std::uint32_t workers, double time, std::uint32_t hosts = 1) {
  Profile profile{.name = std::to_string(ranks) + ".rec",
                  .program = "app",
                  .ranks = ranks,
                  .workers = workers,
                  .hosts = hosts,
                  .time = time,
                  .rank_computing = std::vector<double>(ranks, time * workers / ranks),
                  .messages = std::uint64_t{10} * ranks,
                  .message_bytes = std::uint64_t{1000} * ranks};
  return observation_of(profile, Machine{.name = "here", .network = {.seconds_per_byte = 1e-9}});
}

inline Configuration cores_of(std::uint32_t cores, std::uint32_t ranks, double speed = 1.0) {
  return {.machine = {.name = "there", .cores = cores, .speed = speed}, .instances = 1, .ranks = ranks};
}

}  // namespace weft::predict::test
