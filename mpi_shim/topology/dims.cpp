#include "mpi_shim/topology/dims.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace topology {

namespace {

std::vector<int> divisors_of(int n) {
  std::vector<int> small;
  std::vector<int> large;
  for (int d = 1; d <= n / d; ++d) {
    if (n % d == 0) {
      small.push_back(d);
      if (d != n / d) {
        large.push_back(n / d);
      }
    }
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

// Depth-first search over the divisors, largest factor first. A branch is cut when even equal remaining factors could
// not improve on the best found.
class Search {
 public:
  Search(int nodes, int count) : divisors_(divisors_of(nodes)), factors_(static_cast<std::size_t>(count)) {
    descend(0, nodes, nodes);
  }
  const std::vector<int>& best() const { return best_; }

 private:
  // Chooses the factors from position `at` on: their product is `left`, and none exceeds `limit`.
  void descend(std::size_t at, int left, int limit) {
    if (at + 1 == factors_.size()) {
      if (left <= limit) {
        factors_[at] = left;
        keep_if_better();
      }
      return;
    }
    for (const int d : divisors_) {
      if (d > limit || d > left) {
        break;
      }
      if (left % d == 0 && can_reach(d, factors_.size() - at, left) && may_improve(at, d, left)) {
        factors_[at] = d;
        descend(at + 1, left / d, d);
      }
    }
  }

  // d is the largest of `positions` remaining factors: d ^ positions must reach `left`.
  static bool can_reach(int d, std::size_t positions, int left) {
    std::int64_t product = 1;
    for (std::size_t i = 0; i < positions && product < left; ++i) {
      product *= d;
    }
    return product >= left;
  }

  // Whether choosing d may still give as small a difference as the best found. The smallest factor will be at most the
  // positions-th root of `left`.
  bool may_improve(std::size_t at, int d, int left) const {
    if (best_.empty()) {
      return true;
    }
    const int largest = at == 0 ? d : factors_[0];
    const std::size_t positions = factors_.size() - at;
    int smallest = 1;  // the largest integer whose positions-th power is at most `left`
    while (power(smallest + 1, positions) <= left) {
      ++smallest;
    }
    return largest - smallest <= best_.front() - best_.back();
  }

  // Stops at a product that is larger than any number of nodes, so that it does not overflow.
  static std::int64_t power(int base, std::size_t exponent) {
    std::int64_t product = 1;
    for (std::size_t i = 0; i < exponent; ++i) {
      product *= base;
      if (product > (std::int64_t{1} << 31)) {
        break;
      }
    }
    return product;
  }

  // Best is the smallest spread, then the largest first factor, then the smallest sum, then the last found.
  void keep_if_better() {
    const auto rank = [](const std::vector<int>& f) {
      return std::tuple(f.front() - f.back(), -f.front(), std::accumulate(f.begin(), f.end(), std::int64_t{0}));
    };
    if (best_.empty() || rank(factors_) <= rank(best_)) {
      best_ = factors_;
    }
  }

  std::vector<int> divisors_;
  std::vector<int> factors_;
  std::vector<int> best_;
};

}  // namespace

std::vector<int> balanced_factors(int nodes, int count) { return Search(nodes, count).best(); }

}  // namespace topology
}  // namespace weft::mpi_shim

extern "C" int PMPI_Dims_create(int nnodes, int ndims, int dims[]) {
  using weft::mpi_shim::Entry;
  const Entry entry("MPI_Dims_create");
  if (nnodes < 1 || ndims < 0 || (ndims > 0 && dims == nullptr)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG,
                       "nnodes is {}, ndims is {}: expected at least 1 and 0, and dims not to be null", nnodes, ndims);
  }
  std::int64_t fixed = 1;
  int open = 0;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] < 0) {
      return entry.raise(MPI_COMM_NULL, MPI_ERR_DIMS, "dims[{}] is {}: expected at least 0, which leaves it open", i,
                         dims[i]);
    }
    fixed *= std::max(dims[i], 1);
    if (fixed > nnodes) {
      return entry.raise(MPI_COMM_NULL, MPI_ERR_DIMS, "the given dimensions' product is larger than nnodes {}", nnodes);
    }
    open += static_cast<int>(dims[i] == 0);
  }
  if (nnodes % fixed != 0 || (open == 0 && ndims > 0 && fixed != nnodes)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_DIMS, "nnodes {} is not a multiple of the given dimensions' product {}",
                       nnodes, fixed);
  }
  if (open > 0) {
    const auto factors = weft::mpi_shim::balanced_factors(static_cast<int>(nnodes / fixed), open);
    auto next = factors.begin();
    for (int i = 0; i < ndims; ++i) {
      if (dims[i] == 0) {
        dims[i] = *next++;
      }
    }
  }
  return MPI_SUCCESS;
}
