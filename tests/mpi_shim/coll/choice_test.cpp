// The algorithm that a table names runs, and all algorithms give the same bits.
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "mpi_shim/coll/tuning/tuner.hpp"
#include "tests/mpi_shim/coll/forms.hpp"

namespace weft::mpi_shim {
namespace {

using enum Algorithm;

// A table that names this algorithm for every collective that can use it.
class Only {
 public:
  explicit Only(Algorithm algorithm) : table_(everywhere(algorithm), 1, 1) {
    choice_sources.table = &table_;
    choices_are_built_in = false;
  }
  ~Only() {
    choice_sources = {};
    choices_are_built_in = true;
  }
  Only(const Only&) = delete;
  Only& operator=(const Only&) = delete;

 private:
  static std::vector<MeasuredChoices> everywhere(Algorithm algorithm) {
    std::vector<MeasuredChoices> all;
    for (const CallForm form : {CallForm::one_process, CallForm::several_processes, CallForm::with_request}) {
      MeasuredChoices& measured = all.emplace_back(MeasuredChoices{form, 1, 1, 1, {}});
      for (const Collective call : tunable_collectives()) {
        if (contains(algorithms_of(call, form), algorithm)) {
          measured.rows[call] = {{8, algorithm, {}}};
        }
      }
    }
    return all;
  }
  const ChoiceTable table_;
};

// A set of calls from forms.hpp.
using Calls = std::vector<int>;

Calls all_calls() {
  Calls calls(kCalls);
  std::iota(calls.begin(), calls.end(), 0);
  return calls;
}

// The calls that can use the algorithm in some form; the others run as without a table.
Calls calls_that_offer(Algorithm algorithm) {
  Calls calls = all_calls();
  std::erase_if(calls, [&](int call) {
    const int after_alltoallw = call > static_cast<int>(Call::alltoallw) ? 1 : 0;  // there Collective has MPI_Finalize
    const Collective choice = base_collective(static_cast<Collective>(call + after_alltoallw));
    const auto offers = [&](CallForm form) { return contains(algorithms_of(choice, form), algorithm); };
    return !offers(CallForm::one_process) && !offers(CallForm::several_processes) && !offers(CallForm::with_request);
  });
  return calls;
}

class CollChoice : public MpiTest {
 protected:
  // A rank's results of each call, those of all forms concatenated.
  using RankResults = std::array<std::vector<double>, kCalls>;
  // By rank.
  using Results = std::vector<RankResults>;
  struct Member {
    int rank;
    int size;
    RankResults& results;
  };
  Results results_of(int ranks, const std::vector<std::size_t>& counts, const Calls& calls, bool own_too = true) {
    Results results(static_cast<std::size_t>(ranks));
    run(ranks, [&](int rank, int size) {
      const Member me{rank, size, results[static_cast<std::size_t>(rank)]};
      MPI_Op own = MPI_OP_NULL;
      MPI_Op_create(decay, 0, &own);
      for (const std::size_t n : counts) {
        make_calls(calls, me, n, MPI_SUM);
        if (own_too && n == 3) {
          make_calls(calls, me, n, own);
        }
        MPI_Migrate();
      }
      MPI_Op_free(&own);
    });
    return results;
  }

  static void expect_same(const Results& found, const Results& expected, const Calls& calls) {
    for (std::size_t rank = 0; rank < found.size(); ++rank) {
      for (const int call : calls) {
        const std::vector<double>& is = found[rank][static_cast<std::size_t>(call)];
        const std::vector<double>& should_be = expected[rank][static_cast<std::size_t>(call)];
        ASSERT_EQ(is.size(), should_be.size());
        ASSERT_EQ(std::memcmp(is.data(), should_be.data(), is.size() * sizeof(double)), 0)
            << "rank " << rank << ", call " << call;
      }
    }
  }

