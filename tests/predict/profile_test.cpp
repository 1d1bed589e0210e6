// Profiles of recordings made here.
#include "predict/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/collective_share.hpp"
#include "tests/sim/recordings.hpp"

namespace weft::predict {
namespace {

using namespace sim::test;  // NOLINT(google-build-using-namespace)
using sim::CollectiveKind;
using testing::DoubleNear;
using testing::ElementsAre;

TEST(Profile, SumsOfARecordingByHand) {
  TestRecording recording(2);                                    // events at 1 and 2 us
  recording.call(0, "MPI_Send", {sent(1, 300)}, 4000);           // 3: compute, 4 to 6
  recording.call(1, "MPI_Recv", {received(0, 300)}, 1000);       // 7, 8 to 10
  recording.call(0, "MPI_Allreduce", {collective(8, 8)}, 2000);  // 11, 12 to 14
  recording.call(1, "MPI_Allreduce", {collective(8, 8)}, 3000);  // 15, 16 to 18
  recording.call(1, "MPI_Isend", {start_send(1, 0, 100)}, 0);    // 19 to 21
  recording.call(0, "MPI_Migrate", {}, 0);                       // 22 to 23
  recording.add(0, migrates(700, 4096));
  recording.add(1, migrates(300, 512));  // at 25 us
  const Profile profile = read_profile(recording.finish());
  EXPECT_EQ(profile.ranks, 2U);
  EXPECT_EQ(profile.workers, 2U);
  EXPECT_EQ(profile.hosts, 1U);
  EXPECT_NEAR(profile.time, 24e-6, 1e-12);
  EXPECT_THAT(profile.rank_computing, ElementsAre(DoubleNear(6e-6, 1e-12), DoubleNear(4e-6, 1e-12)));
  EXPECT_NEAR(profile.waiting, (2 + 2 + 2 + 2 + 2 + 1) / 2.0 * 1e-6, 1e-12);
  EXPECT_EQ(profile.messages, 2U);
  EXPECT_EQ(profile.message_bytes, 400U);
  EXPECT_EQ(profile.collectives, 2U);
  EXPECT_EQ(profile.collective_messages, 2.0);  // log2 of 2 members each
  EXPECT_EQ(profile.collective_bytes, 16.0);
  ASSERT_EQ(profile.collective_calls.size(), 1U);
  EXPECT_THAT(profile.collective_calls.front().members, ElementsAre(0, 1));
  EXPECT_EQ(profile.sends_per_rank(), 2.0);
  EXPECT_EQ(profile.bytes_per_send(), 104.0);
  EXPECT_EQ(profile.bytes_to_move, 4096U);
  EXPECT_NEAR(profile.idle_of_worker(), profile.time - 5e-6, 1e-12);
  ASSERT_EQ(profile.traffic.size(), 2U);
  EXPECT_EQ(profile.traffic[1].from, 1U);
  EXPECT_EQ(profile.traffic[1].bytes, 100U);
}

TEST(Profile, APersistentCollectiveCountsWhenItBegins) {
  TestRecording recording(2);
  recording.call(0, "MPI_Barrier_init", {collective(0, 0), start_collective(3)});
  for (int i = 0; i < 3; ++i) {
    recording.call(0, "MPI_Start", {restart(3)});
  }
  const Profile profile = read_profile(recording.finish());
  EXPECT_EQ(profile.collectives, 3U);
  EXPECT_EQ(profile.collective_messages, 3.0);
}

TEST(Profile, PeersAreRanksOfTheJob) {
  TestRecording recording(4);
  recording.describe(3, 7, "2-3 PAIR");
  recording.call(3, "MPI_Send", {sent(0, 10, 0, 7)});
  const Profile profile = read_profile(recording.finish());
  ASSERT_EQ(profile.traffic.size(), 1U);
  EXPECT_EQ(profile.traffic.front().to, 2U);
}

TEST(Profile, AFolderWithoutARecordingIsRefused) { EXPECT_THROW(read_profile("/nowhere"), trace::Error); }

TEST(CollectiveShare, MessagesOfAMember) {
  EXPECT_EQ(collective_share(CollectiveKind::barrier, 8, 0).messages, 3.0);
  EXPECT_EQ(collective_share(CollectiveKind::allreduce, 5, 8).messages, 3.0);
  EXPECT_EQ(collective_share(CollectiveKind::allreduce, 5, 8).bytes, 24.0);
  EXPECT_EQ(collective_share(CollectiveKind::alltoall, 4, 400).messages, 3.0);
  EXPECT_EQ(collective_share(CollectiveKind::alltoall, 4, 400).bytes, 300.0);
  EXPECT_EQ(collective_share(CollectiveKind::bcast, 4, 100).bytes, 75.0);
  EXPECT_EQ(collective_share(CollectiveKind::allgather, 4, 40).bytes, 30.0);
  EXPECT_EQ(collective_share(CollectiveKind::barrier, 1, 0).messages, 0.0);
  EXPECT_EQ(block_bytes(CollectiveKind::bcast, 0, 100), 100.0);
  EXPECT_EQ(block_bytes(CollectiveKind::allgather, 10, 40), 40.0);
  EXPECT_EQ(block_bytes(CollectiveKind::alltoall, 400, 300), 400.0);
}

TEST(CollectiveShare, MembersOfANodeCombineTheirData) {
  const auto remote = [](CollectiveKind kind, double bytes, std::uint32_t nodes) {
    // One call of eight ranks, each with so many bytes.
    return share_between_nodes({.kind = kind, .members = {0, 1, 2, 3, 4, 5, 6, 7}, .calls = 8, .bytes = 8 * bytes}, 8,
                               nodes);
  };
  EXPECT_EQ(remote(CollectiveKind::allreduce, 100, 1).messages, 0.0);
  EXPECT_EQ(remote(CollectiveKind::allreduce, 100, 2).messages, 2.0);  // one each way
  EXPECT_EQ(remote(CollectiveKind::allreduce, 100, 2).bytes, 200.0);
  EXPECT_EQ(remote(CollectiveKind::bcast, 100, 4).messages, 3.0);
  EXPECT_EQ(remote(CollectiveKind::gather, 100, 2).bytes, 400.0);  // the blocks of the other four
  EXPECT_EQ(remote(CollectiveKind::allgather, 800, 2).bytes, 800.0);
  EXPECT_EQ(remote(CollectiveKind::alltoall, 800, 2).messages, 32.0);  // each of four to each of four, both ways
  EXPECT_EQ(remote(CollectiveKind::alltoall, 800, 2).bytes, 3200.0);
  // A communicator within a node sends nothing.
  EXPECT_EQ(
      share_between_nodes({.kind = CollectiveKind::alltoall, .members = {0, 1}, .calls = 2, .bytes = 10}, 8, 2).bytes,
      0.0);
  // Of neighbours: to any member alike.
  EXPECT_EQ(share_between_nodes({.members = {0, 7}, .calls = 2, .bytes = 10}, 8, 2).messages, 1.0);
}

}  // namespace
}  // namespace weft::predict
