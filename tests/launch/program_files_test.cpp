// Interpreters of scripts, as the system finds them.
#include "launch/program_files.hpp"

#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace weft::launch {
namespace {

using Words = std::vector<std::string>;

// The interpreter of a file with this text.
Words interpreter_in(const std::string& text) {
  const std::string path = testing::TempDir() + "script." + std::to_string(::getpid());
  std::ofstream(path) << text;
  const Words words = interpreter_of(path);
  ::unlink(path.c_str());
  return words;
}

TEST(ProgramFiles, AScriptNamesItsInterpreterAndOneArgument) {
  EXPECT_EQ(interpreter_in("#!/bin/sh\necho\n"), Words{"/bin/sh"});
  EXPECT_EQ(interpreter_in("#! /usr/bin/env  python3 -u\n"), (Words{"/usr/bin/env", "python3 -u"}));
  EXPECT_EQ(interpreter_in("echo\n"), Words{});
}

TEST(ProgramFiles, BlanksAtTheEndOfTheLineBelongToNoArgument) {
  EXPECT_EQ(interpreter_in("#!/usr/bin/python3 -u \t\n"), (Words{"/usr/bin/python3", "-u"}));
  EXPECT_EQ(interpreter_in("#!/usr/bin/python3 \n"), Words{"/usr/bin/python3"});
}

}  // namespace
}  // namespace weft::launch
