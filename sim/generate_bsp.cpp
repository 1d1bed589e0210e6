// Bulk-synchronous applications, as chapter 5 of Righi 2009 models them. A superstep consists of computing, messages
// that are complete at its end, a barrier through rank 0 (section 5.2.3 there), and a call of MPI_Migrate. LU has two
// supersteps in each stage; only the second one has the call, since a single column of ranks computes in the first. As
// in the thesis, a rank's load is what it computes: the call lists this load, so rank 0 is not charged for the barrier.
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "sim/generate.hpp"
#include "sim/template_builder.hpp"

namespace weft::sim {
namespace {

constexpr std::uint32_t kArriveTag = 1;
constexpr std::uint32_t kLeaveTag = 2;
constexpr std::uint64_t kBarrierBytes = 1;

// Builds the stream of one rank, superstep by superstep.
class RankBuilder {
 public:
  RankBuilder(Workload& workload, const GenerateOptions& options, std::uint32_t rank)
      : options_(options), rank_(rank), ranks_(options.ranks()), builder_(workload) {}

  [[nodiscard]] TemplateBuilder& actions() { return builder_; }
  void send(std::uint32_t to, std::uint64_t bytes) {
    builder_.isend({.peer = Peer::rank(to), .bytes = bytes}, slot_++);
  }
  void receive(std::uint32_t from, std::uint64_t bytes) {
    builder_.irecv({.peer = Peer::rank(from), .bytes = bytes}, slot_++);
  }
  // Waits for the superstep's messages, then synchronizes all ranks.
  void synchronize() {
    if (slot_ > 1) {
      builder_.wait(1, slot_ - 1U);
      slot_ = 1;
    }
    if (rank_ != 0) {
      builder_.send({.peer = Peer::rank(0), .bytes = kBarrierBytes, .tag = kArriveTag});
      builder_.recv({.peer = Peer::rank(0), .bytes = kBarrierBytes, .tag = kLeaveTag});
    } else {
      for (std::uint32_t rank = 1; rank < ranks_; ++rank) {
        builder_.recv({.peer = Peer::rank(rank), .bytes = kBarrierBytes, .tag = kArriveTag});
      }
      for (std::uint32_t rank = 1; rank < ranks_; ++rank) {
        builder_.send({.peer = Peer::rank(rank), .bytes = kBarrierBytes, .tag = kLeaveTag});
      }
    }
  }
  // The stream's next value is the rank's load.
  void end_superstep() {
    synchronize();
    builder_.migrate(options_.rank_bytes,
                     static_cast<std::uint8_t>(kLoadListed | (options_.may_move ? kMayMove : std::uint8_t{0})));
  }
  // Adds supersteps in which the rank does nothing, and their values.
  void idle(std::uint64_t supersteps, std::vector<float>& values) {
    if (supersteps != 0) {
      builder_.loop(supersteps);
      end_superstep();
      builder_.end_loop();
      values.resize(values.size() + supersteps);
    }
  }

 private:
  const GenerateOptions& options_;
  std::uint32_t rank_;
  std::uint32_t ranks_;
  std::uint16_t slot_ = 1;
  TemplateBuilder builder_;
};

// Adds the rank's stream: the template built so far, and these values.
void add_stream(Workload& workload, RankBuilder& rank, const std::vector<float>& values) {
  workload.streams.push_back({.pattern = rank.actions().finish(),
                              .values = static_cast<std::uint32_t>(values.size()),
                              .first_value = workload.values.size()});
  workload.values.insert(workload.values.end(), values.begin(), values.end());
}

// How many of 0 … n - 1 are above k and belong to `owner`, when dealt to `owners` in turn.
std::uint64_t dealt_above(std::uint64_t n, std::uint64_t k, std::uint64_t owner, std::uint64_t owners) {
  const auto below = [&](std::uint64_t end) { return (end + owners - 1 - owner) / owners; };  // i < end
  return below(n) - below(k + 1);
}

// LU of an n x n matrix, distributed cyclically over M x N ranks: P(s, t) has a(i, j) with i mod M = s and j mod N = t.
class LuRank {
 public:
  LuRank(Workload& workload, const GenerateOptions& options, std::uint32_t number)
      : n_(options.iterations),
        rows_(options.extents[1]),
        columns_(options.extents[0]),
        s_(number / columns_),
        t_(number % columns_),
        bytes_(options.bytes),
        work_(options.work),
        rank_(workload, options, number) {}

