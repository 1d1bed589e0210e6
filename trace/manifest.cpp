#include "trace/manifest.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/checksum.hpp"
#include "base/input_file.hpp"

namespace weft::trace {

// The names of the fields are those of the file.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ClockReading, ticks, nanoseconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Clock, begin, end, ticks_per_second)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RecordedSettings, eager_bytes, lb, lb_when, lb_model, lb_links, lb_continuous)

static void to_json(nlohmann::json& json, const RecordedFile& file) {
  json = {{"name", file.name}, {"bytes", file.bytes}, {"whole", file.whole}};
  if (file.checksum) {
    json["checksum"] = *file.checksum;
  }
}
static void from_json(const nlohmann::json& json, RecordedFile& file) {
  json.at("name").get_to(file.name);
  json.at("bytes").get_to(file.bytes);
  json.at("whole").get_to(file.whole);
  if (json.contains("checksum")) {
    file.checksum = json["checksum"].get<std::uint32_t>();
  }
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RecordedProcess, host, clock, workers, job)

// A worker that is not bound has a null for its core.
static void to_json(nlohmann::json& json, const RecordedWorker& worker) {
  json = {{"process", worker.process}, {"numa", worker.numa}, {"core", nullptr}};
  if (worker.core) {
    json["core"] = *worker.core;
  }
}
static void from_json(const nlohmann::json& json, RecordedWorker& worker) {
  json.at("process").get_to(worker.process);
  json.at("numa").get_to(worker.numa);
  worker.core = json.at("core").is_null() ? std::nullopt : std::optional(json.at("core").get<std::uint32_t>());
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Manifest, program, arguments, date, exit_code, settings, hosts, processes, workers,
                                   placement, spawned)

namespace {

constexpr const char* kVersionKey = "weft_recording";

std::string path_of(const std::string& folder, const std::string& file) { return folder + '/' + file; }

Error refuse(const std::string& folder, const std::string& why) {
  return Error("the recording " + folder + ": " + why);
}

nlohmann::json parse(const std::string& folder) {
  const std::string file = path_of(folder, kManifestFile);
  if (!base::why_unreadable(file).empty()) {
    std::error_code ignored;
    const bool is_there = std::filesystem::is_directory(folder, ignored);
    throw is_there ? Error(folder + " is no whole recording: it has no manifest.json, which is written when a job ends")
                   : Error("there is no recording " + folder);
  }
  nlohmann::json json = nlohmann::json::parse(std::ifstream(file, std::ios::binary), nullptr, false);
  if (!json.is_object() || !json.contains(kVersionKey)) {
    throw refuse(folder, "its manifest.json was not written by weftrun --record");
  }
  if (const nlohmann::json& version = json[kVersionKey]; version != kVersion) {
    throw refuse(folder,
                 "it has version " + version.dump() + "; this program reads version " + std::to_string(kVersion));
  }
  return json;
}

// Whether the name is a plain file name, without a path.
bool is_plain(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

void check_file(const std::string& folder, const RecordedFile& file) {
  if (!is_plain(file.name)) {
    throw refuse(folder, "its manifest.json is damaged: '" + file.name + "' is no file's name");
  }
  if (!file.whole) {
    throw refuse(folder, file.name + " has lost events: it could not be written");
  }
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path_of(folder, file.name), error);
  if (error) {
    throw refuse(folder, file.name + " is missing");
  }
  if (bytes != file.bytes) {
    throw refuse(folder, file.name + " has " + std::to_string(bytes) + " bytes, not the " + std::to_string(file.bytes) +
                             " that were recorded");
  }
  if (!file.checksum) {
    return;
  }
  const std::optional<std::uint32_t> checksum = base::checksum_of_file(path_of(folder, file.name));
  if (!checksum) {
    throw refuse(folder, file.name + " cannot be read");
  }
  if (checksum != file.checksum) {
    throw refuse(folder, file.name + " has been altered: its checksum does not hold");
  }
}

// Checks that numbers of hosts, processes and workers exist.
void check_numbers(const std::string& folder, const Manifest& manifest) {
  std::vector<std::uint32_t> workers;  // process of each
  for (std::uint32_t p = 0; p < manifest.processes.size(); ++p) {
    const RecordedProcess& process = manifest.processes[p];
    workers.insert(workers.end(), process.workers.size(), p);
    if (process.host >= manifest.hosts.size() || process.clock.ticks_per_second == 0) {
      throw refuse(folder, "its manifest.json is damaged: process " + std::to_string(p));
    }
  }
  const auto process_of = [](const RecordedWorker& worker) { return worker.process; };
  if (workers.empty() || !std::ranges::equal(manifest.workers, workers, {}, process_of)) {
    throw refuse(folder, "its manifest.json is damaged: workers and processes do not agree");
  }
  const auto is_nowhere = [&](std::uint32_t worker) { return worker >= workers.size(); };
  if (manifest.placement.empty() || std::ranges::any_of(manifest.placement, is_nowhere)) {
    throw refuse(folder, "its manifest.json is damaged: a rank is on no worker");
  }
}

}  // namespace

void write_manifest(const std::string& folder, const Manifest& manifest) {
  nlohmann::json json = manifest;
  json[kVersionKey] = kVersion;
  // Writes another file first and renames it, so that no incomplete manifest is left if the job ends meanwhile.
  const std::string path = path_of(folder, kManifestFile);
  const std::string half = path + ".part";
  std::ofstream out(half, std::ios::binary);
  out << json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  out.close();
  if (!out || std::rename(half.c_str(), path.c_str()) != 0) {
    throw refuse(folder, "cannot write manifest.json: " + std::string(std::strerror(errno)));
  }
}

Manifest read_manifest(const std::string& folder) {
  const nlohmann::json json = parse(folder);
  Manifest manifest;
  try {
    json.get_to(manifest);
  } catch (const nlohmann::json::exception& mistake) {
    throw refuse(folder, "its manifest.json is damaged: " + std::string(mistake.what()));
  }
  check_numbers(folder, manifest);
  for (RecordedProcess& process : manifest.processes) {
    process.clock.host = process.host;
    check_file(folder, process.job);
    for (const RecordedFile& file : process.workers) {
      check_file(folder, file);
    }
  }
  return manifest;
}

std::vector<ProcessFiles> process_files(const std::string& folder, const Manifest& manifest) {
  std::vector<ProcessFiles> parts;
  for (const RecordedProcess& process : manifest.processes) {
    ProcessFiles& part = parts.emplace_back(
        ProcessFiles{.clock = process.clock, .host_name = manifest.hosts[process.host], .workers = {}, .job = {}});
    for (const RecordedFile& file : process.workers) {
      part.workers.push_back(path_of(folder, file.name));
    }
    part.job = path_of(folder, process.job.name);
  }
  return parts;
}

}  // namespace weft::trace
