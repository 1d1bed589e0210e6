// slab_transport: Monte Carlo transmission of particles through a slab, whose histories are shared out by
// weft_iterations, in fixed parts, or by a shared counter. Each history has its own seed, so tallies do not depend on
// who ran it.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "weft_iterations.h"

namespace {

struct Options {
  double histories = 1e6;
  double thickness = 2;    // in mean free paths
  double scattering = 0;   // probability that a collision scatters, forward or backward with equal chances
  double work = 0;         // random numbers drawn for nothing in each history, on average
  double cost_spread = 0;  // standard deviation of the logarithm of that number
  double report_seconds = 5;
  double group = 0;  // ranks a leader, 0: those that share memory
  double steps = 1;  // --static: equal parts of a rank's histories, with a barrier after each
  double seed = 1;
  double predict_after = 0;  // seconds; 0: no prediction is printed
  enum class Mode { library, fixed, counter } mode = Mode::library;
};

constexpr const char* kUsage =
    "slab_transport [--static | --counter] [--histories N] [--thickness D] [--scattering C] [--work W] [--cost-spread "
    "S]\n"
    "               [--report-seconds T] [--group RANKS] [--seed N] [--predict-after T] [--steps K]\n"
    "  transmission through a slab of D (2) mean free paths; a collision scatters with probability C (0), along the "
    "normal\n"
    "  W random numbers more a history, log-normal with S, make histories long and unequal\n"
    "  --static: equal parts, each in K (1) steps with a barrier after each; --counter: guided parts from "
    "MPI_Fetch_and_op;\n"
    "  else weft_iterations, reports every T (5) s\n"
    "  exit code 0, 1 where the result is not the analytic one, 2 for a wrong option\n";

bool parse_mode(const char* word, Options& o) {
  if (std::strcmp(word, "--static") == 0) {
    o.mode = Options::Mode::fixed;
    return true;
  }
  if (std::strcmp(word, "--counter") == 0) {
    o.mode = Options::Mode::counter;
    return true;
  }
  return false;
}

bool parse(int argc, char** argv, Options& o) {
  const std::array<std::pair<const char*, double*>, 10> known{{{"--histories", &o.histories},
                                                               {"--thickness", &o.thickness},
                                                               {"--scattering", &o.scattering},
                                                               {"--work", &o.work},
                                                               {"--cost-spread", &o.cost_spread},
                                                               {"--report-seconds", &o.report_seconds},
                                                               {"--group", &o.group},
                                                               {"--steps", &o.steps},
                                                               {"--seed", &o.seed},
                                                               {"--predict-after", &o.predict_after}}};
  for (int n = 1; n < argc; ++n) {
    if (parse_mode(argv[n], o)) {
      continue;
    }
    const auto* const option = std::find_if(known.begin(), known.end(),
                                            [&](const auto& entry) { return std::strcmp(entry.first, argv[n]) == 0; });
    char* end = nullptr;
    const double value = option != known.end() && n + 1 < argc ? std::strtod(argv[n + 1], &end) : -1;
    if (end == nullptr || end == argv[n + 1] || *end != '\0' || !(value >= 0 && value <= 1e12)) {
      return false;
    }
    *option->second = value;
    ++n;
  }
  return o.histories >= 1 && o.steps >= 1 && o.steps <= 1e6 && o.scattering <= 1 && o.cost_spread <= 5 &&
         o.thickness <= 50;
}

// SplitMix64 (Steele 2014): a stream for each seed and history.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t history) : state_(seed * 0x9e3779b97f4a7c15U ^ mixed(history + 1)) {}
  // In (0, 1].
  double next() { return (static_cast<double>(mixed(state_ += 0x9e3779b97f4a7c15U) >> 11U) + 1) * 0x1p-53; }

 private:
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  std::uint64_t state_;
};

enum Count : std::size_t { kTransmitted, kReflected, kAbsorbed, kCollisions, kCounts };
using Tally = std::array<std::int64_t, kCounts>;

