// lbm2d: flow around obstacles by the lattice Boltzmann method (D2Q9, BGK), rows over MPI ranks.
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
  int nx = 256, ny = 256;
  int steps = 200;
  int migrate_every = 20;
  int rock = 0;  // per cent of the rows, from the north, that are rock with a few channels
  int verify = 1;
};

constexpr const char* kUsage =
    "lbm2d [--nx N] [--ny N] [--steps N] [--migrate-every K] [--rock PERCENT] [--verify 0|1]\n"
    "  grid 256 x 256, 200 steps; under Weft MPI_Migrate() every 20 steps (0: never)\n"
    "  --rock PERCENT of the rows are rock, where little is to be computed (0)\n"
    "  exit code 0, 1 where the result differs from the sequential one, 2 for a wrong option\n";

// 0: go on; else the exit code plus 1.
int parse(int argc, char** argv, Options& o) {
  const std::initializer_list<std::pair<const char*, int*>> known{
      {"--nx", &o.nx},     {"--ny", &o.ny},        {"--steps", &o.steps}, {"--migrate-every", &o.migrate_every},
      {"--rock", &o.rock}, {"--verify", &o.verify}};
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
  return o.nx > 0 && o.ny > 0 ? 0 : 3;
}

void let_ranks_move() {
#ifdef WEFT_VERSION
  MPI_Migrate();
#endif
}

constexpr std::size_t kSpeeds = 9;
constexpr std::array<int, kSpeeds> kX{0, 1, 0, -1, 0, 1, -1, -1, 1};
constexpr std::array<int, kSpeeds> kY{0, 0, 1, 0, -1, 1, 1, -1, -1};
constexpr std::array<std::size_t, kSpeeds> kBack{0, 3, 4, 1, 2, 7, 8, 5, 6};
constexpr std::array<double, kSpeeds> kWeight{4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                              1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};
using Cell = std::array<double, kSpeeds>;

// A disc in the middle; in the north rock with a channel of one column in eight.
bool is_solid(const Options& o, int x, int y) {
  const int px = 2 * x - o.nx, py = 2 * y - o.ny, radius = std::min(o.nx, o.ny) / 4;
  return px * px + py * py < radius * radius ||
         (100LL * (o.ny - 1 - y) < static_cast<long long>(o.rock) * o.ny && x % 8 != 0);
}

// The equilibrium populations for this density and velocity (Qian et al. 1992).
Cell equilibrium(double density, double u, double v) {
  Cell f{};
  for (std::size_t q = 0; q < kSpeeds; ++q) {
    const double along = 3 * (kX[q] * u + kY[q] * v);
    f[q] = kWeight[q] * density * (1 + along + 0.5 * along * along - 1.5 * (u * u + v * v));
  }
  return f;
}

// Rows [y0, y1) and one ghost row on each side; the grid is periodic.
class Slab {
 public:
  Slab(const Options& o, int first, int last) : y0(first), y1(last), nx_(o.nx) {
    for (int y = y0 - 1; y <= y1; ++y) {
      for (int x = 0; x < nx_; ++x) {
        const int row = (y + o.ny) % o.ny;
        solid_.push_back(is_solid(o, x, row) ? 1 : 0);
        now_.push_back(equilibrium(1, 0.05, 0.02 * std::sin(0.1 * x + 0.05 * row)));
      }
    }
    next_ = now_;
  }

  // Streams populations from the neighbouring cells, reflects those from solid cells, and collides. Needs the ghosts.
  void step() {
    for (int y = y0; y < y1; ++y) {
      for (int x = 0; x < nx_; ++x) {
        const std::size_t here = at(x, y);
        if (solid_[here] != 0) {
          continue;
        }
        Cell f{};
        for (std::size_t q = 0; q < kSpeeds; ++q) {
          const std::size_t from = at(around(x - kX[q]), y - kY[q]);
          f[q] = solid_[from] != 0 ? now_[here][kBack[q]] : now_[from][q];
        }
        next_[here] = collide(f);
      }
    }
    now_.swap(next_);
  }

