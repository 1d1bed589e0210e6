// The recording that is installed as an example must be made anew when the format of recordings changes.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/compile.hpp"
#include "sim/platform_file.hpp"
#include "sim/replay.hpp"

namespace weft::sim {
namespace {

TEST(ExampleRecording, CompilesAndGainsByBalancing) {
  const Compiled compiled = compile_recording(WEFT_EXAMPLES "/chuetsu.rec");
  EXPECT_EQ(compiled.workload.streams.size(), 16U);
  EXPECT_GT(compiled.counts.messages, 0U);
  EXPECT_EQ(migrate_calls(compiled.workload), 16U);
  Platform platform = read_platform(WEFT_EXAMPLES "/two-cores.json");
  platform.interferences = {{.worker = 0, .until = 1e9, .threads = 1}};
  const ReplayResult none = replay(compiled.workload, platform);
  const ReplayResult refine =
      replay(compiled.workload, platform, {.balancing = {.strategy = "refine", .when = "every:5"}});
  EXPECT_GT(none.makespan, 0.9 * compiled.counts.computing);
  EXPECT_LT(refine.makespan, 0.9 * none.makespan);
  EXPECT_TRUE(std::ranges::any_of(refine.steps, [](const StepReport& step) { return step.moves != 0; }));
}

}  // namespace
}  // namespace weft::sim
