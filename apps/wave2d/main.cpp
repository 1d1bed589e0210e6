// wave2d: the wave equation on a membrane with fixed edges, explicit 5-point scheme, blocks of cells over MPI ranks.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct Options {
  int nx = 512, ny = 512;  // inner points
  int steps = 200;
  int migrate_every = 20;
  int work = 1;    // how often a heavy point is computed
  int heavy = 25;  // per cent of the columns that are heavy
  int drift = 0;   // columns per step by which the heavy ones move on
  int verify = 1;
};

constexpr const char* kUsage =
    "wave2d [--nx N] [--ny N] [--steps N] [--migrate-every K] [--work W] [--heavy PERCENT] [--drift C] [--verify 0|1]\n"
    "  grid 512 x 512, 200 steps; under Weft MPI_Migrate() every 20 steps (0: never)\n"
    "  --work W computes the points in PERCENT (25) of the columns W times; these move by C columns per step\n"
    "  exit code 0, 1 where the result differs from the sequential one, 2 for a wrong option\n";

// 0: go on; else the exit code plus 1.
int parse(int argc, char** argv, Options& o) {
  const std::array<std::pair<const char*, int*>, 8> known{{{"--nx", &o.nx},
                                                           {"--ny", &o.ny},
                                                           {"--steps", &o.steps},
                                                           {"--migrate-every", &o.migrate_every},
                                                           {"--work", &o.work},
                                                           {"--heavy", &o.heavy},
                                                           {"--drift", &o.drift},
                                                           {"--verify", &o.verify}}};
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
  return o.nx > 0 && o.ny > 0 && o.work > 0 ? 0 : 3;
}

void let_ranks_move() {
#ifdef WEFT_VERSION
  MPI_Migrate();
#endif
}

// Points [x0, x1) x [y0, y1) of the grid and one ghost on each side.
struct Block {
  int x0, x1, y0, y1;
  [[nodiscard]] int width() const { return x1 - x0; }
  [[nodiscard]] int height() const { return y1 - y0; }
  [[nodiscard]] std::size_t pitch() const { return static_cast<std::size_t>(width()) + 2; }
  [[nodiscard]] std::size_t at(int x, int y) const {
    return static_cast<std::size_t>(y - y0 + 1) * pitch() + static_cast<std::size_t>(x - x0 + 1);
  }
  [[nodiscard]] std::size_t values() const { return pitch() * (static_cast<std::size_t>(height()) + 2); }
};

// Where the membrane starts from, at rest: two bumps.
double bump(const Options& o, int x, int y) {
  const double px = (x + 1.0) / (o.nx + 1), py = (y + 1.0) / (o.ny + 1);
  const auto hill = [&](double cx, double cy) {
    return std::exp(-80 * ((px - cx) * (px - cx) + (py - cy) * (py - cy)));
  };
  return hill(0.3, 0.4) - 0.7 * hill(0.6, 0.7);
}

struct Membrane {
  Block block;
  std::vector<double> now, before;

  Membrane(const Options& o, const Block& b) : block(b), now(b.values()), before(b.values()) {
    for (int y = b.y0; y < b.y1; ++y) {
      for (int x = b.x0; x < b.x1; ++x) {
        now[b.at(x, y)] = before[b.at(x, y)] = bump(o, x, y);
      }
    }
  }

  // Needs the ghosts of `now`; `times(x)` says how often the 32 columns from x on are computed.
  template <typename Times>
  void step(const Times& times) {
    constexpr int kColumns = 32;
    constexpr double kCourant = 0.25;  // (c dt / h)^2
    const auto pitch = static_cast<std::ptrdiff_t>(block.pitch());
    for (int y = block.y0; y < block.y1; ++y) {
      for (int x = block.x0; x < block.x1; x += kColumns) {
        const int count = std::min(kColumns, block.x1 - x);
        const double* const u = now.data() + block.at(x, y);
        double* const next = before.data() + block.at(x, y);
        std::array<double, kColumns> result{};
        for (int again = times(x); again > 0; --again) {
          for (int i = 0; i < count; ++i) {
            result[static_cast<std::size_t>(i)] =
                2 * u[i] - next[i] + kCourant * (u[i - 1] + u[i + 1] + u[i - pitch] + u[i + pitch] - 4 * u[i]);
          }
          asm volatile("" : : "r"(result.data()) : "memory");  // forces the compiler to compute it again
        }
        std::copy_n(result.data(), count, next);
      }
    }
    now.swap(before);
  }
};

// The ghosts of `now` from the four neighbours.
class Edges {
 public:
  Edges(MPI_Comm cart, const Block& block) : cart_(cart), block_(block) {
    MPI_Cart_shift(cart, 0, 1, &west_, &east_);
    MPI_Cart_shift(cart, 1, 1, &south_, &north_);
    MPI_Type_vector(block.height(), 1, static_cast<int>(block.pitch()), MPI_DOUBLE, &column_);
    MPI_Type_commit(&column_);
  }
  Edges(const Edges&) = delete;
  Edges& operator=(const Edges&) = delete;
  ~Edges() { MPI_Type_free(&column_); }

