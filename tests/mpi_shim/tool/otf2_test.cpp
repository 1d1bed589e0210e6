// --otf2: the archive that a job writes says what its ranks did, wherever they were.
#include "mpi_shim/entry/entry.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <utility>

#include "tests/mpi_shim/mpi_fixture.hpp"
#include "tests/mpi_shim/tool/otf2_reader.hpp"

namespace weft::mpi_shim {
namespace {

constexpr int kRanks = 6;
constexpr int kRounds = 3;

class Otf2Test : public MpiTest {
 protected:
  void SetUp() override {
    calls_are_traced = true;
    call_hooks_enabled = true;
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    calls_are_traced = false;
    call_hooks_enabled = false;
    std::filesystem::remove_all(folder_);
  }

  Otf2Archive traced(const Body& body, int ranks = kRanks) {
    runtime::JobConfig config;
    config.otf2 = folder_;
    config.trace_bytes = 4096;  // so that buffers are written out many times
    run(ranks, body, config);
    Otf2Archive archive(folder_);
    EXPECT_EQ(archive.wrong, std::vector<std::string>{});
    std::ranges::sort(archive.sent);
    std::ranges::sort(archive.received);
    EXPECT_EQ(archive.sent, archive.received);
    EXPECT_EQ(archive.locations.size(), static_cast<std::size_t>(ranks) + 1);
    for (const auto& [number, location] : archive.locations) {
      EXPECT_TRUE(location.sends.empty() && location.receives.empty() && location.collectives.empty()) << number;
    }
    return archive;
  }