  // Superstep 1, then a loop over periods of stages until the matrix is done; each stage is supersteps 2 and 3.
  void write(Workload& workload) {
    const std::uint64_t period = std::lcm(rows_, columns_);
    pass_diagonal(0);
    rank_.synchronize();
    rank_.actions().loop(n_ / period);
    for (std::uint64_t k = 0; k < period; ++k) {
      rank_.actions().compute(work_, 0, WorkDetail::listed);
      pass_column_and_row(k);
      rank_.synchronize();
      rank_.actions().compute(work_, 0, WorkDetail::listed);
      pass_diagonal(k + 1);
      rank_.end_superstep();
    }
    rank_.actions().end_loop();
    std::vector<float> values;
    for (std::uint64_t k = 0; k < n_; ++k) {
      const std::uint64_t below = dealt_above(n_, k, s_, rows_);
      const std::uint64_t column = k % columns_ == t_ ? below : 0;
      const std::uint64_t rest = below * dealt_above(n_, k, t_, columns_);
      values.insert(values.end(), {static_cast<float>(column), static_cast<float>(rest),
                                   static_cast<float>(static_cast<double>(column + rest) * work_)});
    }
    add_stream(workload, rank_, values);
  }

 private:
  [[nodiscard]] std::uint32_t at(std::uint64_t s, std::uint64_t t) const {
    return static_cast<std::uint32_t>(s * columns_ + t);
  }
  // Steps 1.2 and 3.3: sends a(k, k) to the ranks that compute a(i, k).
  void pass_diagonal(std::uint64_t k) {
    const std::uint64_t owner = k % rows_;
    if (k % columns_ != t_) {
      return;
    }
    for (std::uint64_t s = 0; s < rows_; ++s) {
      if (s_ == owner && s != owner) {
        rank_.send(at(s, t_), bytes_);
      }
    }
    if (s_ != owner) {
      rank_.receive(at(owner, t_), bytes_);
    }
  }
  // Steps 2.2 and 2.3. A message holds one rank's part of the column or row. All messages get the mean length over all
  // stages, which is half of the first stage's.
  void pass_column_and_row(std::uint64_t k) {
    const std::uint64_t column = k % columns_;
    const std::uint64_t row = k % rows_;
    const std::uint64_t down = bytes_ * (n_ / rows_ / 2);
    const std::uint64_t across = bytes_ * (n_ / columns_ / 2);
    for (std::uint64_t t = 0; t < columns_; ++t) {
      if (t_ == column && t != column) {
        rank_.send(at(s_, t), down);
      }
    }
    for (std::uint64_t s = 0; s < rows_; ++s) {
      if (s_ == row && s != row) {
        rank_.send(at(s, t_), across);
      }
    }
    if (t_ != column) {
      rank_.receive(at(s_, column), down);
    }
    if (s_ != row) {
      rank_.receive(at(row, t_), across);
    }
  }

  std::uint64_t n_;
  std::uint64_t rows_;
  std::uint64_t columns_;
  std::uint64_t s_;
  std::uint64_t t_;
  std::uint64_t bytes_;
  Seconds work_;
  RankBuilder rank_;
};

}  // namespace

Workload generate_lbm(const GenerateOptions& options) {
  Workload workload;
  for (std::uint32_t number = 0; number < options.ranks(); ++number) {
    RankBuilder rank(workload, options, number);
    rank.actions().loop(options.iterations).compute(options.work);
    if (number != 0) {
      rank.receive(number - 1, options.bytes);
    }
    if (number + 1 != options.ranks()) {
      rank.send(number + 1, options.bytes);
    }
    rank.end_superstep();
    rank.actions().end_loop();
    add_stream(workload, rank, std::vector<float>(options.iterations, static_cast<float>(options.work)));
  }
  return workload;
}

Workload generate_smith_waterman(const GenerateOptions& options) {
  Workload workload;
  const std::uint64_t n = options.ranks();
  const double rise = (options.work - options.first_work) / static_cast<double>(2 * n - 2);
  for (std::uint32_t number = 0; number < n; ++number) {
    RankBuilder rank(workload, options, number);
    std::vector<float> values;  // of each superstep: the load, and before it what is computed, the same
    if (number > 0) {
      rank.idle(number - 1, values);
      rank.receive(number - 1, options.bytes);
      rank.end_superstep();
      values.push_back(0.0F);
    }
    for (std::uint64_t cell = 0; cell < n; ++cell) {
      rank.actions().compute(1.0, 0, WorkDetail::listed);
      values.insert(values.end(), 2,
                    static_cast<float>(options.first_work + static_cast<double>(number + cell) * rise));
      if (number + 1 != n) {
        rank.send(number + 1, options.bytes);
      }
      if (number > 0 && cell + 1 != n) {
        rank.receive(number - 1, options.bytes);
      }
      rank.end_superstep();
    }
    rank.idle(n - number - 1, values);
    add_stream(workload, rank, values);
  }
  return workload;
}

Workload generate_lu(const GenerateOptions& options) {
  const std::uint64_t period = std::lcm<std::uint64_t>(options.extents[0], options.extents[1]);
  if (options.extents[2] != 1 || options.iterations % period != 0) {
    throw std::invalid_argument(fmt::format(
        "lu needs a grid of two dimensions, and a matrix order (iterations) that is a multiple of {}", period));
  }
  Workload workload;
  for (std::uint32_t number = 0; number < options.ranks(); ++number) {
    LuRank(workload, options, number).write(workload);
  }
  return workload;
}

}  // namespace weft::sim
