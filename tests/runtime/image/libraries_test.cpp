// Private libraries: small ones made for the test, and large ones of the system.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/runtime/image/rank_host.hpp"

namespace weft::image {
namespace {

TEST(Libraries, EachRankHasItsOwnCopy) {
  RankHostOptions options;
  options.ranks = 3;
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_ranks(test_program("libraries.so"), options), std::vector<int>(3, 0));
  const std::string warnings = without_sanitizer_lines(testing::internal::GetCapturedStderr());
  EXPECT_THAT(warnings, testing::HasSubstr("opens 'libm.so.6' with dlopen"));
  EXPECT_EQ(std::ranges::count(warnings, '\n'), 1) << warnings;
}

TEST(Libraries, SharedOnRequest) {
  ProgramOptions options;
  options.overrides = host_functions();
  const auto separate = Program::load(test_program("libraries.so"), shim_path(), options);
  EXPECT_TRUE(separate->symbol("library_variable").has_value());
  EXPECT_EQ(separate->images().size(), 3U);
}

TEST(Libraries, FingerprintNamesFilesAndAddresses) {
  ProgramOptions options;
  options.overrides = host_functions();
  const auto program = Program::load(test_program("libraries.so"), shim_path(), options);
  const std::string text = program->fingerprint();
  EXPECT_THAT(text, testing::HasSubstr("libraries.so build " + program->images().front().elf.build_id));
  EXPECT_THAT(text, testing::HasSubstr("printf at 0x"));
  EXPECT_EQ(text, Program::load(test_program("libraries.so"), shim_path(), options)->fingerprint());
  EXPECT_NE(text, Program::load(test_program("c_globals.so"), shim_path(), options)->fingerprint());
}

void run_system_library(const std::string& name, std::uint32_t ranks) {
  if (!std::filesystem::exists(test_program(name))) {
    GTEST_SKIP() << "the library was not there when the tests were built";
  }
  RankHostOptions options;
  options.ranks = ranks;
  options.threads = 2;
  EXPECT_EQ(run_ranks(test_program(name), options), std::vector<int>(ranks, 0));
}

TEST(SystemLibraries, Sqlite) { run_system_library("sqlite.so", 16); }
TEST(SystemLibraries, Python) { run_system_library("python.so", 8); }

}  // namespace
}  // namespace weft::image
