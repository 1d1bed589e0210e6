#include "mpi_shim/coll/tuning/measurement.hpp"

#include <algorithm>
#include <bit>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;  // of all members' buffers of one kind
constexpr int kMostCalls = 1000;
// Another algorithm replaces the built-in one only if it is faster by this factor: less may be noise.
constexpr double kWorthIt = 1.03;

bool has_blocks(Collective call) {
  return call == Collective::gather || call == Collective::scatter || call == Collective::allgather ||
         call == Collective::alltoall;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}
int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

// The collective call to measure, at one size, with its buffers.
struct Measurement::Work {
  Work(MPI_Comm on, CallForm at, Collective what, std::uint64_t n)
      : comm(on), form(at), call(what), bytes(n), members(size_of(on)) {
    const std::size_t blocks = has_blocks(call) ? static_cast<std::size_t>(members) : 1;
    out.assign(bytes * blocks / sizeof(double) + 1, 1.0);
    in.assign(out.size(), 0.0);
    const int doubles = static_cast<int>(bytes / sizeof(double));
    for (int i = 0; i < members; ++i) {
      counts.push_back(doubles / members + (i < doubles % members ? 1 : 0));
    }
  }
  static bool fits(Collective call, std::uint64_t bytes, int members) {
    const auto n = static_cast<std::uint64_t>(members);
    return bytes * n * (has_blocks(call) ? n : 1) <= kMostMemory;
  }

  void perform(int turn);

  const MPI_Comm comm;
  const CallForm form;
  const Collective call;
  const std::uint64_t bytes;
  const int members;
  std::vector<double> out, in;
  std::vector<int> counts;
};

#define WEFT_FORMS(name, iname, ...)        \
  if (form == CallForm::with_request) {     \
    PMPI_I##iname(__VA_ARGS__, &request);   \
    PMPI_Wait(&request, MPI_STATUS_IGNORE); \
  } else {                                  \
    PMPI_##name(__VA_ARGS__);               \
  }                                         \
  break

// The root changes with each call; with a fixed one a member could run ahead of the others.
void Measurement::Work::perform(int turn) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int root = turn % members;
  const int n = static_cast<int>(bytes / sizeof(double));
  double* const to = in.data();
  double* const from = out.data();
  switch (call) {
    case Collective::barrier:
      WEFT_FORMS(Barrier, barrier, comm);
    case Collective::bcast:
      WEFT_FORMS(Bcast, bcast, to, n, MPI_DOUBLE, root, comm);
    case Collective::gather:
      WEFT_FORMS(Gather, gather, from, n, MPI_DOUBLE, to, n, MPI_DOUBLE, root, comm);
    case Collective::scatter:
      WEFT_FORMS(Scatter, scatter, from, n, MPI_DOUBLE, to, n, MPI_DOUBLE, root, comm);
    case Collective::allgather:
      WEFT_FORMS(Allgather, allgather, from, n, MPI_DOUBLE, to, n, MPI_DOUBLE, comm);
    case Collective::alltoall:
      WEFT_FORMS(Alltoall, alltoall, from, n, MPI_DOUBLE, to, n, MPI_DOUBLE, comm);
    case Collective::reduce:
      WEFT_FORMS(Reduce, reduce, from, to, n, MPI_DOUBLE, MPI_MAX, root, comm);
    case Collective::allreduce:
      WEFT_FORMS(Allreduce, allreduce, from, to, n, MPI_DOUBLE, MPI_MAX, comm);
    case Collective::reduce_scatter:
      WEFT_FORMS(Reduce_scatter, reduce_scatter, from, to, counts.data(), MPI_DOUBLE, MPI_MAX, comm);
    case Collective::scan:
      WEFT_FORMS(Scan, scan, from, to, n, MPI_DOUBLE, MPI_MAX, comm);
    default:
      break;
  }
}

#undef WEFT_FORMS

bool Measurement::is_group(MPI_Comm comm) const {
  int size = size_of(comm);
  PMPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return size > 1;
}

double Measurement::time_of(Work& work, int calls) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double start = PMPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    work.perform(i);
  }
  PMPI_Barrier(work.comm);
  return (PMPI_Wtime() - start) / calls;
}

Measurement::Plan Measurement::plan(Work& work) {
  probe_ = {work.call, work.form, {}, {}};
  time_of(work, 1);  // warm-up: the first call touches the memory
  built_in_ = probe_.used.value_or(Algorithm::in_memory);
  longest_ = time_of(work, 3);
  int agreed[2] = {std::clamp(static_cast<int>(options_.batch_seconds / longest_), 1, kMostCalls), 0};
  for (int i = 0; i < kAlgorithms; ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    if (contains(algorithms_of(work.call, work.form), algorithm)) {
      probe_ = {work.call, work.form, algorithm, {}};
      time_of(work, 1);
      agreed[1] |= probe_.used == algorithm ? static_cast<int>(set_of(algorithm)) : 0;
    }
  }
  probe_ = {};
  PMPI_Bcast(agreed, 2, MPI_INT, 0, MPI_COMM_WORLD);
  PMPI_Bcast(&longest_, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return {agreed[0], static_cast<Algorithms>(agreed[1])};
}

MeasuredChoices::Row Measurement::compare(Work& work, const Plan& plan) {
  std::vector<std::vector<double>> seconds(kAlgorithms);
  const int rounds = std::popcount(plan.possible) > 1 ? options_.rounds : 1;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < kAlgorithms; ++i) {
      if (const auto algorithm = static_cast<Algorithm>(i); contains(plan.possible, algorithm)) {
        probe_ = {work.call, work.form, algorithm, {}};
        seconds[static_cast<std::size_t>(i)].push_back(time_of(work, plan.calls));
      }
    }
  }
  probe_ = {};
  MeasuredChoices::Row row{work.bytes, built_in_, {}};
  double best = 0;
  for (int i = 0; i < kAlgorithms; ++i) {
    if (const auto& its = seconds[static_cast<std::size_t>(i)]; !its.empty()) {
      const auto algorithm = static_cast<Algorithm>(i);
      const double cost = median(its) * (algorithm == built_in_ ? 1 : kWorthIt);
      row.microseconds.emplace_back(algorithm, median(its) * 1e6);
      if (best == 0 || cost < best) {
        best = cost;
        row.algorithm = algorithm;
      }
    }
  }
  return row;
}

std::vector<MeasuredChoices::Row> Measurement::measure(MPI_Comm comm, CallForm form, Collective call) {
  std::vector<MeasuredChoices::Row> rows;
  if (std::popcount(algorithms_of(call, form)) < 2) {
    return rows;
  }
  longest_ = 0;
  // Communicators may differ in size: rank 0's decides which sizes are measured.
  int members = size_of(comm);
  PMPI_Bcast(&members, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (const std::uint64_t bytes : options_.sizes) {
    const bool has_size = call != Collective::barrier;
    if (!Work::fits(call, bytes, members) || longest_ > options_.most_seconds || (!has_size && !rows.empty())) {
      break;
    }
    Work work(comm, form, call, has_size ? bytes : 0);
    const Plan all = plan(work);
    rows.push_back(compare(work, all));
  }
  return rank_in(MPI_COMM_WORLD) == 0 ? rows : std::vector<MeasuredChoices::Row>{};
}

}  // namespace coll
}  // namespace weft::mpi_shim