  const std::string folder_ = testing::TempDir() + "otf2_" + std::to_string(getpid());
};

INSTANTIATE_TEST_SUITE_P(Settings, Otf2Test, kSettings, name_of);

// Each kind of message once: 9 from each rank to the next.
void send_around(int rank, int size, MPI_Comm comm) {
  const int to = (rank + 1) % size;
  const int from = (rank + size - 1) % size;
  std::array<double, 4> out{}, in{}, other{};
  std::array<MPI_Request, 2> requests{};
  if (rank % 2 == 0 && rank != from) {
    MPI_Send(out.data(), 4, MPI_DOUBLE, to, 1, comm);
    MPI_Recv(in.data(), 4, MPI_DOUBLE, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(out.data(), 4, MPI_DOUBLE, to, 1, comm, &request);
    MPI_Recv(in.data(), 4, MPI_DOUBLE, from, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Irecv(in.data(), 4, MPI_DOUBLE, from, 2, comm, &requests[0]);
  MPI_Isend(out.data(), 3, MPI_DOUBLE, to, 2, comm, &requests[1]);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Sendrecv(out.data(), 1, MPI_DOUBLE, to, 3, in.data(), 4, MPI_DOUBLE, from, 3, comm, MPI_STATUS_IGNORE);
  MPI_Isendrecv(out.data(), 2, MPI_DOUBLE, to, 4, in.data(), 4, MPI_DOUBLE, from, 4, comm, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Recv_init(in.data(), 4, MPI_DOUBLE, from, 5, comm, &requests[0]);
  MPI_Send_init(out.data(), 4, MPI_DOUBLE, to, 5, comm, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests.data());
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Issend(out.data(), 0, MPI_DOUBLE, to, 6, comm, &requests[0]);
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Mprobe(from, 6, comm, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(in.data(), 4, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  std::array<std::byte, 2 * (MPI_BSEND_OVERHEAD + sizeof out)> room{};
  MPI_Comm_attach_buffer(comm, room.data(), static_cast<int>(room.size()));
  MPI_Bsend(out.data(), 4, MPI_DOUBLE, to, 7, comm);
  MPI_Ibsend(out.data(), 4, MPI_DOUBLE, to, 8, comm, &requests[1]);
  MPI_Recv(in.data(), 4, MPI_DOUBLE, from, 7, comm, MPI_STATUS_IGNORE);
  MPI_Irecv(other.data(), 4, MPI_DOUBLE, from, 8, comm, &requests[0]);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  void* buffer = nullptr;
  int bytes = 0;
  MPI_Comm_detach_buffer(comm, &buffer, &bytes);
}

constexpr std::size_t kMessages = 9;  // of send_around()

TEST_P(Otf2Test, MatchesSendsWithReceives) {
  std::atomic<bool> was_given_away = false;  // by chance, where workers share
  const Otf2Archive archive = traced([&](int rank, int size) {
    for (int i = 0; i < kRounds; ++i) {
      const std::uint32_t before = runtime::current_rank()->worker_number;
      send_around(rank, size, MPI_COMM_WORLD);
      if (runtime::current_rank()->worker_number != before) {
        was_given_away = true;
      }
      MPI_Migrate();
      send_around(0, 1, MPI_COMM_SELF);
    }
  });
  EXPECT_EQ(archive.sent.size(), 2 * kMessages * kRounds * kRanks);
  const bool rotates = GetParam().lb == "rotate" && GetParam().workers * GetParam().processes > 1;
  if (rotates || was_given_away) {
    EXPECT_GT(archive.markers, 0U);
  } else if (!GetParam().share) {
    EXPECT_EQ(archive.markers, 0U);
  }
  for (std::uint64_t r = 0; r < kRanks; ++r) {
    const Otf2Location& rank = archive.locations.at(r);
    EXPECT_EQ(rank.name, "rank " + std::to_string(r));
    EXPECT_GE(rank.calls.at("MPI_Migrate"), static_cast<std::uint64_t>(kRounds));
    EXPECT_EQ(rank.calls.at("MPI_Init"), 1U);
    EXPECT_EQ(rank.calls.at("MPI_Sendrecv"), 2U * kRounds);
    EXPECT_GE(rank.metrics.size(), rotates ? static_cast<std::size_t>(kRounds) : 1U);
  }
}

TEST_P(Otf2Test, KnowsCommunicators) {
  const Otf2Archive archive = traced([](int rank, int /*size*/) {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    int number = 0, n = 0;
    MPI_Comm_rank(half, &number);
    MPI_Comm_size(half, &n);
    MPI_Migrate();
    send_around(number, n, half);
    MPI_Comm both = MPI_COMM_NULL;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 == 0 ? kRanks - 1 : kRanks - 2, 9, &both);
    MPI_Sendrecv(&rank, 1, MPI_INT, number, 10, &n, 1, MPI_INT, number, 10, both, MPI_STATUS_IGNORE);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
  });
  for (const auto& [from, to, comm, tag, bytes] : archive.sent) {
    if (tag < 10) {
      EXPECT_EQ(to, (from + kRanks - 2) % kRanks) << "tag " << tag;  // split by descending rank
    } else {
      EXPECT_EQ(to, from ^ 1) << "by the intercommunicator";
    }
  }
  EXPECT_EQ(archive.sent.size(), (kMessages + 1) * kRanks);
}

TEST_P(Otf2Test, TellsOfCollectives) {
  const Otf2Archive archive = traced([](int rank, int size) {
    std::array<int, std::size_t{2} * kRanks> in{}, out{};
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(in.data(), 2, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Gather(&rank, 1, MPI_INT, in.data(), 1, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Allreduce(&rank, &size, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ialltoall(in.data(), 2, MPI_INT, out.data(), 2, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Reduce_init(in.data(), out.data(), 3, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 2; ++i) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
  });
  for (std::uint64_t r = 0; r < kRanks; ++r) {
    const std::vector<Otf2Collective>& calls = archive.locations.at(r).ended;
    ASSERT_EQ(calls.size(), 7U);
    const OTF2_CommRef world = calls[0].comm;
    const std::uint32_t none = OTF2_UNDEFINED_UINT32;
    EXPECT_EQ(archive.groups.at(archive.comms.at(world)[0]).size(), static_cast<std::size_t>(kRanks));
    EXPECT_EQ(calls[0], (Otf2Collective{OTF2_COLLECTIVE_OP_BARRIER, world, none, 0, 0}));
    EXPECT_EQ(calls[1], (Otf2Collective{OTF2_COLLECTIVE_OP_BCAST, world, 1, r == 1 ? 8U * kRanks : 0, 8}));
    EXPECT_EQ(calls[2], (Otf2Collective{OTF2_COLLECTIVE_OP_GATHER, world, 2, 4, r == 2 ? 4U * kRanks : 0}));
    EXPECT_EQ(calls[3], (Otf2Collective{OTF2_COLLECTIVE_OP_ALLREDUCE, world, none, 4, 4}));
    EXPECT_EQ(calls[4], (Otf2Collective{OTF2_COLLECTIVE_OP_ALLTOALL, world, none, std::uint64_t{8} * kRanks,
                                        std::uint64_t{8} * kRanks}));
    EXPECT_EQ(calls[5], (Otf2Collective{OTF2_COLLECTIVE_OP_REDUCE, world, 0, 12, r == 0 ? 12U : 0}));
    EXPECT_EQ(calls[6], calls[5]);
  }
}

class Otf2OfManyTest : public Otf2Test {};
INSTANTIATE_TEST_SUITE_P(Settings, Otf2OfManyTest, testing::Values(Setting{2, "rotate"}), name_of);

TEST_P(Otf2OfManyTest, WritesSomeRanksAtATime) {
  constexpr int kMany = 300;
  const Otf2Archive archive = traced([](int rank, int size) { send_around(rank, size, MPI_COMM_WORLD); }, kMany);
  EXPECT_EQ(archive.sent.size(), kMessages * kMany);
}

}  // namespace
}  // namespace weft::mpi_shim
