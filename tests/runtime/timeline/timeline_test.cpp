// The timeline that a job writes: of all its processes, also when ranks move; it ends when its memory is full.
#include "runtime/timeline/timeline.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/worker.hpp"
#include "tests/runtime/processes_fixture.hpp"

namespace weft::runtime {
namespace {

using testing::HasSubstr;

std::string file_of(const std::string& name) {
  return testing::TempDir() + "timeline_" + std::to_string(getpid()) + "_" + name + ".json";
}

std::string text_of_file(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(name).rdbuf();
  return text.str();
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

constexpr std::uint32_t kRanks = 6;
constexpr std::uint32_t kSteps = 3;

// Enters a call, migrates in it, and leaves it on the worker where the rank is then.
int migrates_in_calls() {
  for (std::uint32_t i = 0; i < kSteps; ++i) {
    Worker::current()->recorder()->record_call_begin(current_rank()->id, "Migrate", ticks());
    current_rank()->job.migrate(*current_rank());
    Worker::current()->recorder()->record_call_end(current_rank()->id, ticks());
    yield(*current_rank());
  }
  return 0;
}

class Timelines : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, Timelines, kShapes, name_of_shape);

TEST_P(Timelines, HoldWhatAllProcessesDid) {
  const std::string file = file_of("all");
  FunctionProgram program([](Rank&) { return migrates_in_calls(); });
  JobConfig config;
  config.ranks = kRanks;
  config.trace = file;
  EXPECT_EQ(run_processes(GetParam(), config, program), 0);
  const std::string text = text_of_file(file);
  const std::uint32_t workers = GetParam().processes * GetParam().workers;
  for (std::uint32_t w = 0; w < workers; ++w) {
    EXPECT_THAT(text, HasSubstr("\"worker " + std::to_string(w)));
  }
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    EXPECT_THAT(text, HasSubstr(",\"name\":\"rank " + std::to_string(r) + "\"}"));
  }
  EXPECT_EQ(count(text, "\"name\":\"Migrate\""), kRanks * kSteps);
  const bool rotates = GetParam().lb == "rotate";
  EXPECT_EQ(count(text, "\"name\":\"moves\""), rotates && workers > 1 ? kRanks * kSteps : 0);
  EXPECT_EQ(count(text, ": 6 of 6 ranks move"), rotates ? kSteps : 0);
  EXPECT_EQ(count(text, "\"imbalance"), rotates ? kSteps : 0);
  EXPECT_TRUE(text.starts_with("{\"displayTimeUnit\"") && text.ends_with("]}\n"));
  std::filesystem::remove(file);
}

JobConfig one_rank(const std::string& file) {
  JobConfig config;
  config.trace = file;
  return config;
}

TEST(Timeline, EndsWhereItsMemoryIsFull) {
  const std::string file = file_of("full");
  FunctionProgram program([](Rank& me) {
    for (int i = 0; i < 10000; ++i) {
      Worker::current()->recorder()->record_call_begin(me.id, "Call", ticks());
      Worker::current()->recorder()->record_call_end(me.id, ticks());
    }
    return 0;
  });
  JobConfig config = one_rank(file);
  config.trace_bytes = 4096;
  Job job(config, program);
  testing::internal::CaptureStderr();
  job.run();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("does not reach to the end"));
  const std::size_t calls = count(text_of_file(file), "\"Call\"");
  EXPECT_GT(calls, 100U);
  EXPECT_LT(calls, 1000U);
  std::filesystem::remove(file);
}

TEST(Timeline, SaysWhyItCouldNotBeWritten) {
  FunctionProgram program([](Rank&) { return 0; });
  Job job(one_rank("/nowhere/at/all.json"), program);
  testing::internal::CaptureStderr();
  EXPECT_EQ(job.run(), 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("cannot write the trace /nowhere/at/all.json: No such"));
}

TEST(Timeline, IsNotThereUnlessAskedFor) {
  FunctionProgram program([](Rank&) { return Worker::current()->recorder() == nullptr ? 0 : 1; });
  Job job({}, program);
  EXPECT_EQ(job.run(), 0);
  EXPECT_EQ(job.timeline(), nullptr);
}

}  // namespace
}  // namespace weft::runtime
