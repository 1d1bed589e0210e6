// Writes the definitions of an OTF2 archive: the locations, regions and communicators that its events use.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/communicators.hpp"
#include "trace/names.hpp"
#include "trace/otf2/archive.hpp"
#include "trace/sequence.hpp"

namespace weft::trace::otf2 {

struct LocationFacts {
  std::uint32_t process = 0;  // of its first event
  std::uint64_t events = 0;
};

// What the definitions need to know of the events that were written.
struct Contents {
  Names names;
  Names calls;  // those of `names` that are calls
  Communicators comms;
  std::map<std::uint32_t, LocationFacts> ranks;
  LocationFacts job;                      // its location is the one after the last rank's
  std::vector<std::uint32_t> process_of;  // by worker
  std::uint64_t first_time = UINT64_MAX;
  std::uint64_t last_time = 0;

  std::uint32_t rank_count() const { return ranks.empty() ? 0 : ranks.rbegin()->first + 1; }
};

// `parts` are those of the events.
void write_definitions(Archive& archive, const Contents& contents, const std::vector<ProcessFiles>& parts);

}  // namespace weft::trace::otf2
