// lu: right-looking LU factorization with partial pivoting of a dense matrix, its columns dealt to MPI ranks in panels.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace {

struct Options {
  int n = 512;
  int panel = 16;  // columns
  int cyclic = 1;  // 0: neighbouring panels stay together, and the western ranks have nothing to do before long
  int migrate_every = 4;
  int verify = 1;
};

constexpr const char* kUsage =
    "lu [--n N] [--panel B] [--cyclic 0|1] [--migrate-every K] [--verify 0|1]\n"
    "  matrix 512 x 512 in panels of 16 columns; under Weft MPI_Migrate() every 4 panels (0: never)\n"
    "  --cyclic 1 deals the panels in turns, 0 in blocks: those in the west are done before the others\n"
    "  exit code 0, 1 where the factors differ from the sequential ones, 2 for a wrong option\n";

// 0: go on; else the exit code plus 1.
int parse(int argc, char** argv, Options& o) {
  const std::initializer_list<std::pair<const char*, int*>> known{{"--n", &o.n},
                                                                  {"--panel", &o.panel},
                                                                  {"--cyclic", &o.cyclic},
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
    if (option == known.end() || end == nullptr || end == argv[n + 1] || *end != '\0' || value < 0 || value > 40000) {
      return 3;
    }
    *option->second = static_cast<int>(value);
  }
  return o.n > 0 && o.panel > 0 ? 0 : 3;
}

void let_ranks_move() {
#ifdef WEFT_VERSION
  MPI_Migrate();
#endif
}

