#include "tests/runtime/image/rank_host.hpp"

#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

namespace weft::image {
namespace {

namespace ctx = boost::context::detail;

struct Rank {
  std::uint32_t number = 0;
  Slot slot;
  const Program* program = nullptr;
  RankInfo info;
  ctx::fcontext_t context = nullptr;
  bool ended = false;
  int code = -1;
};

struct Worker {
  std::mutex mutex;
  std::deque<Rank*> ready;
  ctx::fcontext_t loop = nullptr;
};

std::vector<Worker>* workers = nullptr;
std::uint32_t rank_count = 0;
decltype(RankHostOptions::at_yield) at_yield;
thread_local Worker* this_worker = nullptr;
thread_local Rank* this_rank = nullptr;

// A rank may wake on another thread: never let the compiler keep these addresses.
[[gnu::noinline]] Worker*& worker() {
  asm volatile("" ::: "memory");
  return this_worker;
}
[[gnu::noinline]] Rank*& rank() {
  asm volatile("" ::: "memory");
  return this_rank;
}

[[gnu::noinline]] void suspend() {
  const ctx::transfer_t back = ctx::jump_fcontext(worker()->loop, nullptr);
  worker()->loop = back.fctx;
}

void make_ready(Worker& target, Rank* r) {
  const std::lock_guard lock(target.mutex);
  target.ready.push_back(r);
}

void begin(ctx::transfer_t from) {
  worker()->loop = from.fctx;
  const char* argv[] = {"program", "-n", "12", nullptr};
  rank()->program->run(rank()->slot, 3, argv);
}

void end_rank(int code) {
  rank()->code = code;
  rank()->ended = true;
  suspend();
  std::abort();
}

void fail_rank(const char* message, int /*signal*/) {
  std::fprintf(stderr, "rank %u: %s\n", rank() == nullptr ? 0 : rank()->number, message);
  std::abort();
}

ssize_t write_output(int fd, const void* bytes, std::size_t n) {
  return n == 0 ? 0 : static_cast<ssize_t>(std::fwrite(bytes, 1, n, fd == 1 ? stdout : stderr));
}
ssize_t read_nothing(void*, std::size_t) { return 0; }

void run_worker(std::size_t index, std::atomic<std::uint32_t>& left) {
  worker() = &(*workers)[index];
  std::size_t next = index;
  while (left > 0) {
    Rank* r = nullptr;
    {
      const std::lock_guard lock(worker()->mutex);
      if (!worker()->ready.empty()) {
        r = worker()->ready.front();
        worker()->ready.pop_front();
      }
    }
    if (r == nullptr) {
      std::this_thread::yield();
      continue;
    }
    rank() = r;
    r->context = ctx::jump_fcontext(r->context, nullptr).fctx;
    rank() = nullptr;
    if (r->ended) {
      --left;
    } else {
      if (at_yield) {
        at_yield(*r->program, r->slot, r->context, r->info);
      }
      next = (next + 1) % workers->size();
      make_ready((*workers)[next], r);
    }
  }
}

int host_rank() { return static_cast<int>(rank()->number); }
int host_ranks() { return static_cast<int>(rank_count); }
void host_yield() { suspend(); }

}  // namespace

std::map<std::string, void*, std::less<>> host_functions() {
  return {{"host_rank", reinterpret_cast<void*>(&host_rank)},
          {"host_ranks", reinterpret_cast<void*>(&host_ranks)},
          {"host_yield", reinterpret_cast<void*>(&host_yield)}};
}

std::string test_program(const std::string& name) { return std::string(WEFT_TEST_PROGRAMS) + "/" + name; }
std::string shim_path() { return WEFT_TEST_SHIM; }

std::vector<int> run_ranks(const std::string& path, const RankHostOptions& options) {
  const Region region(options.ranks);
  ProgramOptions program_options = options.program;
  program_options.overrides.merge(host_functions());
  const auto program = Program::load(path, shim_path(), program_options);
  program->publish(region);
  rank_count = options.ranks;
  at_yield = options.at_yield;
  std::vector<Worker> all_workers(options.threads);
  workers = &all_workers;
  std::vector<Rank> ranks(options.ranks);
  for (std::uint32_t i = 0; i < options.ranks; ++i) {
    Rank& r = ranks[i];
    r.number = i;
    r.slot = region.slot(i);
    r.program = program.get();
    r.info = {.rank = i, .rank_count = options.ranks};
    r.info.host.exit = &end_rank;
    r.info.host.fail = &fail_rank;
    r.info.host.output = &write_output;
    r.info.host.input = &read_nothing;
    program->place(r.slot, r.info);
    const auto stack = program->stack(r.slot);
    r.context = ctx::make_fcontext(stack.data() + stack.size(), stack.size(), &begin);
    make_ready(all_workers[i % options.threads], &r);
  }
  std::atomic<std::uint32_t> left = options.ranks;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < options.threads; ++i) {
    threads.emplace_back(&run_worker, i, std::ref(left));
  }
  threads.clear();
  std::vector<int> codes;
  for (const Rank& r : ranks) {
    codes.push_back(r.code);
    program->release(r.slot);
  }
  return codes;
}

std::string without_sanitizer_lines(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("==") && !line.starts_with("False positive error") && !line.starts_with("For details see")) {
      kept += line + '\n';
    }
  }
  return kept;
}

}  // namespace weft::image