void run_history(const Options& o, std::int64_t index, Tally& tally) {
  Random random(static_cast<std::uint64_t>(o.seed), static_cast<std::uint64_t>(index));
  double x = 0, direction = 1;
  while (true) {
    x -= direction * std::log(random.next());
    if (x >= o.thickness || x < 0) {
      ++tally[x < 0 ? kReflected : kTransmitted];
      break;
    }
    ++tally[kCollisions];
    if (random.next() > o.scattering) {
      ++tally[kAbsorbed];
      break;
    }
    direction = random.next() > 0.5 ? 1 : -1;
  }
  if (o.work > 0) {
    const double normal = std::sqrt(-2 * std::log(random.next())) * std::cos(6.283185307179586 * random.next());
    const double draws = o.work * std::exp(o.cost_spread * normal - o.cost_spread * o.cost_spread / 2);
    volatile double sink = 0;
    double sum = 0;
    for (double n = 0; n < draws; ++n) {
      sum += random.next();
    }
    sink = sum;
    static_cast<void>(sink);
  }
}

void run_range(const Options& o, std::int64_t first, std::int64_t count, Tally& tally) {
  for (std::int64_t i = first; i < first + count; ++i) {
    run_history(o, i, tally);
  }
}

// Two-flux equations of transport along the normal, integrated in closed form: F' = -s1 F + s2 B, B' = s1 B - s2 F,
// F(0) = 1, B(D) = 0, with s1 = 1 - C/2, s2 = C/2 and lengths in mean free paths. exp(-D) without scattering, 1/(1 +
// D/2) without absorption.
double analytic_transmission(const Options& o) {
  const double s1 = 1 - o.scattering / 2, kappa = std::sqrt(1 - o.scattering), depth = kappa * o.thickness;
  return kappa < 1e-9 ? 1 / (1 + s1 * o.thickness) : kappa / (kappa * std::cosh(depth) + s1 * std::sinh(depth));
}

// The result of one rank.
struct Result {
  double finish = 0;  // seconds since all began
  double histories = 0, refused = 0, messages = 0, bytes = 0;
};

void check_call(int code, const char* call) {
  if (code != WEFT_ITERATIONS_OK) {
    std::fprintf(stderr, "slab_transport: %s: %s\n", call, weft_iterations_text(code));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

// True once it is printed.
bool print_prediction(const Options& o, weft_iterations* loop, double begun) {
  double left = 0, spread = 0;
  const double now = MPI_Wtime() - begun;
  if (now < o.predict_after || weft_iterations_predict(loop, &left, &spread) != WEFT_ITERATIONS_OK) {
    return false;
  }
  std::printf("predicted after %.3f s: end at %.3f s, spread %.3f s\n", now, now + left, spread);
  std::fflush(stdout);
  return true;
}

// Histories of this rank, and the CPU time of its process.
struct Effort {
  double histories = 0, cpu_seconds = 0;

  static Effort until_now(double histories) {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return {histories, static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)};
  }
  [[nodiscard]] double speed_since(const Effort& earlier) const {
    return (histories - earlier.histories) / (cpu_seconds - earlier.cpu_seconds);
  }
};

Result run_shared(const Options& o, double begun, Tally& tally) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  weft_iterations_options options;
  check_call(weft_iterations_default_options(&options), "default_options");
  options.report_seconds = o.report_seconds;
  options.group_size = static_cast<int>(std::min(o.group, 1e9));
  options.counts = tally.data();
  options.counts_length = kCounts;
  weft_iterations* loop = nullptr;
  check_call(weft_iterations_begin(MPI_COMM_WORLD, static_cast<std::int64_t>(o.histories), &options, &loop), "begin");
  std::int64_t first = 0, count = 0;
  bool predicted = o.predict_after <= 0 || rank != 0;
  double done = 0;
  const Effort at_begin = Effort::until_now(done);
  Effort at_prediction;
  for (check_call(weft_iterations_next(loop, &first, &count), "next"); count > 0;
       check_call(weft_iterations_next(loop, &first, &count), "next")) {
    run_range(o, first, count, tally);
    done += static_cast<double>(count);
    if (!predicted && print_prediction(o, loop, begun)) {
      predicted = true;
      at_prediction = Effort::until_now(done);
    }
  }
  if (at_prediction.histories > 0) {
    std::printf("histories per CPU second: %.0f before the prediction, %.0f after it\n",
                at_prediction.speed_since(at_begin), Effort::until_now(done).speed_since(at_prediction));
  }
  weft_iterations_stats stats;
  const double offset = MPI_Wtime() - begun;
  check_call(weft_iterations_end(&loop, &stats), "end");
  return {std::min(offset, stats.finish_seconds), static_cast<double>(stats.credited),
          static_cast<double>(stats.refused), static_cast<double>(stats.messages_sent),
          static_cast<double>(stats.bytes_sent)};
}