double element(int row, int column) {
  unsigned long long h = static_cast<unsigned long long>(row) * 40009 + static_cast<unsigned long long>(column) + 1;
  h *= 0x9E3779B97F4A7C15ULL;
  h = (h ^ (h >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  return static_cast<double>((h ^ (h >> 31U)) >> 11U) * 0x1p-53 - 0.5;
}

struct Panel {
  int first = 0, last = 0;      // columns
  std::vector<double> columns;  // one after the other, n rows each

  Panel(const Options& o, int number) : first(number * o.panel), last(std::min(o.n, first + o.panel)) {
    for (int column = first; column < last; ++column) {
      for (int row = 0; row < o.n; ++row) {
        columns.push_back(element(row, column));
      }
    }
  }
  [[nodiscard]] int width() const { return last - first; }
  [[nodiscard]] double* column(int n, int number) {
    return columns.data() + static_cast<std::ptrdiff_t>(number - first) * n;
  }
};

// Factors the panel's columns, which all panels before it have updated. `pivots` gets the row that each one swaps with.
void factor(int n, Panel& panel, int* pivots) {
  for (int k = panel.first; k < panel.last; ++k) {
    double* const left = panel.column(n, k);
    const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
    const auto pivot = static_cast<int>(std::max_element(left + k, left + n, larger) - left);
    *pivots++ = pivot;
    for (int column = panel.first; column < panel.last; ++column) {
      std::swap(panel.column(n, column)[k], panel.column(n, column)[pivot]);
    }
    for (int row = k + 1; row < n; ++row) {
      left[row] /= left[k];
    }
    for (int column = k + 1; column < panel.last; ++column) {
      double* const right = panel.column(n, column);
      for (int row = k + 1; row < n; ++row) {
        right[row] -= left[row] * right[k];
      }
    }
  }
}

// Brings another panel up to date with a factored one: its swaps everywhere, its columns in the panels east of it.
void update(int n, Panel& factored, const int* pivots, Panel& panel) {
  for (int column = panel.first; column < panel.last; ++column) {
    double* const right = panel.column(n, column);
    for (int k = factored.first; k < factored.last; ++k) {
      std::swap(right[k], right[pivots[k - factored.first]]);
    }
    for (int k = factored.first; panel.first >= factored.last && k < factored.last; ++k) {
      const double* const left = factored.column(n, k);
      for (int row = k + 1; row < n; ++row) {
        right[row] -= left[row] * right[k];
      }
    }
  }
}

int owner(const Options& o, int ranks, int number) {
  const int panels = (o.n + o.panel - 1) / o.panel;
  return o.cyclic != 0 ? number % ranks : static_cast<int>(static_cast<long long>(number) * ranks / panels);
}

// Both factors, in place of the matrix: the calling rank's panels.
std::vector<Panel> factorize(const Options& o, int rank, int ranks) {
  const int panels = (o.n + o.panel - 1) / o.panel;
  std::vector<Panel> mine;
  for (int number = 0; number < panels; ++number) {
    if (owner(o, ranks, number) == rank) {
      mine.emplace_back(o, number);
    }
  }
  std::vector<int> pivots(static_cast<std::size_t>(o.panel));
  for (int number = 0; number < panels; ++number) {
    const int root = owner(o, ranks, number);
    const auto own =
        std::find_if(mine.begin(), mine.end(), [&](const Panel& p) { return p.first == number * o.panel; });
    Panel factored(o, number);
    if (own != mine.end()) {
      factor(o.n, *own, pivots.data());
      factored = *own;
    }
    MPI_Bcast(pivots.data(), factored.width(), MPI_INT, root, MPI_COMM_WORLD);
    MPI_Bcast(factored.columns.data(), factored.width() * o.n, MPI_DOUBLE, root, MPI_COMM_WORLD);
    for (Panel& panel : mine) {
      if (panel.first != factored.first) {
        update(o.n, factored, pivots.data(), panel);
      }
    }
    if (o.migrate_every > 0 && (number + 1) % o.migrate_every == 0) {
      let_ranks_move();
    }
  }
  return mine;
}

// The factors as one rank finds them, by rows instead of panels; then the largest |(L U - P A)_ij| over n as an
// independent check.
std::vector<double> sequential_answer(int n, double& residual) {
  const auto at = [n](int row, int column) {
    return static_cast<std::size_t>(column) * static_cast<std::size_t>(n) + static_cast<std::size_t>(row);
  };
  std::vector<double> a(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  std::vector<int> from(static_cast<std::size_t>(n));
  for (int row = 0; row < n; ++row) {
    from[static_cast<std::size_t>(row)] = row;
    for (int column = 0; column < n; ++column) {
      a[at(row, column)] = element(row, column);
    }
  }
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int row = k + 1; row < n; ++row) {
      pivot = std::abs(a[at(row, k)]) > std::abs(a[at(pivot, k)]) ? row : pivot;
    }
    std::swap(from[static_cast<std::size_t>(k)], from[static_cast<std::size_t>(pivot)]);
    for (int column = 0; column < n; ++column) {
      std::swap(a[at(k, column)], a[at(pivot, column)]);
    }
    for (int row = k + 1; row < n; ++row) {
      a[at(row, k)] /= a[at(k, k)];
    }
    for (int column = k + 1; column < n; ++column) {
      for (int row = k + 1; row < n; ++row) {
        a[at(row, column)] -= a[at(row, k)] * a[at(k, column)];
      }
    }
  }
  residual = 0;
  std::vector<double> product(static_cast<std::size_t>(n));
  for (int column = 0; column < n; ++column) {
    std::fill(product.begin(), product.end(), 0);
    for (int k = 0; k <= column; ++k) {
      product[static_cast<std::size_t>(k)] += a[at(k, column)];
      for (int row = k + 1; row < n; ++row) {
        product[static_cast<std::size_t>(row)] += a[at(row, k)] * a[at(k, column)];
      }
    }
    for (int row = 0; row < n; ++row) {
      const double off = product[static_cast<std::size_t>(row)] - element(from[static_cast<std::size_t>(row)], column);
      residual = std::max(residual, std::abs(off) / n);
    }
  }
  return a;
}

// Collective: the largest difference of an element of the factors, or the residual where that is larger.
double difference(const Options& o, std::vector<Panel>& mine, int rank) {
  std::vector<double> right(static_cast<std::size_t>(o.n) * static_cast<std::size_t>(o.n));
  double most = 0;
  if (rank == 0) {
    right = sequential_answer(o.n, most);
  }
  for (int column = 0; column < o.n; ++column) {
    MPI_Bcast(right.data() + static_cast<std::ptrdiff_t>(column) * o.n, o.n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  for (Panel& panel : mine) {
    const double* expected = right.data() + static_cast<std::ptrdiff_t>(panel.first) * o.n;
    for (const double value : panel.columns) {
      const double off = value - *expected++;
      most = std::isnan(off) ? INFINITY : std::max(most, std::abs(off));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

int run(const Options& o, int rank, int ranks) {
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = -MPI_Wtime();
  std::vector<Panel> mine = factorize(o, rank, ranks);
  seconds += MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("lu: %d x %d in panels of %d, %d ranks: %.3f s\n", o.n, o.n, o.panel, ranks, seconds);
  }
  constexpr double kBound = 1e-10;
  const double off = o.verify != 0 ? difference(o, mine, rank) : 0;
  if (o.verify != 0 && rank == 0) {
    std::printf("lu: %.1e from the sequential answer, %s\n", off, off < kBound ? "right" : "WRONG");
  }
  return off < kBound ? 0 : 1;
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