 private:
  static void make_calls(const Calls& calls, const Member& me, std::size_t n, MPI_Op op) {
    for (const int call : calls) {
      for (const Form form : {Form::blocking, Form::request, Form::persistent}) {
        Arguments arguments(MPI_COMM_WORLD, me.rank, me.size, n, static_cast<int>(n) % me.size);
        arguments.op = op;
        MPI_Request request = MPI_REQUEST_NULL;
        ASSERT_EQ(make_call(static_cast<Call>(call), form, arguments, &request), MPI_SUCCESS);
        if (form == Form::persistent) {
          MPI_Start(&request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (form == Form::persistent) {
          MPI_Request_free(&request);
        }
        auto& of_call = me.results[static_cast<std::size_t>(call)];
        of_call.insert(of_call.end(), arguments.out.begin(), arguments.out.end());
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, CollChoice, kSettings, name_of);

constexpr Algorithm kAll[] = {in_memory, in_memory_split,          binomial,           pipelined,     linear,
                              ring,      reduce_scatter_allgather, recursive_doubling, dissemination, chain,
                              deferred};

TEST_P(CollChoice, ResultsHaveTheSameBits) {
  for (const int ranks : {2, 5, 13}) {
    if (kSanitized && ranks > 5) {
      continue;
    }
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const std::vector<std::size_t> counts{0, 1, 3, 700};
    const Results expected = results_of(ranks, counts, all_calls());
    for (const Algorithm algorithm : kAll) {
      SCOPED_TRACE(algorithm_name(algorithm));
      const Only only(algorithm);
      const Calls calls = calls_that_offer(algorithm);
      ASSERT_FALSE(calls.empty());
      expect_same(results_of(ranks, counts, calls), expected, calls);
    }
  }
}

// As above, with a vector that is sent in several pieces.
TEST_P(CollChoice, ResultsOfLongVectorsHaveTheSameBits) {
  if (kSanitized) {
    GTEST_SKIP() << "takes long, and does nothing else than above";
  }
  const std::vector<std::size_t> counts{40000};
  const int ranks = 3;
  const Results expected = results_of(ranks, counts, all_calls(), false);
  for (const Algorithm algorithm :
       {in_memory_split, binomial, pipelined, ring, reduce_scatter_allgather, recursive_doubling}) {
    SCOPED_TRACE(algorithm_name(algorithm));
    const Only only(algorithm);
    const Calls calls = calls_that_offer(algorithm);
    expect_same(results_of(ranks, counts, calls, false), expected, calls);
  }
}

std::size_t count_in(const std::string& file, const std::string& what) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  const std::string text = out.str();
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

// The timeline records each choice where it is made.
TEST_P(CollChoice, TheTimelineShowsWhatRan) {
  const std::string file = testing::TempDir() + "choice_" + std::to_string(getpid()) + ".json";
  calls_are_traced = true;
  call_hooks_enabled = true;
  const auto traced = [&](const Body& body) {
    runtime::JobConfig config;
    config.trace = file;
    run(4, body, config);
  };
  const auto three = [](int, int) {
    double in[4] = {}, out[16] = {};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iallreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allgather(in, 4, MPI_DOUBLE, out, 4, MPI_DOUBLE, MPI_COMM_WORLD);
  };
  traced(three);
  EXPECT_GE(count_in(file, R"("algorithm":"binomial")"), by_messages() ? 12U : 0U);
  EXPECT_GE(count_in(file, R"("algorithm":"in_memory")"), by_messages() ? 0U : 8U);
  EXPECT_EQ(count_in(file, R"("algorithm":"deferred")"), by_messages() ? 0U : 4U);
  EXPECT_EQ(count_in(file, R"("algorithm":"recursive_doubling")"), 0U);
  EXPECT_EQ(count_in(file, R"("algorithm":"ring")"), 0U);
  {
    const Only only(recursive_doubling);
    traced(three);
    EXPECT_EQ(count_in(file, R"("algorithm":"recursive_doubling")"), 8U);
  }
  {
    const Only only(ring);
    traced(three);
    EXPECT_EQ(count_in(file, R"("algorithm":"ring")"), 4U);
  }
  calls_are_traced = false;
  call_hooks_enabled = false;
  std::filesystem::remove(file);
}

// The number of messages that member 1 of 8 sends shows which algorithm ran.
TEST_P(CollChoice, OtherAlgorithmsSendOtherMessages) {
  if (GetParam().lb != "none") {
    GTEST_SKIP() << "balancing steps count, too";
  }
  const auto sent = [&](const std::function<void()>& call) {
    std::uint64_t messages = 0;
    run(8, [&](int rank, int) {
      runtime::Rank& me = *rank_state().rank;
      me.traffic = std::make_unique<runtime::Traffic>(me.job.rank_count());
      call();
      if (rank == 1) {
        messages = me.traffic->total.messages;
      }
      me.traffic.reset();
    });
    return messages;
  };
  const auto barrier = [] { MPI_Barrier(MPI_COMM_WORLD); };
  const auto allgather = [] {
    double mine[2] = {}, every[16] = {};
    MPI_Allgather(mine, 2, MPI_DOUBLE, every, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  };
  const auto allreduce = [] {
    double mine[2] = {}, sum[2] = {};
    MPI_Allreduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  };
  EXPECT_EQ(sent(barrier), by_messages() ? 1U : 0U);
  {
    const Only only(dissemination);
    EXPECT_EQ(sent(barrier), 3U);
  }
  {
    const Only only(binomial);
    EXPECT_EQ(sent(barrier), 1U);
    EXPECT_EQ(sent(allgather), 1U);
    EXPECT_EQ(sent(allreduce), 1U);
  }
  {
    const Only only(ring);
    EXPECT_EQ(sent(allgather), 7U);
  }
  {
    const Only only(recursive_doubling);
    EXPECT_EQ(sent(allreduce), 3U);
  }
  {
    const Only only(reduce_scatter_allgather);
    EXPECT_EQ(sent(allreduce), 9U);  // to the two members that combine an element, and around the ring
  }
}

class Tuning : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, Tuning,
                         testing::Values(Setting{1, "none"}, Setting{2, "none"}, Setting{2, "none", false, 2}),
                         name_of);

TEST_P(Tuning, FindsAnAlgorithmForEveryCallAndSize) {
  constexpr std::uint32_t kRanks = 5;
  Tuner tuner({.sizes = {8, 4096, kSanitized ? 1 << 15 : 1 << 20},
               .batch_seconds = 1e-5,
               .rounds = 2,
               .most_seconds = 1e9,
               .quiet = true},
              kRanks);
  run_bare(kRanks, [&](int, int) { tuner.run(*runtime::current_rank()); });
  const bool several = GetParam().processes > 1;
  ASSERT_EQ(tuner.found().size(), several ? 3U : 2U);
  for (const MeasuredChoices& measured : tuner.found()) {
    EXPECT_EQ(measured.processes, GetParam().processes);
    EXPECT_EQ(measured.ranks, several && measured.form == CallForm::one_process ? 2U : kRanks);
    for (const Collective call : tunable_collectives()) {
      if (std::popcount(algorithms_of(call, measured.form)) < 2) {
        EXPECT_FALSE(measured.rows.contains(call));
        continue;
      }
      const auto& rows = measured.rows.at(call);
      ASSERT_EQ(rows.size(), call == Collective::barrier ? 1U : 3U);
      for (const MeasuredChoices::Row& row : rows) {
        EXPECT_TRUE(contains(algorithms_of(call, measured.form), row.algorithm));
        EXPECT_FALSE(row.microseconds.empty());
      }
    }
  }
  // Every available algorithm has been measured for 4096 bytes.
  const auto& allreduce = tuner.found()[0].rows.at(Collective::allreduce)[1];
  EXPECT_EQ(allreduce.microseconds.size(), by_messages() ? 3U : 5U);
  EXPECT_EQ(parse_choices(render_choices(tuner.found())).size(), tuner.found().size());
}

}  // namespace
}  // namespace weft::mpi_shim