Result run_fixed(const Options& o, double begun, Tally& tally) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto total = static_cast<std::int64_t>(o.histories);
  const std::int64_t first = total * rank / size, end = total * (rank + 1) / size;
  Result result{0, static_cast<double>(end - first), 0, 0, 0};
  const auto steps = static_cast<std::int64_t>(o.steps);
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t from = first + (end - first) * step / steps, to = first + (end - first) * (step + 1) / steps;
    run_range(o, from, to - from, tally);
    result.finish = MPI_Wtime() - begun;
    if (steps > 1) {
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  return result;
}

// Guided self-scheduling: each part is what is left over twice the ranks.
Result run_counter(const Options& o, double begun, Tally& tally) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto total = static_cast<std::int64_t>(o.histories);
  std::int64_t* counter = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate(rank == 0 ? sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &window);
  if (rank == 0) {
    *counter = 0;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  Result result;
  std::int64_t first = 0, part = 0, seen = 0;
  while (true) {
    part = std::max<std::int64_t>(1, (total - seen) / (std::int64_t{2} * size));
    MPI_Fetch_and_op(&part, &first, MPI_INT64_T, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
    result.messages += rank == 0 ? 0 : 1;
    result.bytes += rank == 0 ? 0 : static_cast<double>(sizeof part);
    if (first >= total) {
      break;
    }
    seen = std::min(total, first + part);
    run_range(o, first, seen - first, tally);
    result.histories += static_cast<double>(seen - first);
    result.finish = MPI_Wtime() - begun;
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  return result;
}

void print_results(const std::vector<Result>& results) {
  double earliest = results[0].finish, latest = 0, messages = 0, bytes = 0, refused = 0;
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    std::printf("rank %zu: finish %.3f s, %.0f histories\n", rank, results[rank].finish, results[rank].histories);
    earliest = std::min(earliest, results[rank].finish);
    latest = std::max(latest, results[rank].finish);
    messages += results[rank].messages;
    bytes += results[rank].bytes;
    refused += results[rank].refused;
  }
  std::printf("finish %.3f s, spread %.3f s, %.0f messages of %.0f bytes, %.0f histories run twice\n", latest,
              latest - earliest, messages, bytes, refused);
}

// 0, or 1 where the tallies are wrong.
int print_tallies(const Options& o, const Tally& sum) {
  const auto total = static_cast<double>(static_cast<std::int64_t>(o.histories));
  const double expected = analytic_transmission(o), found = static_cast<double>(sum[kTransmitted]) / total;
  const double deviation = std::sqrt(expected * (1 - expected) / total);
  const auto ended = static_cast<double>(sum[kTransmitted] + sum[kReflected] + sum[kAbsorbed]);
  const bool right = ended == total && std::abs(found - expected) <= 5 * deviation + 1e-300;
  std::printf("tallies: %lld transmitted, %lld reflected, %lld absorbed, %lld collisions\n",
              static_cast<long long>(sum[kTransmitted]), static_cast<long long>(sum[kReflected]),
              static_cast<long long>(sum[kAbsorbed]), static_cast<long long>(sum[kCollisions]));
  std::printf("transmission %.6f, analytic %.6f, standard deviation %.6f: %s\n", found, expected, deviation,
              right ? "right" : "WRONG");
  return right ? 0 : 1;
}

int run(const Options& o) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Tally tally{}, sum{};
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = MPI_Wtime();
  Result result;
  switch (o.mode) {
    case Options::Mode::library:
      result = run_shared(o, begun, tally);
      break;
    case Options::Mode::fixed:
      result = run_fixed(o, begun, tally);
      break;
    case Options::Mode::counter:
      result = run_counter(o, begun, tally);
      break;
  }
  std::vector<Result> results(static_cast<std::size_t>(size));
  constexpr int kNumbers = sizeof(Result) / sizeof(double);
  MPI_Gather(&result, kNumbers, MPI_DOUBLE, results.data(), kNumbers, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Reduce(tally.data(), sum.data(), kCounts, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  int code = 0;
  if (rank == 0) {
    print_results(results);
    code = print_tallies(o, sum);
  }
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Options options;
  int code = 2;
  if (parse(argc, argv, options)) {
    code = run(options);
  } else {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
      std::fputs(kUsage, stderr);
    }
  }
  MPI_Finalize();
  return code;
}
