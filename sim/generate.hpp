// Generates synthetic workloads: stencils on grids of ranks, supersteps, ping-pong, rings and BSP applications.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/actions.hpp"

namespace weft::sim {

// How work differs between ranks. The factors have the mean 1, except for `block`.
enum class Imbalance : std::uint8_t {
  even,    // all ranks 1
  linear,  // rises with the rank, from 1 - amount to 1 + amount
  random,  // between these two, the same in each run
  block,   // the first eighth of the ranks has 1 + amount, the others 1
};
// Throws std::invalid_argument, which lists the valid names.
Imbalance imbalance_named(std::string_view name);
std::vector<double> scales_of(Imbalance imbalance, double amount, std::uint32_t ranks);

struct GenerateOptions {
  std::array<std::uint32_t, 3> extents{1, 1, 1};  // ranks in each direction; they are numbered with the first fastest
  std::uint64_t iterations = 100;
  Seconds work = 1e-3;         // of a rank in an iteration
  std::uint64_t bytes = 8192;  // of a message
  Imbalance imbalance = Imbalance::even;
  double amount = 0.0;
  std::uint64_t rank_bytes = 1 << 20;  // to move a rank; each iteration ends with a call of MPI_Migrate
  bool may_move = true;                // ranks may be migrated
  Seconds first_work = 0.0;            // smith-waterman: work of the first superstep
  [[nodiscard]] std::uint32_t ranks() const { return extents[0] * extents[1] * extents[2]; }
};

// Each rank exchanges messages with its neighbours in up to three dimensions; the grid is not periodic. Ranks with the
// same neighbours share a template: at most 64 for any number of ranks.
Workload generate_stencil(const GenerateOptions& options);
// Supersteps: each is work and an allreduce of `bytes`.
Workload generate_bsp(const GenerateOptions& options);
// Ranks 2i and 2i + 1 send each other `bytes` in turn. REQUIRES: an even number of ranks.
Workload generate_ping_pong(const GenerateOptions& options);
// A message goes around all ranks in each iteration; each computes before it passes it on.
Workload generate_ring(const GenerateOptions& options);

// Righi 2009, chapter 5 (generate_bsp.cpp).
// Lattice-Boltzmann in slabs: work, and `bytes` to the rank on the right.
Workload generate_lbm(const GenerateOptions& options);
// A wavefront over a square matrix, a column for each of n ranks: 2n - 1 supersteps, of which each rank takes part in
// n. Work rises from `first_work` in the first superstep to `work` in the last; each cell sends `bytes` to the right.
// REQUIRES: two ranks.
Workload generate_smith_waterman(const GenerateOptions& options);
// LU decomposition of a matrix of order `iterations`, distributed cyclically over a grid of ranks (rows slowest):
// 2 * order + 1 supersteps. `work` and `bytes` are those of a cell. Throws std::invalid_argument where the order is not
// a multiple of both extents.
Workload generate_lu(const GenerateOptions& options);

// By name: stencil, bsp, ping-pong, ring, lbm, smith-waterman, lu. Throws std::invalid_argument for other names and for
// invalid options.
Workload generate(std::string_view name, const GenerateOptions& options);

}  // namespace weft::sim
