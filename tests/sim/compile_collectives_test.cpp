// Collective calls of a recording, those of neighbours, and what cannot be replayed.
#include "sim/compile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recordings.hpp"
#include "sim/replay.hpp"
#include "workloads.hpp"

namespace weft::sim::test {
namespace {

using testing::HasSubstr;

// A call of all of three ranks, each with these events.
struct ListedCall {
  const char* name;
  std::vector<Event> events;
  CollectiveCall call;
  std::uint64_t bytes;
};

class CompileCollective : public testing::TestWithParam<ListedCall> {};

TEST_P(CompileCollective, IsListed) {
  TestRecording recording(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    recording.call(rank, GetParam().name, GetParam().events);
  }
  const Workload workload = recording.compile().workload;
  ASSERT_EQ(workload.calls.size(), 1U);
  EXPECT_EQ(workload.calls[0], GetParam().call);
  EXPECT_EQ(workload.actions[1], (Action{.kind = ActionKind::collective, .value = GetParam().bytes}));
  EXPECT_GT(replay(workload, hosts_of_one_core(3)).messages, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, CompileCollective,
    testing::Values(
        ListedCall{"MPI_Barrier", {collective(0, 0)}, {.kind = CollectiveKind::barrier}, 0},
        ListedCall{"MPI_Bcast", {collective(0, 100, 2)}, {.kind = CollectiveKind::bcast, .root = 2}, 100},
        ListedCall{"MPI_Gather", {collective(40, 0, 1)}, {.kind = CollectiveKind::gather, .root = 1}, 40},
        ListedCall{"MPI_Scatter", {collective(0, 40, 1)}, {.kind = CollectiveKind::scatter, .root = 1}, 40},
        ListedCall{"MPI_Gatherv", {collective(40, 0, 1)}, {.kind = CollectiveKind::gather, .varies = 1, .root = 1}, 40},
        ListedCall{"MPI_Allgather", {collective(120, 120)}, {.kind = CollectiveKind::allgather}, 40},
        ListedCall{"MPI_Allgatherv",
                   {block_from(0, 10), block_from(1, 30, 2), collective(30, 70)},
                   {.kind = CollectiveKind::allgather, .varies = 1, .counts = 3},
                   10},
        ListedCall{"MPI_Alltoall", {collective(240, 240)}, {.kind = CollectiveKind::alltoall}, 80},
        ListedCall{"MPI_Alltoallv_c",
                   {block_to(0, 8, 3), block_from(0, 8, 3), collective(24, 24)},
                   {.kind = CollectiveKind::alltoall, .varies = 1, .counts = 3},
                   8},
        ListedCall{
            "PMPI_Reduce", {collective(64, 64, 0, kWorld, 8)}, {.kind = CollectiveKind::reduce, .element = 8}, 64},
        ListedCall{"MPI_Allreduce",
                   {collective(64, 64, kNoRoot, kWorld, 4)},
                   {.kind = CollectiveKind::allreduce, .element = 4},
                   64},
        ListedCall{"MPI_Reduce_scatter_block",
                   {collective(72, 24, kNoRoot, kWorld, 8)},
                   {.kind = CollectiveKind::reduce_scatter, .element = 8},
                   24},
        ListedCall{
            "MPI_Exscan", {collective(8, 8, kNoRoot, kWorld, 8)}, {.kind = CollectiveKind::exscan, .element = 8}, 8}));

TEST(CompileCollectives, OnlyTheRootKnowsTheBlocks) {
  TestRecording recording(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    std::vector<Event> events{collective(std::int64_t{8} * rank, rank == 1 ? 24 : 0, 1)};
    if (rank == 1) {
      events.insert(events.begin(), {block_from(0, 0), block_from(1, 8), block_from(2, 16)});
    }
    recording.call(rank, "MPI_Gatherv", events);
  }
  const Workload workload = recording.compile().workload;
  ASSERT_EQ(workload.calls.size(), 2U);
  EXPECT_EQ(workload.counts, (std::vector<std::uint64_t>{0, 8, 16}));
  EXPECT_EQ(replay(workload, hosts_of_one_core(3)).bytes, 16U);
}

TEST(CompileCollectives, OfPartsOfTheJob) {
  TestRecording recording(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    recording.describe(rank, 7, rank < 3 ? "2,0,1 some" : "3 one");
    recording.call(rank, "MPI_Barrier", {collective(0, 0, kNoRoot, 7)});
    recording.call(rank, "MPI_Barrier", {collective(0, 0, kNoRoot, trace::Communicators::kSelfContext)});
  }
  const Workload workload = recording.compile().workload;
  EXPECT_EQ(workload.members, (std::vector<std::uint32_t>{2, 0, 1}));
  EXPECT_EQ(workload.calls.size(), 1U);
  EXPECT_EQ(workload.calls[0].comm, 1U);
}

TEST(CompileCollectives, OfNeighboursAreMessages) {
  TestRecording recording(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const std::uint32_t up = (rank + 1) % 3;
    const std::uint32_t down = (rank + 2) % 3;
    const std::vector<Event> blocks{block_to(down, 8), block_to(up, 16), block_from(down, 16), block_from(up, 8),
                                    collective(24, 24)};
    recording.call(rank, "MPI_Neighbor_alltoallv", blocks);
    std::vector<Event> with_request = blocks;
    with_request.push_back(start_collective(4));
    recording.call(rank, "MPI_Ineighbor_alltoallv", with_request);
    recording.call(rank, "MPI_Wait", {end_request(4)});
    recording.call(rank, "MPI_Neighbor_alltoallv_init", with_request);
    recording.call(rank, "MPI_Start", {restart(4)});
    recording.call(rank, "MPI_Wait", {end_request(4)});
  }
  const Compiled compiled = recording.compile();
  EXPECT_TRUE(compiled.workload.calls.empty());
  EXPECT_EQ(compiled.counts.messages, 3U * 3 * 2);
  const ReplayResult result = replay(compiled.workload, hosts_of_one_core(3));
  EXPECT_EQ(result.messages, 3U * 3 * 2);
  EXPECT_EQ(result.bytes, 3U * 3 * 24);
}

// Of the first rank, but for what it computes.
std::vector<Action> calls_of(const Workload& workload) {
  std::vector<Action> calls(workload.actions.begin(), workload.actions.begin() + workload.templates[0].actions);
  std::erase_if(calls, [](const Action& action) { return action.kind == ActionKind::compute; });
  return calls;
}

TEST(CompileCollectives, WithARequestAreWaitedForWhereTheProgramDid) {
  TestRecording recording(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    recording.call(rank, "MPI_Iallreduce", {collective(64, 64, kNoRoot, kWorld, 8), start_collective(4)});
    recording.call(rank, "MPI_Ibarrier", {collective(0, 0), start_collective(5)});
    recording.call(rank, "MPI_Test", {}, 500);     // in vain, and soon
    recording.call(rank, "MPI_Test", {}, 100000);  // the same, but calls may have gone on
    recording.call(rank, "MPI_Wait", {end_request(5)});
    recording.call(rank, "MPI_Test", {end_request(4)});
    recording.call(rank, "MPI_Test", {}, 100000);  // nothing is active
  }
  const Compiled compiled = recording.compile();
  EXPECT_EQ(calls_of(compiled.workload),
            (std::vector<Action>{{.kind = ActionKind::collective, .request = 1, .index = 0, .value = 64},
                                 {.kind = ActionKind::collective, .request = 2, .index = 1},
                                 {.kind = ActionKind::wait},
                                 {.kind = ActionKind::wait, .request = 2, .index = 1},
                                 {.kind = ActionKind::wait, .request = 1, .index = 1},
                                 {.kind = ActionKind::stop}}));
  EXPECT_EQ(compiled.counts.polls.at("MPI_Test"), 3U * 3);
  EXPECT_EQ(replay(compiled.workload, hosts_of_one_core(3)).messages, 4U + 4);
}

TEST(CompileCollectives, PersistentOnesAreNumberedByCommunicator) {
  TestRecording recording(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    recording.call(rank, "MPI_Bcast_init", {collective(0, 100, 1), start_collective(4)});
    recording.call(rank, "MPI_Barrier_init", {collective(0, 0), start_collective(5)});
    for (std::uint32_t time = 0; time < 2; ++time) {
      recording.call(rank, "MPI_Startall", {restart(5), restart(4)});
      recording.call(rank, "MPI_Waitall", {end_request(4), end_request(5)});
    }
  }
  const Workload workload = recording.compile().workload;
  EXPECT_EQ(calls_of(workload)[1],
            (Action{.kind = ActionKind::collective, .detail = 2, .request = 1, .index = 1, .value = 0}));
  EXPECT_EQ(calls_of(workload)[2],
            (Action{.kind = ActionKind::collective, .detail = 1, .request = 2, .index = 0, .value = 100}));
  const ReplayResult result = replay(workload, hosts_of_one_core(2));
  EXPECT_EQ(result.messages, 2U * (1 + 2));
  EXPECT_EQ(result.bytes, 2U * 100);
}

TEST(CompileCollectives, MakingCommunicatorsIsSaid) {
  TestRecording recording(2);
  recording.call(0, "MPI_Comm_split");
  recording.call(1, "MPI_Comm_split", {collective(0, 0)});
  recording.call(0, "MPI_Barrier", {collective(0, 0)});
  EXPECT_THAT(compile_summary(recording.compile()), HasSubstr("taken to cost nothing: 1 MPI_Comm_split"));
}

struct RefusedCall {
  const char* name;
  std::vector<Event> events;
  const char* refusal;
};

class CompileRefuses : public testing::TestWithParam<RefusedCall> {};

TEST_P(CompileRefuses, ByName) {
  TestRecording recording(2);
  recording.describe(1, 9, "0/1 between");
  recording.call(1, GetParam().name, GetParam().events);
  EXPECT_EQ(recording.refusal(), GetParam().refusal);
}

INSTANTIATE_TEST_SUITE_P(
    Calls, CompileRefuses,
    testing::Values(
        RefusedCall{"MPI_Win_create", {}, "rank 1 calls MPI_Win_create: windows cannot be replayed"},
        RefusedCall{"MPI_Put", {}, "rank 1 calls MPI_Put: windows cannot be replayed"},
        RefusedCall{"MPI_Rget_accumulate", {}, "rank 1 calls MPI_Rget_accumulate: windows cannot be replayed"},
        RefusedCall{"MPI_File_open", {}, "rank 1 calls MPI_File_open: files cannot be replayed"},
        RefusedCall{"MPI_Psend_init", {}, "rank 1 calls MPI_Psend_init: partitioned messages cannot be replayed"},
        RefusedCall{"MPI_Comm_spawn_multiple",
                    {},
                    "rank 1 calls MPI_Comm_spawn_multiple: spawned processes cannot be replayed"},
        RefusedCall{"MPI_Comm_join", {}, "rank 1 calls MPI_Comm_join: connections to other jobs cannot be replayed"},
        RefusedCall{"MPI_Bcast",
                    {collective(0, 8, 0, 9)},
                    "rank 1 calls MPI_Bcast: collective calls between two groups cannot be replayed"},
        RefusedCall{"MPI_Bcast",
                    {collective(0, 8, 0, 33)},
                    "rank 1 calls MPI_Bcast: the recording does not say what context 33 is"},
        RefusedCall{"MPI_Allgatherv",
                    {block_from(1, 8, 2), collective(8, 16)},
                    "rank 1 calls MPI_Allgatherv: it has more blocks than members"},
        RefusedCall{"MPI_Wait", {end_receive(3, 0, 8)}, "rank 1 calls MPI_Wait: it ends a receive that has not begun"},
        RefusedCall{"MPI_Start",
                    {restart(1)},
                    "rank 1 calls MPI_Start: it starts a collective call that the recording does not have"},
        RefusedCall{
            "MPI_Send", {sent(0, 8)}, "rank 1 sends 1 messages with tag 0 in context 1 to rank 0, which receives 0"},
        RefusedCall{"MPI_Recv",
                    {received(0, 8)},
                    "rank 1 receives messages with tag 0 in context 1 from rank 0, which sends none"}));

TEST(CompileRefusals, CallsOfThreads) {
  TestRecording recording(1);
  recording.add(0, {.kind = EventKind::thread_call, .name = recording.name(0, "MPI_Send")});
  EXPECT_EQ(recording.refusal(), "rank 0 calls MPI_Send in a thread that it has started: that is not recorded");
}

TEST(CompileRefusals, SpawnedProcesses) {
  TestRecording recording(1);
  recording.spawned = 2;
  EXPECT_EQ(recording.refusal(), "spawned processes cannot be replayed");
}

TEST(CompileRefusals, RecordedWhileRanksMovedAtAnyTime) {
  TestRecording recording(1);
  recording.lb_continuous = true;
  EXPECT_EQ(recording.refusal(), "it was recorded with --lb-continuous, which is not simulated; record without it");
}

TEST(CompileRefusals, FoldersThatAreNoRecordings) {
  EXPECT_THROW(compile_recording(testing::TempDir() + "nothing-here"), trace::Error);
}

TEST(CompileRefusals, DamagedFilesInOneLineThatNamesTheFolder) {
  TestRecording recording(1);
  recording.call(0, "MPI_Barrier", {collective(0, 0)});
  const std::string& folder = recording.finish();
  std::fstream(folder + "/worker0", std::ios::in | std::ios::out | std::ios::binary) << '\xff';
  try {
    compile_recording(folder);
    FAIL() << "it was compiled";
  } catch (const trace::Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(folder + ": the trace is damaged"));
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("\n")));
  }
}

TEST(CompileRefusals, ARecordingThatEndsWithinACall) {
  TestRecording recording(1);
  recording.add(0, {.kind = EventKind::call_begin, .name = recording.name(0, "MPI_Barrier")});
  EXPECT_EQ(recording.refusal(), "the recording of rank 0 ends within MPI_Barrier");
}

}  // namespace
}  // namespace weft::sim::test
