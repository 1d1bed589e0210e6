// Recordings become workloads: messages, requests, loops, and what ranks have computed.
#include "sim/compile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "recordings.hpp"
#include "sim/actions_file.hpp"
#include "sim/replay.hpp"
#include "workloads.hpp"

namespace weft::sim::test {
namespace {

using testing::HasSubstr;

std::vector<ActionKind> kinds_of(const Workload& workload, std::size_t rank) {
  const Template& pattern = workload.templates[workload.streams[rank].pattern];
  std::vector<ActionKind> kinds;
  for (std::size_t i = 0; i < pattern.actions; ++i) {
    const ActionKind kind = workload.actions[pattern.first_action + i].kind;
    if (kind != ActionKind::compute && kind != ActionKind::stop) {
      kinds.push_back(kind);
    }
  }
  return kinds;
}

using Kinds = std::vector<ActionKind>;

// On a machine whose messages and switches cost nothing.
ReplayResult run_free(const Workload& workload, std::uint32_t workers) {
  Platform platform = free_memory(workers);
  platform.in_memory = {.step = 0, .member = 0, .worker = 0, .per_byte = 0};
  return replay(workload, platform);
}

TEST(Compile, BlockingMessagesAndWhatWasComputed) {
  TestRecording recording(2);
  recording.call(0, "MPI_Init", {}, 0);
  recording.call(0, "MPI_Comm_rank", {}, 500'000);
  recording.call(0, "MPI_Send", {sent(1, 4000, 3)}, 1'500'000);
  recording.call(0, "MPI_Finalize", {}, 250'000);
  recording.call(1, "MPI_Recv", {received(0, 4000, 3)}, 1'000'000);
  recording.call(1, "MPI_Finalize", {}, 4'000'000);
  const Compiled compiled = recording.compile();
  EXPECT_EQ(kinds_of(compiled.workload, 0), Kinds{ActionKind::send});
  EXPECT_EQ(kinds_of(compiled.workload, 1), Kinds{ActionKind::recv});
  EXPECT_THAT(compiled.workload.values, testing::ElementsAre(2e-3F, 0.25e-3F, 1e-3F, 4e-3F));
  EXPECT_EQ(compiled.counts.messages, 1U);
  EXPECT_EQ(compiled.counts.bytes, 4000U);
  EXPECT_NEAR(compiled.counts.computing, 7.25e-3, 1e-12);
  const ReplayResult result = run_free(compiled.workload, 2);
  EXPECT_NEAR(result.makespan, 6e-3, 1e-9);
  EXPECT_NEAR(result.busy[0], 2.25e-3, 1e-9);
}

TEST(Compile, ExchangesPostTheReceiveAndTheSend) {
  TestRecording recording(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    recording.call(rank, "MPI_Sendrecv", {sent(1 - rank, 1 << 20), received(1 - rank, 1 << 20)});
  }
  const Compiled compiled = recording.compile();
  EXPECT_EQ(kinds_of(compiled.workload, 0), (Kinds{ActionKind::irecv, ActionKind::isend, ActionKind::wait}));
  EXPECT_EQ(run_free(compiled.workload, 2).messages, 2U);
}

TEST(Compile, RequestsAreWaitedForWhereTheProgramDid) {
  TestRecording recording(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    recording.call(rank, "MPI_Irecv", {start_receive(11)});
    recording.call(rank, "MPI_Isend", {start_send(12, 1 - rank, 8)});
    recording.call(rank, "MPI_Waitall", {end_receive(11, 1 - rank, 8), end_request(12)});
  }
  const Compiled compiled = recording.compile();
  EXPECT_EQ(kinds_of(compiled.workload, 0), (Kinds{ActionKind::irecv, ActionKind::isend, ActionKind::wait}));
  EXPECT_EQ(compiled.workload.templates[0].requests, 3U);
  EXPECT_EQ(compiled.workload.actions[5], (Action{.kind = ActionKind::wait, .request = 1, .index = 2}));
}

// A send that was complete at once has no wait in the recording; the next wait includes it.
TEST(Compile, SendsThatEndAtOnceAreWaitedForLater) {
  TestRecording recording(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    recording.call(rank, "MPI_Irecv", {start_receive(1)});
    recording.call(rank, "MPI_Isend", {start_send(2, 1 - rank, 8), end_request(2)});
    recording.call(rank, "MPI_Wait", {end_receive(1, 1 - rank, 8)});
  }
  const Compiled compiled = recording.compile();
  EXPECT_EQ(kinds_of(compiled.workload, 0), (Kinds{ActionKind::irecv, ActionKind::isend, ActionKind::wait}));
  Platform platform = free_memory(2);
  platform.eager_limit = 0;  // now they do not end at once
  EXPECT_EQ(replay(compiled.workload, platform).messages, 2U);
}

TEST(Compile, WaitanyAndTestEndWhatTheyChose) {
  TestRecording recording(2);
  recording.call(0, "MPI_Irecv", {start_receive(1)});
  recording.call(0, "MPI_Irecv", {start_receive(2)});
  recording.call(0, "MPI_Test", {});
  recording.call(0, "MPI_Waitany", {end_receive(2, 1, 8, 2)});
  recording.call(0, "MPI_Test", {end_receive(1, 1, 8, 1)});
  recording.call(1, "MPI_Send", {sent(0, 8, 2)});
  recording.call(1, "MPI_Send", {sent(0, 8, 1)});
  const Compiled compiled = recording.compile();
  EXPECT_EQ(kinds_of(compiled.workload, 0),
            (Kinds{ActionKind::irecv, ActionKind::irecv, ActionKind::wait, ActionKind::wait}));
  EXPECT_EQ(compiled.workload.actions[5].request, 2U);
  EXPECT_EQ(compiled.workload.channels[0].tag, 1U);  // the order of tags differs: each has its channel
  EXPECT_EQ(compiled.counts.polls, (std::map<std::string, std::uint64_t>{{"MPI_Test", 1}}));
  EXPECT_THAT(compile_summary(compiled),
              HasSubstr("found nothing, so that only what was computed between them counts: 1 MPI_Test"));
  EXPECT_EQ(run_free(compiled.workload, 2).messages, 2U);
}

TEST(Compile, PersistentRequestsStartAgain) {
  TestRecording recording(2);
  for (int i = 0; i < 10; ++i) {
    recording.call(0, "MPI_Startall", {start_send(5, 1, 64), start_receive(6)});
    recording.call(0, "MPI_Waitall", {end_request(5), end_receive(6, 1, 64)});
    recording.call(1, "MPI_Startall", {start_receive(6), start_send(5, 0, 64)});
    recording.call(1, "MPI_Waitall", {end_receive(6, 0, 64), end_request(5)});
  }
  const Compiled compiled = recording.compile();
  EXPECT_EQ(kinds_of(compiled.workload, 0),
            (Kinds{ActionKind::loop, ActionKind::isend, ActionKind::irecv, ActionKind::wait, ActionKind::end_loop}));
  EXPECT_EQ(run_free(compiled.workload, 2).messages, 20U);
}

TEST(Compile, IsendrecvHasTwoHalves) {
  TestRecording recording(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    recording.call(rank, "MPI_Isendrecv", {start_send(9, 1 - rank, 8), start_receive(9)});
    recording.call(rank, "MPI_Wait", {end_request(9), end_receive(9, 1 - rank, 8)});
  }
  EXPECT_EQ(kinds_of(recording.compile().workload, 1), (Kinds{ActionKind::isend, ActionKind::irecv, ActionKind::wait}));
}

TEST(Compile, CancelledReceivesAndThoseFromNobodyAreLeftOut) {
  TestRecording recording(2);
  recording.call(0, "MPI_Irecv", {start_receive(1)});
  recording.call(0, "MPI_Irecv", {start_receive(2)});  // from MPI_PROC_NULL: it has no end
  recording.call(0, "MPI_Wait", {{.kind = EventKind::cancel, .request = 1}});
  EXPECT_EQ(expanded_actions(recording.compile().workload), 3U);  // what was computed
}

// Rank 0 takes what comes first; messages of each sender still come in their order.
TEST(Compile, WildcardsReplayAsTheyMatched) {
  TestRecording recording(3);
  for (const std::uint32_t from : {2U, 1U, 1U, 2U}) {
    recording.call(0, "MPI_Recv", {wildcard(0), received(from, 8)});
  }
  for (std::uint32_t rank = 1; rank < 3; ++rank) {
    recording.call(rank, "MPI_Send", {sent(0, 8)});
    recording.call(rank, "MPI_Send", {sent(0, 8)});
  }
  const Compiled compiled = recording.compile();
  EXPECT_EQ(compiled.counts.wildcards, 4U);
  EXPECT_EQ(run_free(compiled.workload, 3).messages, 4U);
  EXPECT_THAT(compile_summary(compiled), HasSubstr("4 receives with wildcards replay as they matched"));
}

TEST(Compile, RanksAreThoseOfTheJob) {
  TestRecording recording(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    recording.describe(rank, 6, rank % 2 == 0 ? "0,2 even" : "1,3 odd");
    const bool first = rank < 2;
    recording.call(rank, first ? "MPI_Send" : "MPI_Recv", {first ? sent(1, 8, 0, 6) : received(0, 8, 0, 6)});
  }
  const Compiled compiled = recording.compile();
  EXPECT_EQ(compiled.workload.templates.size(), 2U);
  EXPECT_EQ(compiled.workload.channels[0].peer, 2);
  EXPECT_EQ(run_free(compiled.workload, 4).messages, 4U - 2);
}

// Tags that change in each iteration do not keep iterations from being alike.
TEST(Compile, IterationsBecomeLoopsAndTheFileIsShorterThanTheRecording) {
  constexpr std::uint32_t kRanks = 16;
  TestRecording recording(kRanks);
  for (std::int32_t i = 0; i < 500; ++i) {
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      const std::uint32_t up = (rank + 1) % kRanks;
      const std::uint32_t down = (rank + kRanks - 1) % kRanks;
      recording.call(rank, "MPI_Irecv", {start_receive(1)}, 1000 + i);
      recording.call(rank, "MPI_Isend", {start_send(2, up, 800, i)}, 1000 + rank);
      recording.call(rank, "MPI_Waitall", {end_receive(1, down, 800, i), end_request(2)});
      recording.call(rank, "MPI_Allreduce", {collective(8, 8, kNoRoot, kWorld, 8)}, 3000);
    }
  }
  const Compiled compiled = recording.compile();
  EXPECT_LT(compiled.workload.actions.size(), 100U);
  EXPECT_EQ(compiled.workload.values.size(), 500U * 4 * kRanks);
  EXPECT_EQ(compiled.workload.templates.size(), 3U);
  EXPECT_EQ(expanded_actions(compiled.workload), 500U * 8 * kRanks);
  std::ostringstream file;
  write_actions(compiled.workload, file);
  EXPECT_LT(file.str().size(), recording.bytes() / 2);
  const ReplayResult result = run_free(compiled.workload, 4);
  EXPECT_EQ(result.messages, 500U * kRanks);
}

TEST(Compile, MigrationsAndPhases) {
  TestRecording recording(1);
  recording.call(0, "MPI_Pcontrol", {{.kind = EventKind::phase, .value = 2}});
  recording.call(0, "AMPI_Migrate", {migrates(2'000'000, 4096)});
  recording.call(0, "AMPI_Migrate", {migrates(3'000'000, 4096, 0)});
  const Workload workload = recording.compile().workload;
  EXPECT_EQ(kinds_of(workload, 0), (Kinds{ActionKind::phase, ActionKind::migrate, ActionKind::migrate}));
  EXPECT_EQ(workload.actions[2].index, 2U);  // the phase of what is computed from then on
  EXPECT_EQ(workload.actions[3], (Action{.kind = ActionKind::migrate, .detail = kMayMove, .value = 4096}));
  EXPECT_EQ(workload.actions[5], (Action{.kind = ActionKind::migrate, .detail = 0, .value = 4096}));
}

TEST(Compile, FoldersAndFilesOfActionsAreWorkloads) {
  TestRecording recording(2);
  recording.call(0, "MPI_Send", {sent(1, 8)});
  recording.call(1, "MPI_Recv", {received(0, 8)});
  const std::string folder = recording.finish();
  const Workload workload = read_workload(folder);
  write_actions(workload, folder + "/it.actions");
  EXPECT_EQ(read_workload(folder + "/it.actions"), workload);
}

TEST(Compile, RecordedLoadsOnDemand) {
  TestRecording recording(1);
  recording.call(0, "AMPI_Migrate", {migrates(2'000'000, 4096)}, 1'000'000);
  const Workload workload = recording.compile({.recorded_loads = true}).workload;
  EXPECT_EQ(workload.actions[1].detail, kMayMove | kLoadListed);
  EXPECT_THAT(workload.values, testing::ElementsAre(1e-3F, 2e-3F));
}

}  // namespace
}  // namespace weft::sim::test
