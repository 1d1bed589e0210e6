// Random calls of every MPI function with random arguments, good and bad: each returns, with an error class that there
// is, and in the end nothing is left. argument_calls.py says which functions are not called.
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "tests/mpi_shim/error/argument_values.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

// Memory that cannot be had is an error of MPI's, not the sanitizers'.
extern "C" [[gnu::visibility("default")]] const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_options() { return "allocator_may_return_null=1"; }

namespace weft::mpi_shim::fuzz {
namespace {

using ArgumentFuzz = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, ArgumentFuzz,
                         testing::Values(Setting{1, "none"}, Setting{2, "rotate"}, Setting{2, "rotate", true},
                                         Setting{2, "rotate", false, 1, true}, Setting{1, "rotate", false, 2}),
                         name_of);

constexpr std::uint32_t kCallsOfASeed = 2000;
constexpr std::uint32_t kCallsBetweenStocks = 100;
constexpr int kTries = 40;  // to find arguments that may be passed
constexpr std::uint32_t kUsual = kSanitized ? 4 : 25;

void expect_valid(int code, const Arguments& arguments) {
  int error_class = -1;
  EXPECT_EQ(PMPI_Error_class(code, &error_class), MPI_SUCCESS) << code << " of " << arguments.call();
}

// Whether a call was made.
bool call_one(const MpiCall& call, Arguments& arguments) {
  for (int i = 0; i < kTries; ++i) {
    arguments.begin(call.name);
    if (const int code = call.invoke(arguments); code != Arguments::kNotCalled) {
      arguments.finish(code);
      expect_valid(code, arguments);
      return true;
    }
  }
  return false;
}

// As the only rank of a job; counts the calls of each function.
void call_all(Arguments& arguments, std::vector<std::uint32_t>& made) {
  const std::span<const MpiCall> calls = mpi_calls();
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (std::uint32_t i = 0; i < kCallsOfASeed; ++i) {
    if (i % kCallsBetweenStocks == 0) {
      arguments.stock();
    }
    const auto which = static_cast<std::size_t>(below(arguments.random(), static_cast<int>(calls.size())));
    made[which] += call_one(calls[which], arguments) ? 1U : 0U;
  }
  arguments.release_all();
}

TEST_P(ArgumentFuzz, EveryCallReturnsAndNothingIsLeft) {
  const FuzzSettings fuzz = fuzz_settings(kUsual);
  std::vector<std::uint32_t> made(mpi_calls().size());
  const std::string folder = testing::TempDir() + "weft_arguments_" + std::to_string(getpid()) + "/";
  for (std::uint32_t seed = fuzz.seed; seed != fuzz.seed + fuzz.count && !HasFailure(); ++seed) {
    std::filesystem::create_directories(folder);
    run(1, [&](int, int) {
      const auto arguments = std::make_unique<Arguments>(seed, fuzz.show, folder);
      call_all(*arguments, made);
    });
    std::filesystem::remove_all(folder);
    EXPECT_FALSE(HasFailure()) << "seed " << seed;
  }
  for (std::size_t i = 0; fuzz.count >= kUsual && !kSanitized && i < made.size(); ++i) {
    EXPECT_GT(made[i], 0U) << mpi_calls()[i].name << " was never called";
  }
}

}  // namespace
}  // namespace weft::mpi_shim::fuzz
