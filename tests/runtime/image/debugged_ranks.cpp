// For the test of tools/weft-gdb.py: suspends every rank three functions deep in its program, then stops.
#include <boost/context/detail/fcontext.hpp>
#include <csignal>
#include <cstdio>
#include <vector>

#include "runtime/image/debug_table.h"
#include "runtime/image/program.hpp"
#include "tests/runtime/image/rank_host.hpp"

namespace {

namespace ctx = boost::context::detail;
namespace image = weft::image;

constexpr std::uint32_t kRanks = 3;

struct Rank {
  image::Slot slot;
  void* context = nullptr;
  std::uint8_t state = 0;
  std::uint32_t worker = 0;
  const char* call = nullptr;
};

Rank ranks[kRanks];
std::uint32_t running = 0;
ctx::fcontext_t host = nullptr;
const image::Program* program = nullptr;

void begin(ctx::transfer_t from) {
  host = from.fctx;
  const char* argv[] = {"program", nullptr};
  program->run(ranks[running].slot, 1, argv);
}

void host_look(void*) {
  ranks[running].call = "MPI_Recv";
  host = ctx::jump_fcontext(host, nullptr).fctx;
}

void stop(int) {}

}  // namespace

int main() {
  const image::Region region(kRanks, {0x400000000000, std::uint64_t{64} << 20});  // small, so that a core file is
  image::ProgramOptions options;
  options.overrides["host_look"] = reinterpret_cast<void*>(&host_look);
  const auto loaded = image::Program::load(image::test_program("backtrace.so"), image::shim_path(), options);
  loaded->publish(region);
  program = loaded.get();
  std::vector<WeftDebugRank> table;
  const char* const states[] = {"ready", "parked"};
  for (running = 0; running < kRanks; ++running) {
    Rank& rank = ranks[running];
    rank.slot = region.slot(running);
    rank.worker = running % 2;
    image::RankInfo info{.rank = running, .rank_count = kRanks};
    info.host.exit = &stop;
    program->place(rank.slot, info);
    const auto stack = program->stack(rank.slot);
    rank.context = ctx::make_fcontext(stack.data() + stack.size(), stack.size(), &begin);
    rank.context = ctx::jump_fcontext(rank.context, nullptr).fctx;
    rank.state = 1;
    table.push_back({&rank.context, &rank.state, &rank.worker, &rank.call});
  }
  weft_debug.ranks = table.data();
  weft_debug.rank_count = kRanks;
  weft_debug.state_names = states;
  weft_debug.state_count = 2;
  std::raise(SIGABRT);
  return 0;
}
