// A recording's manifest lists its files; an incomplete recording gives one clear error line.
#include "trace/manifest.hpp"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include <nlohmann/json.hpp>

#include "base/checksum.hpp"
#include "trace/worker_interval.hpp"
#include "trace/writer.hpp"

namespace weft::trace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ManifestTest : public testing::Test {
 protected:
  ManifestTest() : folder_(testing::TempDir() + "manifest_" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  ~ManifestTest() override { std::filesystem::remove_all(folder_); }

  RecordedFile file(const std::string& name, std::uint64_t events) const {
    Buffer buffer;
    for (std::uint64_t i = 0; i < events; ++i) {
      buffer.add({.kind = EventKind::phase, .time = i, .value = 1});
    }
    std::ofstream(folder_ + '/' + name, std::ios::binary) << buffer.contents();
    const std::string path = folder_ + '/' + name;
    return {.name = name,
            .bytes = std::filesystem::file_size(path),
            .whole = true,
            .checksum = base::checksum_of_file(path)};
  }

  // Two processes on two hosts, with two workers and one.
  Manifest sample() const {
    const Clock here{.host = 0, .begin = {10, 20}, .end = {1010, -30}, .ticks_per_second = 2'000'000'000};
    const Clock there{.host = 1, .begin = {11, 21}, .end = {UINT64_MAX, 31}, .ticks_per_second = 3'000'000'000};
    return {
        .program = "./jacobi",
        .arguments = {"--size", "a \"quoted\" word"},
        .date = "2026-11-23T21:58:00Z",
        .exit_code = 3,
        .settings = {.eager_bytes = 16384,
                     .lb = "refine",
                     .lb_when = "every:20",
                     .lb_model = "mean:4",
                     .lb_links = "0.08:0.01",
                     .lb_continuous = true},
        .hosts = {"one", "other"},
        .processes = {{.host = 0, .clock = here, .workers = {file("0-0", 3), file("0-1", 0)}, .job = file("0-2", 0)},
                      {.host = 1, .clock = there, .workers = {file("1-0", 5)}, .job = file("1-1", 1)}},
        .workers = {{.process = 0, .numa = 0, .core = 4},
                    {.process = 0, .numa = 1, .core = {}},
                    {.process = 1, .numa = 0, .core = {}}},
        .placement = {0, 0, 1, 2},
        .spawned = 2};
  }

  std::string complaint() const {
    try {
      read_manifest(folder_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  // The error message for the manifest with this change.
  std::string complaint_with(const std::function<void(nlohmann::json&)>& change) const {
    write_manifest(folder_, sample());
    std::ifstream in(manifest());
    nlohmann::json json = nlohmann::json::parse(in);
    change(json);
    std::ofstream(manifest()) << json.dump();
    return complaint();
  }
  std::string manifest() const { return folder_ + "/manifest.json"; }

  const std::string folder_;
};

TEST_F(ManifestTest, ReadsWhatWasWritten) {
  const Manifest written = sample();
  write_manifest(folder_, written);
  const Manifest read = read_manifest(folder_);
  EXPECT_EQ(read.program, written.program);
  EXPECT_EQ(read.arguments, written.arguments);
  EXPECT_EQ(read.date, written.date);
  EXPECT_EQ(read.exit_code, 3);
  EXPECT_EQ(read.settings.eager_bytes, 16384U);
  EXPECT_EQ(read.settings.lb, "refine");
  EXPECT_EQ(read.settings.lb_when, "every:20");
  EXPECT_EQ(read.settings.lb_model, "mean:4");
  EXPECT_EQ(read.settings.lb_links, "0.08:0.01");
  EXPECT_TRUE(read.settings.lb_continuous);
  EXPECT_EQ(read.hosts, written.hosts);
  EXPECT_EQ(read.placement, written.placement);
  EXPECT_EQ(read.ranks(), 4U);
  EXPECT_EQ(read.spawned, 2U);
  ASSERT_EQ(read.workers.size(), 3U);
  EXPECT_EQ(read.workers[0].core, 4U);
  EXPECT_EQ(read.workers[1].core, std::nullopt);
  EXPECT_EQ(read.workers[1].numa, 1U);
  EXPECT_EQ(read.workers[2].process, 1U);
}

TEST_F(ManifestTest, NamesTheFilesAndClocksOfEachProcess) {
  write_manifest(folder_, sample());
  const std::vector<ProcessFiles> parts = process_files(folder_, read_manifest(folder_));
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_THAT(parts[0].workers, testing::ElementsAre(folder_ + "/0-0", folder_ + "/0-1"));
  EXPECT_EQ(parts[1].job, folder_ + "/1-1");
  EXPECT_EQ(parts[1].host_name, "other");
  EXPECT_EQ(parts[1].clock.host, 1U);
  EXPECT_EQ(parts[1].clock.begin.ticks, 11U);
  EXPECT_EQ(parts[1].clock.end.ticks, UINT64_MAX);
  EXPECT_EQ(parts[0].clock.end.nanoseconds, -30);
  EXPECT_EQ(parts[1].clock.ticks_per_second, 3'000'000'000U);
  Names names;
  Sequence sequence(parts, names);
  Event event;
  std::uint32_t worker = 0;
  int events = 0;
  while (sequence.next(worker, event)) {
    ++events;
  }
  EXPECT_EQ(events, 9);
}

TEST_F(ManifestTest, AFolderWithoutOneIsNoWholeRecording) {
  EXPECT_THAT(complaint(), AllOf(HasSubstr(folder_), HasSubstr("no whole recording")));
  std::filesystem::remove_all(folder_);
  EXPECT_EQ(complaint(), "there is no recording " + folder_);
}

TEST_F(ManifestTest, ForeignAndDamagedOnesAreNamed) {
  for (const char* const text : {"", "{", "[]", "{\"version\": 6}", "WEFTRACE"}) {
    std::ofstream(manifest()) << text;
    EXPECT_THAT(complaint(), HasSubstr("was not written by weftrun --record")) << text;
  }
  EXPECT_THAT(complaint_with([](auto& json) { json["weft_recording"] = 5; }),
              HasSubstr("it has version 5; this program reads version 6"));
  EXPECT_THAT(complaint_with([](auto& json) { json.erase("placement"); }), HasSubstr("damaged"));
  EXPECT_THAT(complaint_with([](auto& json) { json["hosts"] = 7; }), HasSubstr("damaged"));
  EXPECT_THAT(complaint_with([](auto& json) { json["placement"][1] = 3; }), HasSubstr("a rank is on no worker"));
  EXPECT_THAT(complaint_with([](auto& json) { json["workers"][1]["process"] = 1; }), HasSubstr("do not agree"));
  EXPECT_THAT(complaint_with([](auto& json) { json["processes"][1]["host"] = 2; }), HasSubstr("process 1"));
  EXPECT_THAT(complaint_with([](auto& json) { json["processes"][0]["job"]["name"] = "../else"; }),
              HasSubstr("'../else' is no file's name"));
  EXPECT_EQ(complaint_with([](auto&) {}), "");
}

TEST_F(ManifestTest, PartsThatAreMissingOrOfAnotherLengthAreNamed) {
  write_manifest(folder_, sample());
  std::filesystem::resize_file(folder_ + "/1-0", 2);
  EXPECT_THAT(complaint(), AllOf(HasSubstr("1-0 has 2 bytes"), Not(HasSubstr("\n"))));
  std::filesystem::remove(folder_ + "/1-0");
  EXPECT_THAT(complaint(), HasSubstr("1-0 is missing"));
  Manifest manifest = sample();
  manifest.processes[0].workers[1].whole = false;
  write_manifest(folder_, manifest);
  EXPECT_THAT(complaint(), HasSubstr("0-1 has lost events"));
}

TEST_F(ManifestTest, AlteredPartsAreNamed) {
  write_manifest(folder_, sample());
  std::fstream part(folder_ + "/1-0", std::ios::binary | std::ios::in | std::ios::out);
  part.put('\1');
  part.close();
  EXPECT_THAT(complaint(), HasSubstr("1-0 has been altered: its checksum does not hold"));
  const auto without_checksums = [](nlohmann::json& json) {
    for (nlohmann::json& process : json["processes"]) {
      process["job"].erase("checksum");
      for (nlohmann::json& file : process["workers"]) {
        file.erase("checksum");
      }
    }
  };
  EXPECT_EQ(complaint_with(without_checksums), "");  // recordings from before checksums are read
}

TEST_F(ManifestTest, CannotBeWrittenWhereThereIsNoFolder) {
  const Manifest manifest = sample();
  EXPECT_THROW(write_manifest(folder_ + "/none", manifest), Error);
}

TEST(WorkerInterval, GoesThroughAnEvent) {
  const WorkerInterval interval{
      .wall = 12.345678901, .ran = 3.25, .background = 0.000000007, .stolen = 0.5, .contended = 7.75, .speed = 0.625};
  const WorkerInterval read = interval_of(event_of(interval));
  EXPECT_NEAR(read.wall, interval.wall, 1e-9);
  EXPECT_NEAR(read.background, interval.background, 1e-9);
  EXPECT_NEAR(read.ran, 3.25, 1e-6);
  EXPECT_NEAR(read.stolen, 0.5, 1e-6);
  EXPECT_NEAR(read.contended, 7.75, 1e-6);
  EXPECT_NEAR(read.speed, 0.625, 1e-6);
  const WorkerInterval odd{.wall = -1e-3, .ran = 1e9};  // clocks that disagree; longer than it holds
  EXPECT_EQ(interval_of(event_of(odd)).wall, 0.0);
  EXPECT_GT(interval_of(event_of(odd)).ran, 2000);
}

}  // namespace
}  // namespace weft::trace
