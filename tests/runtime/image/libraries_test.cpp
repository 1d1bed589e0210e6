// Private libraries: small ones made for the test, and large ones of the system.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "runtime/image/load_error.hpp"
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

TEST(Libraries, EachRankHasItsOwnPlugins) {
  RankHostOptions options;
  options.ranks = 5;
  options.program.plugins = {test_program("plugin_[12].so")};
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_ranks(test_program("plugins.so"), options), std::vector<int>(5, 0));
  EXPECT_EQ(without_sanitizer_lines(testing::internal::GetCapturedStderr()), "");
}

TEST(Libraries, PluginsThatAreNotThereAreNamed) {
  ProgramOptions options;
  options.overrides = host_functions();
  for (const std::string name : {"/no/such/plugin*.so", "libno-such-plugin.so"}) {
    options.plugins = {name};
    try {
      Program::load(test_program("plugins.so"), shim_path(), options);
      FAIL() << "loaded " << name;
    } catch (const LoadError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("cannot find plugin " + name));
    }
  }
}

TEST(Libraries, SharedOnRequest) {
  ProgramOptions options;
  options.overrides = host_functions();
  const auto separate = Program::load(test_program("libraries.so"), shim_path(), options);
  EXPECT_TRUE(separate->symbol("library_variable").has_value());
  EXPECT_EQ(separate->images().size(), 3U);
}

TEST(Libraries, OriginIsTheFolderOfTheProgramThatALinkLeadsTo) {
  const std::string link = testing::TempDir() + "image_libraries_link_" + std::to_string(getpid());
  std::filesystem::create_symlink(test_program("libraries.so"), link);
  ProgramOptions options;
  options.overrides = host_functions();
  EXPECT_EQ(Program::load(link, shim_path(), options)->images().size(), 3U);
  std::filesystem::remove(link);
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
