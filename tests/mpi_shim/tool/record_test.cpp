// --record: the recording that a job leaves says what its ranks computed, sent and asked for, wherever they were.
#include <unistd.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "mpi_shim/entry/entry.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"
#include "tests/runtime/undisturbed.hpp"
#include "trace/manifest.hpp"
#include "trace/sequence.hpp"
#include "trace/worker_interval.hpp"

namespace weft::mpi_shim {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::Pair;
using trace::Event;
using trace::EventKind;

constexpr int kRanks = 6;
constexpr int kSteps = 4;

// An event, and the call of its rank in which it stands; empty: between two.
struct Recorded {
  Event event;
  std::string call;
};

struct Read {
  trace::Manifest manifest;
  std::map<int, std::vector<Recorded>> ranks;
  std::vector<Event> intervals;

  std::vector<Recorded> all(int rank, EventKind kind) const {
    std::vector<Recorded> found;
    for (const Recorded& recorded : ranks.at(rank)) {
      if (recorded.event.kind == kind) {
        found.push_back(recorded);
      }
    }
    return found;
  }
  // What blocks of this kind the rank has in this call, one after the other: member and bytes.
  std::vector<std::pair<int, int>> blocks(int rank, EventKind kind, const std::string& call) const {
    std::vector<std::pair<int, int>> found;
    for (const Recorded& recorded : all(rank, kind)) {
      for (std::uint32_t i = 0; recorded.call == call && i < recorded.event.request; ++i) {
        found.emplace_back(recorded.event.peer + i, recorded.event.value);
      }
    }
    return found;
  }
  // Of its one collective event in this call.
  Event collective(int rank, const std::string& call) const {
    std::vector<Event> found;
    for (const Recorded& recorded : all(rank, EventKind::collective)) {
      if (recorded.call == call) {
        found.push_back(recorded.event);
      }
    }
    EXPECT_EQ(found.size(), 1U) << call;
    return found.empty() ? Event{} : found.front();
  }
};

Read read(const std::string& folder) {
  Read result{.manifest = trace::read_manifest(folder), .ranks = {}, .intervals = {}};
  trace::Names names;
  trace::Sequence sequence(trace::process_files(folder, result.manifest), names);
  std::map<int, std::string> calls;
  Event event;
  std::uint32_t worker = 0;
  while (sequence.next(worker, event)) {
    const int rank = static_cast<int>(number(event.rank));
    if (event.kind == EventKind::interval) {
      result.intervals.push_back(event);
    } else if (trace::has_rank(event.kind)) {
      if (event.kind == EventKind::call_begin) {
        calls[rank] = names.texts()[event.name];
      }
      result.ranks[rank].push_back({event, calls[rank]});
      if (event.kind == EventKind::call_end) {
        calls[rank].clear();
      }
    }
  }
  return result;
}

class RecordTest : public MpiTest {
 protected:
  void SetUp() override { set_up(true); }
  void TearDown() override { set_up(false); }
  void set_up(bool records) {
    calls_are_traced = records;
    calls_are_recorded = records;
    call_hooks_enabled = records;
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }

  Read recorded(const Body& body, int ranks = kRanks) {
    runtime::JobConfig config;
    config.record = folder_;
    config.command = {"./program", "--size", "3"};
    config.trace_bytes = 4096;  // so that buffers are written out many times
    run(ranks, body, config);
    Read result = read(folder_);
    EXPECT_EQ(result.manifest.ranks(), static_cast<std::uint32_t>(ranks));
    return result;
  }

