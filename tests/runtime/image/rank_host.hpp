// A tiny host for loader tests: ranks as fcontext fibres on a few threads, changing threads at every yield.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/image/program.hpp"
#include "runtime/image/region.hpp"

namespace weft::image {

struct RankHostOptions {
  std::uint32_t ranks = 8;
  unsigned threads = 2;
  ProgramOptions program;
  // Called while a rank is suspended, before it continues.
  std::function<void(const Program&, Slot, const void* stack_pointer, const RankInfo&)> at_yield;
};

// Places and runs every rank to its end with arguments "-n 12"; returns the exit codes.
std::vector<int> run_ranks(const std::string& program, const RankHostOptions& options);

// What ranks wrote to standard error, without AddressSanitizer's warnings about stacks it does not know.
std::string without_sanitizer_lines(const std::string& text);

// The functions of programs/host.h, to bind programs to.
std::map<std::string, void*, std::less<>> host_functions();

// Paths of a test program and of the shim, as the build made them.
std::string test_program(const std::string& name);
std::string shim_path();

}  // namespace weft::image
