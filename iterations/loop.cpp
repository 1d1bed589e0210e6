#include "iterations/loop.hpp"

#include <array>
#include <bit>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "iterations/survival.hpp"

namespace weft::iterations {
namespace {

// Collective: the claims of all ranks.
std::vector<Claim> allgather_claims(MPI_Comm comm, const Claim& mine) {
  int size = 0;
  check_mpi(MPI_Comm_size(comm, &size));
  const std::vector<std::int64_t> words = pack(mine);
  const int count = static_cast<int>(words.size());
  std::vector<int> counts(static_cast<std::size_t>(size)), places(counts.size());
  check_mpi(MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm));
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  std::vector<std::int64_t> all(static_cast<std::size_t>(places.back() + counts.back()));
  check_mpi(
      MPI_Allgatherv(words.data(), count, MPI_INT64_T, all.data(), counts.data(), places.data(), MPI_INT64_T, comm));
  std::vector<Claim> claims(counts.size());
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const auto part = std::span<const std::int64_t>(all).subspan(static_cast<std::size_t>(places[i]),
                                                                 static_cast<std::size_t>(counts[i]));
    if (!unpack(part, claims[i])) {
      throw MpiError("claim");
    }
  }
  return claims;
}

}  // namespace

Loop::Loop(MPI_Comm comm, std::int64_t total, const weft_iterations_options& options, bool valid)
    : comm_(comm),
      total_(total),
      arguments_{valid ? 1 : 0,
                 total,
                 std::bit_cast<std::int64_t>(options.report_seconds),
                 std::bit_cast<std::int64_t>(options.max_deviation),
                 std::bit_cast<std::int64_t>(options.min_seconds),
                 std::bit_cast<std::int64_t>(options.lease_seconds),
                 options.group_size},
      options_(options),
      fault_tolerant_(is_fault_tolerant(comm)),
      state_{.tallies = {Tally<std::int64_t>(options.counts, options.counts_length),
                         Tally<double>(options.sums, options.sums_length)}} {}

Loop::~Loop() {
  session_.reset();
  MPI_Comm_free(&comm_);
}

// Collective: whether all ranks have valid arguments, and the same ones.
bool Loop::same_arguments() const {
  constexpr std::size_t kValues = std::tuple_size_v<decltype(arguments_)>;
  std::array<std::int64_t, 2 * kValues> values;
  for (std::size_t i = 0; i < kValues; ++i) {
    values[i] = arguments_[i];
    values[kValues + i] = ~arguments_[i];  // MPI_MIN of the complements is the complement of the greatest value
  }
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_MIN, comm_));
  bool same = values[0] == 1;
  for (std::size_t i = 0; i < kValues; ++i) {
    same = same && values[i] == ~values[kValues + i];
  }
  return same;
}

// Collective: decides which claims count; returns the indices that are left.
RangeSet Loop::resolve_claims() {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm_, &rank));
  const std::vector<Claim> claims = allgather_claims(comm_, claim_);
  const Verdict verdict = decide(claims);
  const auto me = static_cast<std::size_t>(rank);
  if (!claim_.batch.empty()) {
    state_.tallies.apply(verdict.batch_counts[me] ? TallyEvent::credit : TallyEvent::drop_batch);
  }
  if (!claim_.open.empty() && verdict.open_counts[me]) {
    state_.tallies.apply(TallyEvent::close);
    state_.tallies.apply(TallyEvent::credit);
  } else {
    state_.tallies.apply(TallyEvent::drop_open);
  }
  const auto keep = [this](RangeSet& set, bool counts) {
    if (counts) {
      claim_.credited.add(set);
    } else {
      earlier_stats_.back().refused += set.count();
    }
    set.clear();
  };
  keep(claim_.batch, verdict.batch_counts[me]);
  keep(claim_.open, verdict.open_counts[me]);
  RangeSet left(0, total_);
  left.remove(verdict.done);
  return left;
}

// Collective.
void Loop::start() {
  if (!same_arguments()) {
    agree_on_end();
    throw ArgumentError("different arguments");
  }
  session_.emplace(comm_, earlier_stats_.empty() ? RangeSet(0, total_) : resolve_claims(), options_, state_);
  session_->begin();
}

// Collective: after it no rank needs this communicator. Throws ProcessFailed if a process has died.
void Loop::agree_on_end() {
  if (fault_tolerant_) {
    end_agreed_ = true;
    if (!agree_on_success(comm_, true)) {
      throw ProcessFailed("a process has died");
    }
  }
}

// Collective, once a process has died.
void Loop::recover() {
  revoke(comm_);
  if (!end_agreed_) {
    agree_on_success(comm_, false);
  }
  earlier_stats_.emplace_back();
  if (session_) {
    const Worker& worker = session_->worker();
    const Claim claim = worker.claim();
    claim_.credited.add(claim.credited);
    claim_.batch = claim.batch;
    claim_.open = claim.open;
    state_.lease_void = worker.has_lease();
    earlier_stats_.back() = session_->stats();
    earlier_stats_.back().refused += worker.lease_left();
    session_.reset();
  }
  MPI_Comm const alive = shrink_to_survivors(comm_);
  MPI_Comm_free(&comm_);
  comm_ = alive;
  end_agreed_ = false;
}

template <class Body>
int Loop::with_recovery(Body body) {
  for (;;) {
    try {
      if (!session_) {
        start();
      }
      return body();
    } catch (const ProcessFailed&) {
      if (!fault_tolerant_) {
        throw;
      }
      recover();
    }
  }
}

void Loop::begin() {
  with_recovery([] { return WEFT_ITERATIONS_OK; });
}

void Loop::next(std::int64_t& first, std::int64_t& count) {
  with_recovery([&] {
    session_->next(first, count);
    if (count == 0 && fault_tolerant_ && !end_agreed_) {
      session_->leave();
      agree_on_end();
    }
    return WEFT_ITERATIONS_OK;
  });
}

int Loop::report(std::int64_t done) {
  // What has been reported is not reported again after a recovery.
  return with_recovery([&] { return session_->report(std::exchange(done, 0)); });
}

int Loop::predict(double& seconds_left, double& finish_spread) {
  return session_ ? session_->predict(seconds_left, finish_spread) : WEFT_ITERATIONS_UNKNOWN;
}

int Loop::end(weft_iterations_stats& stats) {
  if (!session_ || !session_->worker().finished() || (fault_tolerant_ && !end_agreed_)) {
    return WEFT_ITERATIONS_ERR_STATE;
  }
  if (!fault_tolerant_) {
    session_->leave();
  }
  state_.tallies.restore();
  stats = session_->stats();
  for (const weft_iterations_stats& earlier : earlier_stats_) {
    stats.refused += earlier.refused;
    stats.reports += earlier.reports;
    stats.messages_sent += earlier.messages_sent;
    stats.bytes_sent += earlier.bytes_sent;
    stats.times_silent += earlier.times_silent;
  }
  stats.credited += claim_.credited.count();
  stats.finish_seconds = state_.finish;
  stats.waited_seconds = state_.waited;
  return WEFT_ITERATIONS_OK;
}

}  // namespace weft::iterations
