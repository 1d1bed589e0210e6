// Writes the archive's events, for some ranks at a time to limit the number of open buffers, then its definitions.
#include "trace/otf2/write.hpp"

#include <algorithm>
#include <memory>

#include "trace/otf2/definitions.hpp"
#include "trace/otf2/location.hpp"

namespace weft::trace {
namespace {

using otf2::Contents;
using otf2::Location;

constexpr std::uint32_t kRanksAtATime = 256;

class ArchiveWriter {
 public:
  ArchiveWriter(const std::string& folder, const std::vector<ProcessFiles>& parts) : parts_(parts), archive_(folder) {
    for (std::uint32_t process = 0; process < parts.size(); ++process) {
      contents_.process_of.insert(contents_.process_of.end(), parts[process].workers.size(), process);
    }
  }

  void write() {
    std::uint32_t first = 0;
    do {
      write_ranks(first);
      first += kRanksAtATime;
    } while (first < contents_.rank_count());
    write_job();
    write_definitions(archive_, contents_, parts_);
    archive_.close();
  }

 private:
  // Writes the events of kRanksAtATime ranks, from `first` on.
  void write_ranks(std::uint32_t first) {
    std::vector<std::unique_ptr<Location>> open(kRanksAtATime);
    Sequence events(parts_, contents_.names);
    Event event;
    std::uint32_t worker = 0;
    while (events.next(worker, event)) {
      contents_.first_time = std::min(contents_.first_time, event.time);
      contents_.last_time = std::max(contents_.last_time, event.time);
      if (!has_rank(event.kind)) {
        continue;
      }
      const std::uint32_t rank = number(event.rank);
      contents_.ranks.try_emplace(rank, otf2::LocationFacts{contents_.process_of[worker], 0});
      if (event.kind == EventKind::comm) {
        contents_.comms.define(event.comm, contents_.names.texts()[event.name]);
      } else if (event.kind == EventKind::call_begin) {
        event.name = contents_.calls.intern(contents_.names.texts()[event.name]);
      }
      if (rank >= first && rank - first < kRanksAtATime) {
        std::unique_ptr<Location>& location = open[rank - first];
        if (location == nullptr) {
          location = std::make_unique<Location>(archive_, rank);
        }
        location->handle(worker, event, contents_.calls, contents_.comms);
      }
    }
    for (std::uint32_t i = 0; i < kRanksAtATime; ++i) {
      if (open[i] != nullptr) {
        contents_.ranks[first + i].events = open[i]->close();
      }
    }
  }

  void write_job() {
    Location location(archive_, contents_.rank_count());
    Sequence events(parts_, contents_.names);
    Event event;
    std::uint32_t worker = 0;
    while (events.next(worker, event)) {
      if (!has_rank(event.kind) && !is_recording_only(event.kind)) {
        location.handle_job(event);
      }
    }
    contents_.job.events = location.close();
  }

  const std::vector<ProcessFiles>& parts_;
  otf2::Archive archive_;
  Contents contents_;
};

}  // namespace

bool has_otf2() { return true; }
std::string otf2_anchor(const std::string& folder) { return folder + "/traces.otf2"; }
void write_otf2(const std::string& folder, const std::vector<ProcessFiles>& parts) {
  ArchiveWriter(folder, parts).write();
}

}  // namespace weft::trace
