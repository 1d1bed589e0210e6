// Recordings of the compiler's tests: each rank has a worker of its own, and events come one microsecond after the
// other.
#pragma once

#include <unistd.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/compile.hpp"
#include "trace/communicators.hpp"
#include "trace/manifest.hpp"
#include "trace/writer.hpp"

namespace weft::sim::test {

using trace::Event;
using trace::EventKind;

inline constexpr std::uint32_t kWorld = 0;  // its context
inline constexpr std::uint32_t kNoRoot = UINT32_MAX;

inline Event sent(std::uint32_t to, std::int64_t bytes, std::int32_t tag = 0, std::uint32_t comm = kWorld) {
  return {.kind = EventKind::sent, .peer = to, .tag = tag, .comm = comm, .value = bytes};
}
inline Event received(std::uint32_t from, std::int64_t bytes, std::int32_t tag = 0, std::uint32_t comm = kWorld) {
  return {.kind = EventKind::received, .peer = from, .tag = tag, .comm = comm, .value = bytes};
}
inline Event start_send(std::uint32_t request, std::uint32_t to, std::int64_t bytes, std::int32_t tag = 0) {
  return {.kind = EventKind::start_send, .peer = to, .tag = tag, .comm = kWorld, .request = request, .value = bytes};
}
inline Event start_receive(std::uint32_t request) { return {.kind = EventKind::start_receive, .request = request}; }
inline Event end_receive(std::uint32_t request, std::uint32_t from, std::int64_t bytes, std::int32_t tag = 0) {
  return {.kind = EventKind::end_receive, .peer = from, .tag = tag, .comm = kWorld, .request = request, .value = bytes};
}
inline Event end_request(std::uint32_t request) { return {.kind = EventKind::end_request, .request = request}; }
inline Event start_collective(std::uint32_t request) {
  return {.kind = EventKind::start_collective, .request = request};
}
inline Event restart(std::uint32_t request) { return {.kind = EventKind::restart, .request = request}; }
inline Event wildcard(std::uint32_t request) {
  return {.kind = EventKind::wildcard, .request = request, .value = trace::kAnySource};
}
inline Event collective(std::int64_t out, std::int64_t in, std::uint32_t root = kNoRoot, std::uint32_t comm = kWorld,
                        std::int32_t element = 0) {
  return {.kind = EventKind::collective, .peer = root, .tag = element, .comm = comm, .value = out, .more = in};
}
inline Event block_to(std::uint32_t member, std::int64_t bytes, std::uint32_t members = 1) {
  return {.kind = EventKind::block_to, .peer = member, .request = members, .value = bytes};
}
inline Event block_from(std::uint32_t member, std::int64_t bytes, std::uint32_t members = 1) {
  return {.kind = EventKind::block_from, .peer = member, .request = members, .value = bytes};
}
inline Event migrates(std::int64_t load_ns, std::int64_t bytes, std::uint32_t bits = trace::kMigratable) {
  return {.kind = EventKind::migrate, .peer = bits, .tag = -1, .value = load_ns, .more = bytes};
}

class TestRecording {
 public:
  explicit TestRecording(std::uint32_t ranks)
      : folder_(testing::TempDir() + "recording_" + std::to_string(getpid())), buffers_(ranks) {
    std::filesystem::create_directories(folder_);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      placement.push_back(rank);
      describe(rank, kWorld, "0-" + std::to_string(ranks - 1) + " MPI_COMM_WORLD");
    }
  }
  TestRecording(const TestRecording&) = delete;
  TestRecording& operator=(const TestRecording&) = delete;
  ~TestRecording() { std::filesystem::remove_all(folder_); }

  void describe(std::uint32_t rank, std::uint32_t context, const std::string& text) {
    add(rank, {.kind = EventKind::comm, .name = buffers_[rank].name(text), .comm = context});
  }
  // The rank computes for `ns`, then it makes this call.
  void call(std::uint32_t rank, const std::string& name, const std::vector<Event>& events = {},
            std::int64_t ns = 1000) {
    if (ns != 0) {
      add(rank, {.kind = EventKind::compute, .value = ns});
    }
    add(rank, {.kind = EventKind::call_begin, .name = buffers_[rank].name(name)});
    for (const Event& event : events) {
      add(rank, event);
    }
    add(rank, {.kind = EventKind::call_end});
  }
  void add(std::uint32_t rank, Event event) {
    event.rank = RankId{rank};
    event.time = now_ += 1000;
    buffers_[rank].add(event);
  }
  std::uint32_t name(std::uint32_t rank, const std::string& text) { return buffers_[rank].name(text); }

  // The folder, which is whole from now on.
  const std::string& finish() {
    trace::RecordedProcess process;
    process.clock = {
        .host = 0, .begin = {0, 0}, .end = {now_, static_cast<std::int64_t>(now_)}, .ticks_per_second = 1'000'000'000};
    trace::Manifest manifest;
    for (std::uint32_t rank = 0; rank < buffers_.size(); ++rank) {
      process.workers.push_back(file("worker" + std::to_string(rank), std::string(buffers_[rank].contents())));
      manifest.workers.emplace_back();
    }
    process.job = file("job", "");
    manifest.hosts = {"here"};
    manifest.processes = {process};
    manifest.spawned = spawned;
    manifest.placement = placement;
    manifest.settings.lb = lb;
    manifest.settings.lb_continuous = lb_continuous;
    trace::write_manifest(folder_, manifest);
    return folder_;
  }
  Compiled compile(const CompileOptions& options = {}) { return compile_recording(finish(), options); }
  // The error of compile() behind the folder's name, or nothing.
  std::string refusal() {
    try {
      compile();
    } catch (const WorkloadError& error) {
      return std::string(error.what()).substr(folder_.size() + 2);
    }
    return "";
  }
  std::uint32_t spawned = 0;
  std::vector<std::uint32_t> placement;  // by rank
  std::string lb = "none";
  bool lb_continuous = false;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  // of the files

 private:
  trace::RecordedFile file(const std::string& name, const std::string& bytes) {
    bytes_ += bytes.size();
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
    return {.name = name, .bytes = bytes.size(), .whole = true};
  }

  std::string folder_;
  std::vector<trace::Buffer> buffers_;
  std::uint64_t now_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace weft::sim::test
