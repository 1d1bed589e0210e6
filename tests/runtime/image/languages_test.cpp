// Real programs in C, C++ and Fortran, as many ranks that change threads at every yield.
#include <gtest/gtest.h>

#include "tests/runtime/image/rank_host.hpp"

namespace weft::image {
namespace {

struct Case {
  const char* program;
  std::uint32_t ranks;
  unsigned threads;
};

void PrintTo(const Case& run, std::ostream* out) { *out << run.program; }

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.program;
  return name.substr(0, name.find('.')) + "_" + std::to_string(info.param.ranks) + "_ranks_" +
         std::to_string(info.param.threads) + "_threads";
}

class Languages : public testing::TestWithParam<Case> {};

TEST_P(Languages, EveryRankHasItsOwnGlobals) {
  const Case& c = GetParam();
  RankHostOptions options;
  options.ranks = c.ranks;
  options.threads = c.threads;
  EXPECT_EQ(run_ranks(test_program(c.program), options), std::vector<int>(c.ranks, 0));
}

INSTANTIATE_TEST_SUITE_P(All, Languages,
                         testing::Values(Case{"c_globals.so", 8, 1}, Case{"c_globals.so", 64, 4},
                                         Case{"cpp_globals.so", 8, 1}, Case{"cpp_globals.so", 64, 4},
                                         Case{"fortran_globals.so", 8, 1}, Case{"fortran_globals.so", 32, 3}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(HiddenMain, Languages, testing::Values(Case{"hidden_main.so", 3, 1}), name_of);

// The same programs, compiled and linked in other ways.
class Links : public testing::TestWithParam<const char*> {};

TEST_P(Links, EveryRankHasItsOwnGlobals) {
  RankHostOptions options;
  options.ranks = 6;
  // Compilers keep a TLS descriptor's result across calls.
  options.program.ranks_stay_on_thread = std::string(GetParam()).find("gnu2") != std::string::npos;
  options.threads = options.program.ranks_stay_on_thread ? 1 : 2;
  EXPECT_EQ(run_ranks(test_program(GetParam()), options), std::vector<int>(6, 0));
}

INSTANTIATE_TEST_SUITE_P(All, Links, testing::Values(WEFT_TEST_LINKS), [](const auto& linked) {
  const std::string file = linked.param;
  return file.substr(0, file.find('.'));
});

}  // namespace
}  // namespace weft::image