  const std::string folder_ = testing::TempDir() + "record_" + std::to_string(getpid());
};

INSTANTIATE_TEST_SUITE_P(Settings, RecordTest, kSettings, name_of);

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The CPU time for which it computed: at least this much.
double compute_for(double seconds) {
  const double begin = thread_seconds();
  double now = begin;
  while ((now = thread_seconds()) - begin < seconds) {
  }
  return now - begin;
}

TEST_P(RecordTest, ComputingIsTheCpuTimeBetweenCalls) {
  constexpr int kAttempts = 5;
  EXPECT_TRUE(runtime::undisturbed(kAttempts, [&] {
    set_up(true);
    std::array<double, kRanks> computed{};
    const Read recording = recorded([&](int rank, int /*size*/) {
      for (int i = 0; i < kSteps; ++i) {
        computed[static_cast<std::size_t>(rank)] += compute_for(2e-3 * (rank + 1));
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Migrate();
      }
    });
    std::string wrong;
    for (int rank = 0; rank < kRanks; ++rank) {
      double sum = 0;
      for (const Recorded& recorded : recording.all(rank, EventKind::compute)) {
        EXPECT_EQ(recorded.call, "");
        sum += 1e-9 * static_cast<double>(recorded.event.value);
      }
      const double expected = computed[static_cast<std::size_t>(rank)];
      // Between the calls is some more than the loop.
      wrong += runtime::off(fmt::format("rank {}'s time", rank).c_str(), sum, expected + 1e-3, 0.1 * expected + 1e-3);
    }
    return wrong;
  }));
}

TEST_P(RecordTest, EachCallOfMigrateHasLoadsAndWishes) {
  const Read recording = recorded([&](int rank, int /*size*/) {
    compute_for(1e-3 * (rank + 1));
    for (int i = 0; i < kSteps; ++i) {
      compute_for(2e-3);
      MPI_Migrate();
    }
  });
  const int around = GetParam().repack || GetParam().processes > 1 ? 2 : 0;  // the fixture's own
  for (int rank = 0; rank < kRanks; ++rank) {
    const std::vector<Recorded> calls = recording.all(rank, EventKind::migrate);
    ASSERT_EQ(calls.size(), static_cast<std::size_t>(kSteps + around));
    double load = 0;
    for (const Recorded& call : calls) {
      EXPECT_EQ(call.call, "MPI_Migrate");
      EXPECT_TRUE((call.event.peer & trace::kMigratable) != 0);
      EXPECT_EQ(call.event.tag, -1);
      load += 1e-9 * static_cast<double>(call.event.value);
    }
    EXPECT_GT(load, 0.9 * (1e-3 * (rank + 1) + kSteps * 2e-3)) << rank;
  }
  ASSERT_FALSE(recording.intervals.empty());
  for (const Event& event : recording.intervals) {
    const trace::WorkerInterval interval = trace::interval_of(event);
    EXPECT_GE(interval.wall, 0);
    EXPECT_GT(interval.speed, 0);
  }
}

TEST_P(RecordTest, RanksSayWhatTheyForbidAndAskFor) {
  const Read recording = recorded([&](int rank, int /*size*/) {
    runtime::current_rank()->migratable = rank != 1;
    if (rank == 2) {
      runtime::current_rank()->wanted_worker = 0;
    }
    MPI_Migrate();
  });
  const bool moves_first = GetParam().repack || GetParam().processes > 1;
  const auto call_of = [&](int rank) { return recording.all(rank, EventKind::migrate).at(moves_first ? 1 : 0).event; };
  EXPECT_EQ(call_of(0).peer & trace::kMigratable, trace::kMigratable);
  EXPECT_EQ(call_of(1).peer & trace::kMigratable, 0U);
  EXPECT_EQ(call_of(2).tag, 0);
  EXPECT_EQ(call_of(3).tag, -1);
}

TEST_P(RecordTest, PhasesAreMarked) {
  const Read recording = recorded([](int rank, int /*size*/) {
    MPI_Pcontrol(7);
    MPI_Migrate();
    MPI_Pcontrol(-rank);
  });
  for (int rank = 0; rank < kRanks; ++rank) {
    const std::vector<Recorded> phases = recording.all(rank, EventKind::phase);
    ASSERT_EQ(phases.size(), 2U);
    EXPECT_EQ(phases[0].event.value, 7);
    EXPECT_EQ(phases[1].event.value, -rank);
    EXPECT_EQ(phases[0].call, "MPI_Pcontrol");
  }
}

TEST_P(RecordTest, BlocksOfCollectivesAreKnown) {
  const Read recording = recorded([](int rank, int size) {
    std::vector<int> counts, places, room(100), data(100);
    int sum = 0;
    for (int i = 0; i < size; ++i) {
      counts.push_back(i / 2);
      places.push_back(sum);
      sum += counts.back();
    }
    const int own = counts[static_cast<std::size_t>(rank)];
    MPI_Gatherv(data.data(), own, MPI_INT, room.data(), counts.data(), places.data(), MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Scatterv(data.data(), counts.data(), places.data(), MPI_INT, room.data(), own, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Allgatherv(data.data(), own, MPI_INT, room.data(), counts.data(), places.data(), MPI_INT, MPI_COMM_WORLD);
    const std::vector<int> to_each(static_cast<std::size_t>(size), own);
    std::vector<int> apart;
    for (int i = 0; i < size; ++i) {
      apart.push_back(i * own);
    }
    MPI_Alltoallv(data.data(), to_each.data(), apart.data(), MPI_INT, room.data(), counts.data(), places.data(),
                  MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce_scatter(data.data(), room.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(data.data(), room.data(), 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(data.data(), 3, MPI_INT, 4, MPI_COMM_WORLD);
  });
  const auto all = ElementsAre(Pair(0, 0), Pair(1, 0), Pair(2, 4), Pair(3, 4), Pair(4, 8), Pair(5, 8));
  EXPECT_THAT(recording.blocks(2, EventKind::block_from, "MPI_Gatherv"), all);
  EXPECT_TRUE(recording.blocks(3, EventKind::block_from, "MPI_Gatherv").empty());
  EXPECT_EQ(recording.collective(3, "MPI_Gatherv").value, 4);
  EXPECT_THAT(recording.blocks(1, EventKind::block_to, "MPI_Scatterv"), all);
  EXPECT_EQ(recording.collective(5, "MPI_Scatterv").peer, 1U);
  EXPECT_THAT(recording.blocks(0, EventKind::block_from, "MPI_Allgatherv"), all);
  EXPECT_THAT(recording.blocks(4, EventKind::block_from, "MPI_Alltoallv"), all);
  EXPECT_THAT(recording.blocks(4, EventKind::block_to, "MPI_Alltoallv"),
              ElementsAre(Pair(0, 8), Pair(1, 8), Pair(2, 8), Pair(3, 8), Pair(4, 8), Pair(5, 8)));
  EXPECT_THAT(recording.blocks(0, EventKind::block_to, "MPI_Reduce_scatter"), all);
  EXPECT_EQ(recording.collective(0, "MPI_Reduce_scatter").tag, 4);
  EXPECT_EQ(recording.collective(0, "MPI_Allreduce").tag, 8);
  EXPECT_EQ(recording.collective(0, "MPI_Allreduce").value, 40);
  EXPECT_EQ(recording.collective(0, "MPI_Bcast").peer, 4U);
}

TEST_P(RecordTest, NeighboursAreNamedWithTheirBlocks) {
  const Read recording = recorded([](int /*rank*/, int size) {
    MPI_Comm line = MPI_COMM_NULL;
    const int open = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &line);
    std::array<int, 2> out{}, in{};
    MPI_Neighbor_alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, line);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ineighbor_allgather(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&line);
  });
  for (const char* const call : {"MPI_Neighbor_alltoall", "MPI_Ineighbor_allgather"}) {
    EXPECT_THAT(recording.blocks(0, EventKind::block_to, call), ElementsAre(Pair(1, 4)));
    EXPECT_THAT(recording.blocks(2, EventKind::block_to, call), ElementsAre(Pair(1, 4), Pair(3, 4)));
    EXPECT_THAT(recording.blocks(2, EventKind::block_from, call), ElementsAre(Pair(1, 4), Pair(3, 4)));
    EXPECT_EQ(recording.collective(2, call).more, 8);
  }
}

// The ends of a rank's requests stand in the calls that wait for them, also of sends that are complete at once.
TEST_P(RecordTest, RequestsEndWhereTheProgramHearsOfIt) {
  const Read recording = recorded([](int rank, int size) {
    const int out = rank;
    int in = 0;
    std::array<MPI_Request, 2> requests{};
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, requests.data());
    MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 4, &in, 1, MPI_INT, (rank + size - 1) % size, MPI_ANY_TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  for (int rank = 0; rank < kRanks; ++rank) {
    const std::vector<Recorded> sent = recording.all(rank, EventKind::start_send);
    const std::vector<Recorded> ends = recording.all(rank, EventKind::end_request);
    const std::vector<Recorded> received = recording.all(rank, EventKind::end_receive);
    const std::vector<Recorded> wildcards = recording.all(rank, EventKind::wildcard);
    ASSERT_EQ(sent.size(), 1U);
    ASSERT_EQ(ends.size(), 1U);
    ASSERT_EQ(received.size(), 1U);
    ASSERT_EQ(wildcards.size(), 2U);
    EXPECT_EQ(ends[0].event.request, sent[0].event.request);
    EXPECT_EQ(ends[0].call, "MPI_Waitall");
    EXPECT_EQ(received[0].call, "MPI_Waitall");
    EXPECT_EQ(received[0].event.peer, static_cast<std::uint32_t>((rank + kRanks - 1) % kRanks));
    EXPECT_EQ(wildcards[0].event.request, received[0].event.request);
    EXPECT_EQ(wildcards[0].event.value, trace::kAnySource);
    EXPECT_EQ(wildcards[1].event.request, 0U);
    EXPECT_EQ(wildcards[1].event.value, trace::kAnyTag);
  }
}

TEST_P(RecordTest, TheManifestSaysHowTheJobRan) {
  const Read recording = recorded([](int, int) { MPI_Barrier(MPI_COMM_WORLD); });
  const trace::Manifest& manifest = recording.manifest;
  EXPECT_EQ(manifest.program, "./program");
  EXPECT_THAT(manifest.arguments, ElementsAre("--size", "3"));
  EXPECT_EQ(manifest.exit_code, 0);
  EXPECT_EQ(manifest.settings.lb, GetParam().lb);
  EXPECT_EQ(manifest.settings.lb_when, "every:1");
  EXPECT_EQ(manifest.settings.eager_bytes, 16384U);
  EXPECT_EQ(manifest.processes.size(), GetParam().processes);
  std::vector<std::uint32_t> placement;
  for (std::uint32_t w = 0; w < manifest.workers.size(); ++w) {
    placement.resize(std::size_t{w + 1} * kRanks / manifest.workers.size(), w);
  }
  EXPECT_THAT(manifest.placement, ElementsAreArray(placement));
}

}  // namespace
}  // namespace weft::mpi_shim
