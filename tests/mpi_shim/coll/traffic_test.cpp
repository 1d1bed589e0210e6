// For the strategies, a collective call of ranks that synchronize in memory counts as the messages that it would send
// between processes.
#include <map>

#include "tests/mpi_shim/coll/forms.hpp"

namespace weft::mpi_shim {
namespace {

class CollTraffic : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, CollTraffic, testing::Values(Setting{1, "none"}, Setting{3, "none"}), name_of);

// Bytes and messages to each receiver.
using Sent = std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>>;

void make_calls(int rank, int size, std::size_t n, Form form) {
  for (int call = 0; call < kCalls; ++call) {
    Arguments arguments(MPI_COMM_WORLD, rank, size, n, 1);
    MPI_Request request = MPI_REQUEST_NULL;
    ASSERT_EQ(make_call(static_cast<Call>(call), form, arguments, &request), MPI_SUCCESS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

TEST_P(CollTraffic, IsThatOfTheSameCallsByMessages) {
  constexpr int kRanks = 6;
  for (const Form form : {Form::blocking, Form::request}) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{3000}}) {
      std::vector<Sent> sent[2];
      std::vector<std::uint64_t> messages[2];
      for (const bool as_processes : {false, true}) {
        auto& its = sent[as_processes ? 1 : 0];
        auto& total = messages[as_processes ? 1 : 0];
        its.resize(kRanks);
        total.resize(kRanks);
        runtime::JobConfig config;
        config.act_as_processes = as_processes;
        run(
            kRanks,
            [&](int rank, int size) {
              std::unique_ptr<runtime::Traffic>& traffic = rank_state().rank->traffic;
              traffic = std::make_unique<runtime::Traffic>(kRanks);
              make_calls(rank, size, n, form);
              for (const auto& [to, all] : traffic->by_receiver()) {
                its[static_cast<std::size_t>(rank)][to] = {all.messages, all.bytes};
              }
              total[static_cast<std::size_t>(rank)] = traffic->total.messages;
              traffic.reset();
            },
            config);
      }
      EXPECT_EQ(sent[0], sent[1]);
      EXPECT_FALSE(sent[0][0].empty());
      // The MPI_T variable counts only real messages.
      EXPECT_LT(messages[0][0], messages[1][0]);
    }
  }
}

}  // namespace
}  // namespace weft::mpi_shim
