// smith_waterman: local alignment of two sequences (Smith & Waterman 1981, linear gaps), columns over MPI ranks.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace {

struct Options {
  int rows = 4000, columns = 4000;  // lengths of the sequences
  int block = 100;                  // rows between two messages to the eastern neighbour
  int skew = 0;                     // per cent by which the last rank has more columns than the first
  int migrate_every = 5;            // blocks
  int verify = 1;
};

constexpr const char* kUsage =
    "smith_waterman [--rows N] [--columns N] [--block B] [--skew PERCENT] [--migrate-every K] [--verify 0|1]\n"
    "  sequences of 4000 and 4000 letters, pipelined in blocks of 100 rows; under Weft MPI_Migrate() every 5 blocks\n"
    "  (0: never); --skew PERCENT: the last rank has so much more columns than the first (0)\n"
    "  exit code 0, 1 where the result differs from the sequential one, 2 for a wrong option\n";

// 0: go on; else the exit code plus 1.
int parse(int argc, char** argv, Options& o) {
  const std::initializer_list<std::pair<const char*, int*>> known{{"--rows", &o.rows},
                                                                  {"--columns", &o.columns},
                                                                  {"--block", &o.block},
                                                                  {"--skew", &o.skew},
                                                                  {"--migrate-every", &o.migrate_every},
                                                                  {"--verify", &o.verify}};
  for (int n = 1; n < argc; n += 2) {
    if (std::strcmp(argv[n], "--help") == 0) {
      return 1;
    }
    const auto* const option = std::find_if(known.begin(), known.end(),
                                            [&](const auto& entry) { return std::strcmp(entry.first, argv[n]) == 0; });
    char* end = nullptr;
    const long value = n + 1 < argc ? std::strtol(argv[n + 1], &end, 10) : -1;
    if (option == known.end() || end == nullptr || end == argv[n + 1] || *end != '\0' || value < 0 || value > 1000000) {
      return 3;
    }
    *option->second = static_cast<int>(value);
  }
  return o.rows > 0 && o.columns > 0 && o.block > 0 ? 0 : 3;
}

void let_ranks_move() {
#ifdef WEFT_VERSION
  MPI_Migrate();
#endif
}

unsigned long long noise(unsigned long long n) {
  n = (n + 1) * 0x9E3779B97F4A7C15ULL;
  n = (n ^ (n >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  return n ^ (n >> 31U);
}
// The second sequence is the first one, shifted, with every fifth letter drawn anew.
int letter_of_row(int row) { return static_cast<int>(noise(static_cast<unsigned long long>(row)) % 4); }
int letter_of_column(int column) {
  const auto n = static_cast<unsigned long long>(column);
  return noise(n + 1000003) % 5 == 0 ? static_cast<int>(noise(n + 2000003) % 4) : letter_of_row(column + 17);
}

// The best local alignment score so far, and a checksum over all cells.
struct Result {
  int score = 0;
  std::uint64_t sum = 0;
};

// Columns [first, last) of the table, row by row.
class Columns {
 public:
  Columns(int first, int last) : above_(static_cast<std::size_t>(last - first)) {
    for (int column = first; column < last; ++column) {
      letters_.push_back(letter_of_column(column));
      weights_.push_back(noise(static_cast<std::uint64_t>(column)));
    }
  }

  // The next row. `west` is its value in the column before the first; returns that in the last one.
  int advance(int row, int west) {
    constexpr int kMatch = 2, kMismatch = -1, kGap = -2;
    const int letter = letter_of_row(row);
    int diagonal = corner_;
    corner_ = west;
    std::uint64_t sum = 0;
    for (std::size_t n = 0; n < above_.size(); ++n) {
      const int aligned = diagonal + (letters_[n] == letter ? kMatch : kMismatch);
      diagonal = above_[n];
      west = std::max({0, aligned, above_[n] + kGap, west + kGap});
      above_[n] = west;
      result.score = std::max(result.score, west);
      sum += static_cast<std::uint64_t>(west) * weights_[n];
    }
    result.sum += sum * (2 * noise(static_cast<std::uint64_t>(row)) + 1);
    return west;
  }
  Result result;

 private:
  int corner_ = 0;
  std::vector<int> letters_, above_;
  std::vector<std::uint64_t> weights_;
};

// First column of a part; parts grow from west to east by the skew.
int cut(const Options& o, int part, int ranks) {
  const auto weight = [&](double parts) { return parts * (1 + o.skew / 200.0 * (parts - 1) / std::max(1, ranks - 1)); };
  return static_cast<int>(o.columns * weight(part) / weight(ranks));
}

// Each rank works on its columns as soon as its western neighbour has sent the values at their border.
Result align(const Options& o, int rank, int ranks) {
  Columns columns(cut(o, rank, ranks), cut(o, rank + 1, ranks));
  const int west = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int east = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  std::vector<int> border(static_cast<std::size_t>(o.block));
  int blocks = 0;
  for (int first = 0; first < o.rows; first += o.block) {
    const int count = std::min(o.block, o.rows - first);
    MPI_Recv(border.data(), count, MPI_INT, west, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int n = 0; n < count; ++n) {
      int& value = border[static_cast<std::size_t>(n)];
      value = columns.advance(first + n, rank > 0 ? value : 0);
    }
    MPI_Send(border.data(), count, MPI_INT, east, 0, MPI_COMM_WORLD);
    if (o.migrate_every > 0 && ++blocks % o.migrate_every == 0) {
      let_ranks_move();
    }
  }
  Result all = columns.result;
  MPI_Allreduce(MPI_IN_PLACE, &all.score, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &all.sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

Result sequential_answer(const Options& o) {
  Columns table(0, o.columns);
  for (int row = 0; row < o.rows; ++row) {
    table.advance(row, 0);
  }
  return table.result;
}

int run(const Options& o, int rank, int ranks) {
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = -MPI_Wtime();
  const Result found = align(o, rank, ranks);
  seconds += MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("smith_waterman: %d x %d letters, score %d, %d ranks: %.3f s\n", o.rows, o.columns, found.score, ranks,
                seconds);
  }
  int right = 1;
  if (o.verify != 0 && rank == 0) {
    const Result expected = sequential_answer(o);
    right = found.score == expected.score && found.sum == expected.sum ? 1 : 0;
    std::printf("smith_waterman: score %d, sum %llx from the sequential answer, %s\n", expected.score,
                static_cast<unsigned long long>(expected.sum), right != 0 ? "right" : "WRONG");
  }
  MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return right != 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Options options;
  int code = parse(argc, argv, options) - 1;
  if (code >= 0 && rank == 0) {
    std::fputs(kUsage, code == 0 ? stdout : stderr);
  }
  if (code < 0) {
    code = run(options, rank, ranks);
  }
  MPI_Finalize();
  return code;
}
