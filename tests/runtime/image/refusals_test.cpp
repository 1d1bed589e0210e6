// Programs that cannot work are refused in one line with the file, the reason and the remedy.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "runtime/image/load_error.hpp"
#include "tests/runtime/image/rank_host.hpp"

namespace weft::image {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The message with which loading fails; empty if it does not.
std::string refusal(const std::string& path, ProgramOptions options = {}) {
  options.overrides.merge(host_functions());
  try {
    Program::load(path, shim_path(), options);
  } catch (const LoadError& error) {
    return error.what();
  }
  return {};
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A copy of content in a file that is gone after the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content)
      : path_(testing::TempDir() + "image_refusal_" + std::to_string(getpid()) + ".so") {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Refusals, MissingFile) {
  EXPECT_THAT(refusal("/nonexistent/a"), HasSubstr("cannot open /nonexistent/a: No such"));
}

TEST(Refusals, NotElf) {
  const TemporaryFile script("#!/bin/sh\nexit 0\n");
  EXPECT_THAT(
      refusal(script.path()),
      AllOf(HasSubstr(script.path()), HasSubstr("is a script, not an ELF file; name the program that it starts")));
  const TemporaryFile text("hello, hello\n");
  EXPECT_THAT(refusal(text.path()), AllOf(HasSubstr(text.path()), HasSubstr(": is not an ELF file; name a program")));
  const TemporaryFile empty("");
  EXPECT_THAT(refusal(empty.path()), HasSubstr("is not an ELF file"));
}

TEST(Refusals, FixedAddressExecutable) {
  EXPECT_THAT(refusal(test_program("refuse_fixed_address")),
              AllOf(HasSubstr("refuse_fixed_address: is a fixed-address executable"), HasSubstr("compiler wrapper")));
}

TEST(Refusals, StaticExecutable) {
  EXPECT_THAT(refusal(test_program("refuse_static")), HasSubstr("is a fixed-address executable"));
}

TEST(Refusals, ObjectFile) {
  std::string object = read_file(test_program("c_globals.so"));
  object[16] = 1;  // e_type = ET_REL
  EXPECT_THAT(refusal(TemporaryFile(object).path()), HasSubstr("is no linked program"));
}

TEST(Refusals, PieWithThreadLocals) {
  EXPECT_THAT(refusal(test_program("refuse_thread_local")), HasSubstr("is a PIE with thread-local variables"));
}

TEST(Refusals, CopyRelocation) {
  EXPECT_THAT(refusal(test_program("refuse_copy")), HasSubstr("has a copy relocation for 'stdout'"));
}

TEST(Refusals, TextRelocations) {
  EXPECT_THAT(refusal(test_program("refuse_text_relocation.so")), HasSubstr("not compiled with -fPIC"));
}

TEST(Refusals, WritableCode) {
  std::string content = read_file(test_program("c_globals.so"));
  Elf64_Ehdr header;
  std::memcpy(&header, content.data(), sizeof header);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    char* at = content.data() + header.e_phoff + i * sizeof part;
    std::memcpy(&part, at, sizeof part);
    if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0) {
      part.p_flags |= PF_X;
      std::memcpy(at, &part, sizeof part);
    }
  }
  EXPECT_THAT(refusal(TemporaryFile(content).path()), HasSubstr("writable and executable"));
}

TEST(Refusals, InitialExecThreadLocals) {
  EXPECT_THAT(refusal(test_program("refuse_initial_exec.so")),
              AllOf(HasSubstr("initial-exec TLS (symbol 'fast_variable')"), HasSubstr("global-dynamic")));
}

TEST(Refusals, ThreadLocalDescriptors) {
  if (!std::filesystem::exists(test_program("golden_gnu2.so"))) {
    GTEST_SKIP() << "this compiler has no -mtls-dialect=gnu2";
  }
  EXPECT_THAT(refusal(test_program("c_gnu2.so")),
              AllOf(HasSubstr("uses TLS descriptors (symbol 'thread_"), HasSubstr("-mtls-dialect=gnu")));
}

TEST(Refusals, AllUndefinedSymbolsInOneMessage) {
  EXPECT_THAT(refusal(test_program("refuse_undefined.so")),
              AllOf(HasSubstr("first_missing (in "), HasSubstr("second_missing (in "), Not(HasSubstr("weak_missing"))));
}

TEST(Refusals, ThreadLocalOfSharedLibrary) {
  ProgramOptions options;
  options.shared = {"libimage_shared_*"};
  EXPECT_THAT(refusal(test_program("refuse_shared_thread_local.so"), options),
              HasSubstr("thread-local symbol 'library_variable' lives in a shared library"));
  EXPECT_EQ(refusal(test_program("refuse_shared_thread_local.so")), "");  // fine with a library per rank
}

TEST(Refusals, MissingLibrary) {
  std::string content = read_file(test_program("refuse_shared_thread_local.so"));
  const std::string name = "libimage_shared_thread_local.so";
  const std::size_t at = content.find(name);
  ASSERT_NE(at, std::string::npos);
  content[at + 3] = 'X';
  EXPECT_THAT(refusal(TemporaryFile(content).path()), HasSubstr("cannot find library libXmage_shared"));
}

TEST(Refusals, NoMain) {
  EXPECT_THAT(refusal(test_program("libimage_shared_thread_local.so")), HasSubstr("has no main function"));
}

TEST(Refusals, OtherMachine) {
  std::string content = read_file(test_program("c_globals.so"));
  content[18] = static_cast<char>(183);  // EM_AARCH64
  EXPECT_THAT(refusal(TemporaryFile(content).path()), HasSubstr("is built for another machine (ELF machine 183)"));
}

TEST(Refusals, ShimWithoutItsFunctions) {
  ProgramOptions options;
  options.overrides = host_functions();
  try {
    Program::load(test_program("golden.so"), test_program("libimage_shared_thread_local.so"), options);
    FAIL();
  } catch (const LoadError& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not define weft_shim_info"));
  }
}

TEST(Refusals, PlainPieIsFine) { EXPECT_EQ(refusal(test_program("plain_pie")), ""); }

TEST(Refusals, TruncatedFilesGiveAnError) {
  const std::string whole = read_file(test_program("c_globals.so"));
  for (std::size_t size = 1; size < whole.size(); size += size < 6000 ? 37 : 997) {
    const std::string message = refusal(TemporaryFile(whole.substr(0, size)).path());
    // Only section headers and debug information, which nothing needs, may be missing without harm.
    if (size < 0x2000) {
      EXPECT_NE(message, "") << "first " << size << " bytes";
    }
  }
}

// Loading a damaged file always returns, and at worst reports one line.
TEST(Refusals, DamagedFilesNeverCrash) {
  const std::string whole = read_file(test_program("cpp_globals.so"));
  std::mt19937 random(20);
  std::size_t refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string content = whole;
    // Headers and the dynamic section's tables lie in the first pages; hit them hard.
    const std::size_t reach = i % 3 == 0 ? 1024 : i % 3 == 1 ? 16384 : whole.size();
    for (int k = 0; k < 8; ++k) {
      content[random() % std::min(reach, whole.size() - 20) + 20] = static_cast<char>(random());
    }
    const std::string message = refusal(TemporaryFile(content).path());
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    refused += message.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace weft::image