  [[nodiscard]] double* row(int y) { return now_[at(0, y)].data(); }
  [[nodiscard]] int values() const { return static_cast<int>(kSpeeds) * nx_; }  // of a row
  const int y0, y1;

 private:
  static Cell collide(const Cell& f) {
    constexpr double kRelaxation = 1.6, kForce = 1e-5;
    double density = 0, u = 0, v = 0;
    for (std::size_t q = 0; q < kSpeeds; ++q) {
      density += f[q];
      u += kX[q] * f[q];
      v += kY[q] * f[q];
    }
    const Cell rest = equilibrium(density, u / density, v / density);
    Cell after{};
    for (std::size_t q = 0; q < kSpeeds; ++q) {
      after[q] = f[q] + kRelaxation * (rest[q] - f[q]) + 3 * kWeight[q] * kX[q] * kForce;
    }
    return after;
  }
  [[nodiscard]] int around(int x) const { return x < 0 ? nx_ - 1 : x < nx_ ? x : 0; }
  [[nodiscard]] std::size_t at(int x, int y) const {
    return static_cast<std::size_t>(y - y0 + 1) * static_cast<std::size_t>(nx_) + static_cast<std::size_t>(x);
  }

  int nx_;
  std::vector<char> solid_;
  std::vector<Cell> now_, next_;
};

void exchange(Slab& slab, int south, int north) {
  std::array<MPI_Request, 4> requests{};
  MPI_Irecv(slab.row(slab.y0 - 1), slab.values(), MPI_DOUBLE, south, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(slab.row(slab.y1), slab.values(), MPI_DOUBLE, north, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(slab.row(slab.y1 - 1), slab.values(), MPI_DOUBLE, north, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(slab.row(slab.y0), slab.values(), MPI_DOUBLE, south, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
}

// Collective: the largest difference from what rank 0 computes alone.
double difference(const Options& o, Slab& mine, int rank) {
  Slab all(o, 0, o.ny);
  double most = 0;
  if (rank == 0) {
    for (int n = 0; n < o.steps; ++n) {
      std::copy_n(all.row(o.ny - 1), all.values(), all.row(-1));
      std::copy_n(all.row(0), all.values(), all.row(o.ny));
      all.step();
    }
  }
  for (int y = 0; y < o.ny; ++y) {
    MPI_Bcast(all.row(y), all.values(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int n = 0; y >= mine.y0 && y < mine.y1 && n < mine.values(); ++n) {
      const double off = mine.row(y)[n] - all.row(y)[n];
      most = std::isnan(off) ? INFINITY : std::max(most, std::abs(off));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

int run(const Options& o, int rank, int ranks) {
  if (ranks > o.ny) {
    if (rank == 0) {
      std::fprintf(stderr, "lbm2d: %d ranks for %d rows: fewer ranks, please\n", ranks, o.ny);
    }
    return 2;
  }
  const auto cut = [&](int part) { return static_cast<int>(static_cast<long long>(o.ny) * part / ranks); };
  Slab slab(o, cut(rank), cut(rank + 1));
  double seconds = -MPI_Wtime();
  for (int n = 0; n < o.steps; ++n) {
    exchange(slab, (rank + ranks - 1) % ranks, (rank + 1) % ranks);
    slab.step();
    if (o.migrate_every > 0 && (n + 1) % o.migrate_every == 0) {
      let_ranks_move();
    }
  }
  seconds += MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("lbm2d: %d x %d cells, %d steps, %d ranks: %.3f s\n", o.nx, o.ny, o.steps, ranks, seconds);
  }
  constexpr double kBound = 1e-12;
  const double off = o.verify != 0 ? difference(o, slab, rank) : 0;
  if (o.verify != 0 && rank == 0) {
    std::printf("lbm2d: %.1e from the sequential answer, %s\n", off, off < kBound ? "right" : "WRONG");
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
