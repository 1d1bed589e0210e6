// mol3d: molecular dynamics of Lennard-Jones atoms in a periodic cube; blocks of space over MPI ranks, cell lists in
// each.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "atoms.hpp"

namespace mol3d {
namespace {

constexpr const char* kUsage =
    "mol3d [--side N] [--steps N] [--migrate-every K] [--thin PERCENT] [--verify 0|1]\n"
    "  N x N x N (12) lattice sites, 50 steps; under Weft MPI_Migrate() every 10 steps (0: never)\n"
    "  --thin PERCENT: so many of the eastern half's sites hold an atom (100)\n"
    "  exit code 0, 1 where the result differs from the sequential one, 2 for a wrong option\n";

// 0: go on; else the exit code plus 1.
int parse(int argc, char** argv, Options& o) {
  const std::initializer_list<std::pair<const char*, int*>> known{{"--side", &o.side},
                                                                  {"--steps", &o.steps},
                                                                  {"--migrate-every", &o.migrate_every},
                                                                  {"--thin", &o.thin},
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
  return o.side * kSpacing >= 2 * kCutoff && o.side <= 500 ? 0 : 3;
}

void let_ranks_move() {
#ifdef WEFT_VERSION
  MPI_Migrate();
#endif
}

// To a neighbour: -1, 0 or 1 along each axis. The last neighbour lies opposite the first, and so on.
using Offset = std::array<int, 3>;
constexpr std::size_t kNeighbours = 26;

std::size_t neighbour_at(const Offset& to_there) {
  const auto place = static_cast<std::size_t>((to_there[2] + 1) * 9 + (to_there[1] + 1) * 3 + to_there[0] + 1);
  return place > kNeighbours / 2 ? place - 1 : place;  // 13 is the block itself
}
Offset offset(std::size_t neighbour) {
  const int place = static_cast<int>(neighbour < kNeighbours / 2 ? neighbour : neighbour + 1);
  return {place % 3 - 1, place / 3 % 3 - 1, place / 9 - 1};
}

// A block of the cube, its atoms, and copies of the neighbours' atoms within the cutoff.
class Block {
 public:
  Block(const Options& o, MPI_Comm cart, const std::array<int, 3>& parts) : cart_(cart), length_(o.side * kSpacing) {
    int rank = 0;
    std::array<int, 3> place{};
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_coords(cart, rank, 3, place.data());
    for (std::size_t d = 0; d < 3; ++d) {
      low_[d] = length_ * place[d] / parts[d];
      high_[d] = place[d] + 1 == parts[d] ? length_ : length_ * (place[d] + 1) / parts[d];
    }
    for (std::size_t n = 0; n < kNeighbours; ++n) {
      std::array<int, 3> there = offset(n);
      std::transform(there.begin(), there.end(), place.begin(), there.begin(), std::plus<>());
      MPI_Cart_rank(cart, there.data(), &neighbours_[n]);
    }
    own = atoms_in(o, [this](const Vec3& at) {
      return std::equal(at.begin(), at.end(), low_.begin(), std::greater_equal<>()) &&
             std::equal(at.begin(), at.end(), high_.begin(), std::less<>());
    });
    update_atoms_and_forces();
  }

  // Velocity Verlet.
  void step() {
    kick();
    for (Atom& atom : own) {
      for (std::size_t d = 0; d < 3; ++d) {
        atom.at[d] += kTimestep * atom.velocity[d];
      }
    }
    update_atoms_and_forces();
    kick();
  }

  std::vector<Atom> own;

 private:
  using AtomsByNeighbour = std::array<std::vector<Atom>, kNeighbours>;  // by neighbour

  void kick() {
    for (std::size_t n = 0; n < own.size(); ++n) {
      for (std::size_t d = 0; d < 3; ++d) {
        own[n].velocity[d] += 0.5 * kTimestep * force_[n][d];
      }
    }
  }
  void update_atoms_and_forces() {
    transfer_atoms();
    copy_halo();
    compute_forces();
  }

  // Sends each neighbour its atoms, and appends the atoms received to `to`. Atoms that cross the cube's border appear
  // on its other side.
  void exchange_atoms(AtomsByNeighbour& outgoing, std::vector<Atom>& to) {
    std::array<MPI_Request, kNeighbours> sends{};
    for (std::size_t n = 0; n < kNeighbours; ++n) {
      const Offset to_there = offset(n);
      for (Atom& atom : outgoing[n]) {
        for (std::size_t d = 0; d < 3; ++d) {
          atom.at[d] -= to_there[d] > 0 && high_[d] >= length_ ? length_ : 0;
          atom.at[d] += to_there[d] < 0 && low_[d] <= 0 ? length_ : 0;
        }
      }
      MPI_Isend(outgoing[n].data(), kDoubles * static_cast<int>(outgoing[n].size()), MPI_DOUBLE, neighbours_[n],
                static_cast<int>(n), cart_, &sends[n]);
    }
    for (std::size_t n = 0; n < kNeighbours; ++n) {  // neighbour n sent its message in the opposite direction
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      int count = 0;
      MPI_Mprobe(neighbours_[n], static_cast<int>(kNeighbours - 1 - n), cart_, &message, &status);
      MPI_Get_count(&status, MPI_DOUBLE, &count);
      const std::size_t before = to.size();
      to.resize(before + static_cast<std::size_t>(count / kDoubles));
      MPI_Mrecv(to.data() + before, count, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(kNeighbours, sends.data(), MPI_STATUSES_IGNORE);
  }

  // Atoms that have left the block go to the neighbour.
  void transfer_atoms() {
    AtomsByNeighbour outgoing;
    std::vector<Atom> stay;
    for (const Atom& atom : own) {
      Offset to_there{};
      for (std::size_t d = 0; d < 3; ++d) {
        to_there[d] = (atom.at[d] >= high_[d] ? 1 : 0) - (atom.at[d] < low_[d] ? 1 : 0);
      }
      (to_there == Offset{} ? stay : outgoing[neighbour_at(to_there)]).push_back(atom);
    }
    exchange_atoms(outgoing, stay);
    own.swap(stay);
  }

  void copy_halo() {
    AtomsByNeighbour outgoing;
    for (const Atom& atom : own) {
      for (std::size_t n = 0; n < kNeighbours; ++n) {
        const Offset to_there = offset(n);
        const auto near = [&](std::size_t d) {
          return to_there[d] == 0 ||
                 (to_there[d] > 0 ? atom.at[d] >= high_[d] - kCutoff : atom.at[d] < low_[d] + kCutoff);
        };
        if (near(0) && near(1) && near(2)) {
          outgoing[n].push_back(atom);
        }
      }
    }
    seen_ = own;
    exchange_atoms(outgoing, seen_);
  }

  // The outermost cells hold what lies in the neighbours.
  [[nodiscard]] std::size_t cell_of(const Vec3& at) const {
    std::size_t cell = 0;
    for (std::size_t d = 3; d-- > 0;) {
      const std::size_t inside = cells_[d] - 2;
      const auto place = [&] { return std::min(inside, 1 + static_cast<std::size_t>((at[d] - low_[d]) / width_[d])); };
      cell = cell * cells_[d] + (at[d] < low_[d] ? 0 : at[d] >= high_[d] ? inside + 1 : place());
    }
    return cell;
  }

  // Sorts what is seen into cells at least as wide as the cutoff.
  void sort() {
    for (std::size_t d = 0; d < 3; ++d) {
      const double edge = high_[d] - low_[d];
      cells_[d] = static_cast<std::size_t>(edge / kCutoff) + 2;
      width_[d] = edge / static_cast<double>(cells_[d] - 2);
    }
    begin_.assign(cells_[0] * cells_[1] * cells_[2] + 1, 0);
    for (const Atom& atom : seen_) {
      ++begin_[cell_of(atom.at) + 1];
    }
    for (std::size_t cell = 1; cell < begin_.size(); ++cell) {
      begin_[cell] += begin_[cell - 1];
    }
    auto next = begin_;
    sorted_.resize(seen_.size());
    for (const Atom& atom : seen_) {
      sorted_[next[cell_of(atom.at)]++] = atom.at;
    }
  }

  void compute_forces() {
    sort();
    force_.assign(own.size(), Vec3{});
    for (std::size_t n = 0; n < own.size(); ++n) {
      const std::size_t cell = cell_of(own[n].at);
      const std::array<std::size_t, 3> place{cell % cells_[0], cell / cells_[0] % cells_[1],
                                             cell / cells_[0] / cells_[1]};
      for (std::size_t z = place[2] - 1; z <= place[2] + 1; ++z) {
        for (std::size_t y = place[1] - 1; y <= place[1] + 1; ++y) {
          const std::size_t row = (z * cells_[1] + y) * cells_[0] + place[0];
          attract_from(begin_[row - 1], begin_[row + 2], own[n].at, force_[n]);
        }
      }
    }
  }
  void attract_from(std::size_t first, std::size_t last, const Vec3& at, Vec3& force) const {
    for (std::size_t m = first; m < last; ++m) {
      const Vec3 apart{at[0] - sorted_[m][0], at[1] - sorted_[m][1], at[2] - sorted_[m][2]};
      if (apart != Vec3{}) {
        attract(apart, force);
      }
    }
  }

  MPI_Comm cart_;
  double length_;
  Vec3 low_{}, high_{}, width_{};
  std::array<int, kNeighbours> neighbours_{};
  std::array<std::size_t, 3> cells_{};
  std::vector<Vec3> force_;  // on `own`
  std::vector<Atom> seen_;
  std::vector<std::size_t> begin_;
  std::vector<Vec3> sorted_;
};

// The run by each pair of atoms, without cells; positions by id.
std::vector<Vec3> sequential_answer(const Options& o) {
  std::vector<Atom> atoms = atoms_in(o, [](const Vec3&) { return true; });
  const double length = o.side * kSpacing;
  std::vector<Vec3> force(atoms.size());
  const auto compute = [&] {
    std::fill(force.begin(), force.end(), Vec3{});
    for (std::size_t n = 0; n < atoms.size(); ++n) {
      for (std::size_t m = 0; m < atoms.size(); ++m) {
        Vec3 apart{};
        for (std::size_t d = 0; d < 3; ++d) {
          apart[d] = atoms[n].at[d] - atoms[m].at[d];
          apart[d] -= apart[d] > length / 2 ? length : apart[d] < -length / 2 ? -length : 0;
        }
        if (n != m) {
          attract(apart, force[n]);
        }
      }
    }
  };
  compute();
  for (int step = 0; step < o.steps; ++step) {
    for (const bool first : {true, false}) {
      for (std::size_t n = 0; n < atoms.size(); ++n) {
        for (std::size_t d = 0; d < 3; ++d) {
          atoms[n].velocity[d] += 0.5 * kTimestep * force[n][d];
          atoms[n].at[d] += first ? kTimestep * atoms[n].velocity[d] : 0;
        }
      }
      if (first) {
        compute();
      }
    }
  }
  std::vector<Vec3> right(static_cast<std::size_t>(o.side) * static_cast<std::size_t>(o.side * o.side),
                          {INFINITY, INFINITY, INFINITY});
  for (const Atom& atom : atoms) {
    right[static_cast<std::size_t>(atom.id)] = atom.at;
  }
  return right;
}

// Collective: the largest distance, along an axis, between an atom and where it is in the sequential run.
double difference(const Options& o, const Block& block, MPI_Comm cart) {
  int rank = 0;
  MPI_Comm_rank(cart, &rank);
  std::vector<Vec3> right(static_cast<std::size_t>(o.side) * static_cast<std::size_t>(o.side * o.side));
  if (rank == 0) {
    right = sequential_answer(o);
  }
  MPI_Bcast(right.data(), static_cast<int>(3 * right.size()), MPI_DOUBLE, 0, cart);
  std::array<long, 2> atoms{static_cast<long>(block.own.size()), 0};
  atoms[1] = std::count_if(right.begin(), right.end(), [](const Vec3& at) { return std::isfinite(at[0]); });
  double most = 0;
  for (const Atom& atom : block.own) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double off = std::remainder(atom.at[d] - right[static_cast<std::size_t>(atom.id)][d], o.side * kSpacing);
      most = std::isnan(off) ? INFINITY : std::max(most, std::abs(off));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, atoms.data(), 1, MPI_LONG, MPI_SUM, cart);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, cart);
  return atoms[0] == atoms[1] ? most : INFINITY;
}

int run(const Options& o, int rank, int ranks) {
  std::array<int, 3> parts{};
  const std::array<int, 3> periods{1, 1, 1};
  MPI_Dims_create(ranks, 3, parts.data());
  if (o.side * kSpacing / parts[0] <= kCutoff) {
    if (rank == 0) {
      std::fprintf(stderr, "mol3d: %d blocks along an edge are thinner than the cutoff: fewer ranks, please\n",
                   parts[0]);
    }
    return 2;
  }
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 3, parts.data(), periods.data(), 0, &cart);
  Block block(o, cart, parts);
  const double begin = MPI_Wtime();
  for (int n = 0; n < o.steps; ++n) {
    block.step();
    if (o.migrate_every > 0 && (n + 1) % o.migrate_every == 0) {
      let_ranks_move();
    }
  }
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, cart);
  if (rank == 0) {
    std::printf("mol3d: %d^3 sites, %d steps, %d ranks: %.3f s\n", o.side, o.steps, ranks, seconds);
  }
  constexpr double kBound = 1e-8;  // sums in another order, and what a chaotic system makes of that
  const double off = o.verify != 0 ? difference(o, block, cart) : 0;
  MPI_Comm_free(&cart);
  if (o.verify != 0 && rank == 0) {
    std::printf("mol3d: %.1e from the sequential answer, %s\n", off, off < kBound ? "right" : "WRONG");
  }
  return off < kBound ? 0 : 1;
}

}  // namespace
}  // namespace mol3d

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  mol3d::Options options;
  int code = mol3d::parse(argc, argv, options) - 1;
  if (code >= 0 && rank == 0) {
    std::fputs(mol3d::kUsage, code == 0 ? stdout : stderr);
  }
  if (code < 0) {
    code = mol3d::run(options, rank, ranks);
  }
  MPI_Finalize();
  return code;
}