  void exchange(std::vector<double>& u) {
    const auto at = [&](int x, int y) { return u.data() + block_.at(x, y); };
    const Block& b = block_;
    std::array<MPI_Request, 8> requests{};
    auto* request = requests.data();
    MPI_Irecv(at(b.x0 - 1, b.y0), 1, column_, west_, 0, cart_, request++);
    MPI_Irecv(at(b.x1, b.y0), 1, column_, east_, 1, cart_, request++);
    MPI_Irecv(at(b.x0, b.y0 - 1), b.width(), MPI_DOUBLE, south_, 2, cart_, request++);
    MPI_Irecv(at(b.x0, b.y1), b.width(), MPI_DOUBLE, north_, 3, cart_, request++);
    MPI_Isend(at(b.x1 - 1, b.y0), 1, column_, east_, 0, cart_, request++);
    MPI_Isend(at(b.x0, b.y0), 1, column_, west_, 1, cart_, request++);
    MPI_Isend(at(b.x0, b.y1 - 1), b.width(), MPI_DOUBLE, north_, 2, cart_, request++);
    MPI_Isend(at(b.x0, b.y0), b.width(), MPI_DOUBLE, south_, 3, cart_, request++);
    MPI_Waitall(8, requests.data(), MPI_STATUSES_IGNORE);
  }

 private:
  MPI_Comm cart_;
  Block block_;
  MPI_Datatype column_ = MPI_DATATYPE_NULL;
  int west_ = 0, east_ = 0, south_ = 0, north_ = 0;
};

Block block_of(const Options& o, const std::array<int, 2>& parts, const std::array<int, 2>& place) {
  const auto cut = [](int points, int part, int of) {
    return static_cast<int>(static_cast<long long>(points) * part / of);
  };
  return {cut(o.nx, place[0], parts[0]), cut(o.nx, place[0] + 1, parts[0]), cut(o.ny, place[1], parts[1]),
          cut(o.ny, place[1] + 1, parts[1])};
}

// Collective: the largest difference from the sequential membrane, which rank 0 computes and broadcasts.
double difference(const Options& o, const Membrane& mine, MPI_Comm cart) {
  int rank = 0;
  MPI_Comm_rank(cart, &rank);
  std::vector<double> right(static_cast<std::size_t>(o.nx) * static_cast<std::size_t>(o.ny));
  if (rank == 0) {
    Membrane all(o, {0, o.nx, 0, o.ny});
    for (int n = 0; n < o.steps; ++n) {
      all.step([](int) { return 1; });
    }
    for (int y = 0; y < o.ny; ++y) {
      std::copy_n(all.now.data() + all.block.at(0, y), o.nx, right.data() + static_cast<std::ptrdiff_t>(y) * o.nx);
    }
  }
  MPI_Bcast(right.data(), o.nx * o.ny, MPI_DOUBLE, 0, cart);
  double most = 0;
  for (int y = mine.block.y0; y < mine.block.y1; ++y) {
    for (int x = mine.block.x0; x < mine.block.x1; ++x) {
      const double off =
          mine.now[mine.block.at(x, y)] -
          right[static_cast<std::size_t>(y) * static_cast<std::size_t>(o.nx) + static_cast<std::size_t>(x)];
      most = std::isnan(off) ? INFINITY : std::max(most, std::abs(off));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, cart);
  return most;
}

int run(const Options& o, int rank, int ranks) {
  std::array<int, 2> parts{}, place{};
  const std::array<int, 2> periods{};
  MPI_Dims_create(ranks, 2, parts.data());
  if (parts[0] > o.nx || parts[1] > o.ny) {
    if (rank == 0) {
      std::fprintf(stderr, "wave2d: %d x %d blocks of %d x %d points: fewer ranks, please\n", parts[0], parts[1], o.nx,
                   o.ny);
    }
    return 2;
  }
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, parts.data(), periods.data(), 0, &cart);
  MPI_Cart_coords(cart, rank, 2, place.data());
  Membrane membrane(o, block_of(o, parts, place));
  double seconds = 0;
  {
    Edges edges(cart, membrane.block);
    const double begin = MPI_Wtime();
    for (int n = 0; n < o.steps; ++n) {
      edges.exchange(membrane.now);
      const long long first = static_cast<long long>(o.drift) * n % o.nx;
      membrane.step(
          [&](int x) { return (x - first + o.nx) % o.nx * 100 < static_cast<long long>(o.heavy) * o.nx ? o.work : 1; });
      if (o.migrate_every > 0 && (n + 1) % o.migrate_every == 0) {
        let_ranks_move();
      }
    }
    seconds = MPI_Wtime() - begin;
  }
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, cart);
  if (rank == 0) {
    std::printf("wave2d: %d x %d points, %d steps, %d ranks: %.3f s\n", o.nx, o.ny, o.steps, ranks, seconds);
  }
  const double off = o.verify != 0 ? difference(o, membrane, cart) : 0;
  MPI_Comm_free(&cart);
  if (o.verify != 0 && rank == 0) {
    std::printf("wave2d: %.1e from the sequential answer, %s\n", off, off < 1e-12 ? "right" : "WRONG");
  }
  return off < 1e-12 ? 0 : 1;
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
