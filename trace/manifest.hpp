// A recording (weftrun --record DIR): a folder with the events of each worker in a file, and manifest.json, which says
// what they are. It is written last: a folder without it holds no whole recording.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/clock.hpp"
#include "trace/sequence.hpp"

namespace weft::trace {

inline constexpr const char* kManifestFile = "manifest.json";

// A file in the folder of the recording: the contents of a Buffer.
struct RecordedFile {
  std::string name;                         // without a folder
  std::uint64_t bytes = 0;                  // its length when it was closed
  bool whole = true;                        // false: events were lost since the file could not be written
  std::optional<std::uint32_t> checksum{};  // base::checksum_of_file(); none: it was recorded before there was one
};

struct RecordedProcess {
  std::uint32_t host = 0;  // an index into Manifest::hosts
  Clock clock;             // its `host` is the same number
  std::vector<RecordedFile> workers;
  RecordedFile job;  // spans and counters of the job
};

struct RecordedWorker {
  std::uint32_t process = 0;
  std::uint32_t numa = 0;             // of its host
  std::optional<std::uint32_t> core;  // as the system numbers it; none: its thread was not bound
};

// How the job was started.
struct RecordedSettings {
  std::uint64_t eager_bytes = 0;  // longer messages used the rendezvous protocol
  std::string lb = "none";
  std::string lb_when = "every";  // with the period, as --lb-when reads it: "every:20"
  std::string lb_model = "last";
  std::string lb_links;  // what messages cost, as --lb-links reads it
  bool lb_continuous = false;
};

struct Manifest {
  std::string program;
  std::vector<std::string> arguments;
  std::string date;  // of the job's end: 2026-11-23T21:58:00Z
  int exit_code = 0;
  RecordedSettings settings;
  std::vector<std::string> hosts;  // names
  std::vector<RecordedProcess> processes;
  std::vector<RecordedWorker> workers;   // through all processes
  std::vector<std::uint32_t> placement;  // by rank, its worker at the start
  std::uint32_t spawned = 0;             // ranks that were spawned and lived in process 0

  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(placement.size()); }
};

// Throws Error if the file cannot be written.
void write_manifest(const std::string& folder, const Manifest& manifest);
// Throws Error, one line that names the folder, if there is no manifest, if it has another version or is damaged, or if
// a file is missing, has another length or checksum than recorded, or has lost events.
Manifest read_manifest(const std::string& folder);

// The files for Sequence. REQUIRES: `manifest` is that of the folder.
std::vector<ProcessFiles> process_files(const std::string& folder, const Manifest& manifest);

}  // namespace weft::trace
