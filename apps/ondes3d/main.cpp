// ondes3d: reads a case on rank 0, computes on all, writes on rank 0.
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "input/input_error.hpp"
#include "options.hpp"
#include "output/domain_map.hpp"
#include "output/observer.hpp"
#include "output/picture_program.hpp"
#include "output/progress.hpp"
#include "output/results.hpp"
#include "output/summary.hpp"
#include "parallel/share.hpp"
#include "physics/denormals.hpp"

namespace ondes3d {
namespace {

// Runs `work` on rank 0; an exception there is printed and becomes false on all ranks.
template <typename Work>
bool on_first_rank(int rank, const Work& work) {
  bool ok = true;
  if (rank == 0) {
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "ondes3d: %s\n", printable(error.what()).c_str());
      ok = false;
    }
  }
  return agree(MPI_COMM_WORLD, ok);
}

std::string out_folder(const Options& options, const Case& c) {
  return !options.out.empty() ? options.out : c.directory.empty() ? "ondes3d-out" : c.directory;
}

std::size_t bytes_per_value(const Options& options) {
  return options.double_precision ? sizeof(double) : sizeof(float);
}

// What rank 0 took for the files, on the wall and of the processor.
struct Reading {
  double seconds;
  double computing;
};

void announce(const Options& options, const Case& c, const Decomposition& columns, const Reading& reading) {
  // Known before the long part: a folder that cannot be written.
  std::vector<std::string> warnings = make_folders(out_folder(options, c), c, options.watch);
  warnings.insert(warnings.end(), c.warnings.begin(), c.warnings.end());
  for (const std::string& warning : warnings) {
    std::fprintf(stderr, "ondes3d: warning: %s\n", printable(warning).c_str());
  }
  std::fputs(printable(describe(c, columns, bytes_per_value(options))).c_str(), stdout);
  std::printf("input     read in %.1f s, %.1f s of it computing\n", reading.seconds, reading.computing);
  if (options.domain_map) {
    std::fputs(domain_map(c.model.grid, columns).c_str(), stdout);
  }
  std::fflush(stdout);
}

// Runs `make` on all ranks; false where the memory of one of them ran out, which rank 0 says.
template <typename Make>
bool all_have_memory(const Make& make, int rank) {
  int own = 1;
  try {
    make();
  } catch (const std::bad_alloc&) {
    own = 0;
  }
  int all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all == 0 && rank == 0) {
    std::fprintf(stderr,
                 "ondes3d: a rank got no memory for its part of the grid: take larger cells, or more machines\n");
  }
  return all == 1;
}

template <typename Real>
bool compute(const Options& options, int rank, const Case& c, const Decomposition& columns,
             std::vector<Source> sources) {
  const std::string folder = share_text(MPI_COMM_WORLD, rank == 0 ? out_folder(options, c) : "");
  std::optional<Simulation<Real>> made;
  if (!all_have_memory([&] { made.emplace(MPI_COMM_WORLD, c, columns, std::move(sources), options.run); }, rank)) {
    return false;
  }
  Simulation<Real>& simulation = *made;
  ObserverOptions watch = options.watch;
  if (options.results.pictures.movie) {
    watch.snapshots = movie_frames(watch.snapshots);
  }
  Observer<Real> observer(MPI_COMM_WORLD, c, columns, folder, watch);
  Progress progress(c.model.grid.steps, rank == 0);
  const Results results = simulation.run([&](int done, const State<Real>& state) {
    observer.after_step(done, state);
    progress.show(done);
  });
  if (results.diverged) {
    return on_first_rank(rank, [&] { throw std::runtime_error(results.complaint); });
  }
  const auto planes = observer.gather_planes();
  const auto complaints = observer.complaints();
  const double looking = observer.longest();
  return on_first_rank(rank, [&] {
    auto files =
        write_results(folder, {c, results.traces, planes, sizeof(Real), options.watch.snapshots}, options.results);
    const auto series = observer.series();
    files.insert(files.end(), series.begin(), series.end());
    const Outcome outcome{results.seconds, sizeof(Real), looking, results.memory, results.load, folder, files};
    std::fputs(summarize(c, outcome).c_str(), stdout);
    if (options.domain_map) {
      std::fputs(measured_map(c.model.grid, columns, results.load).c_str(), stdout);
    }
    if (options.domain_map || options.keep_denormals) {
      std::fputs(load_in_time(c.model.grid, results.load).c_str(), stdout);
    }
    std::fflush(stdout);
    for (const std::string& complaint : complaints) {
      std::fprintf(stderr, "ondes3d: %s\n", printable(complaint).c_str());
    }
    if (!complaints.empty()) {
      throw std::runtime_error("not all files for ParaView could be written; the other results are whole");
    }
  });
}

// The job's exit code, the same on all ranks.
int run(Options options, int rank, int ranks) {
  Case c;
  std::optional<Decomposition> columns;
  Index3 parts{};
  const double begin = MPI_Wtime();
  const double computed = thread_seconds();
  const bool ready = on_first_rank(rank, [&] {
    c = read_case(options.parameters, options.reading);
    c.model.cpml.kappa_max = options.kappa;
    parts = choose_parts(ranks, c.model.grid.cells, options.parts);
    columns.emplace(c.model.grid.cells, parts);
  });
  if (!ready) {
    return 1;
  }
  const Reading reading{MPI_Wtime() - begin, thread_seconds() - computed};
  share_model(MPI_COMM_WORLD, c);
  options.run.strength = share_strength(MPI_COMM_WORLD, c.sources);
  MPI_Bcast(parts.data(), 3, MPI_INT, 0, MPI_COMM_WORLD);
  columns.emplace(c.model.grid.cells, parts);
  const std::string complaint = check_memory(MPI_COMM_WORLD, c, *columns, bytes_per_value(options));
  if (!on_first_rank(rank, [&] {
        if (!complaint.empty()) {
          throw std::runtime_error(complaint);
        }
        announce(options, c, *columns, reading);
      })) {
    return 1;
  }
  share_geology(MPI_COMM_WORLD, c, *columns);
  auto sources = share_sources(MPI_COMM_WORLD, c.model.grid, *columns, std::move(c.sources));
  const bool done = options.double_precision ? compute<double>(options, rank, c, *columns, std::move(sources))
                                             : compute<float>(options, rank, c, *columns, std::move(sources));
  return done ? 0 : 1;
}

}  // namespace
}  // namespace ondes3d

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const ondes3d::Parsed parsed = ondes3d::parse_options(argc, argv, rank == 0);
  int code = parsed.exit_code.value_or(0);
  if (!parsed.exit_code) {
    ondes3d::flush_denormals(!parsed.options.keep_denormals);
    code = ondes3d::run(parsed.options, rank, ranks);
  }
  MPI_Finalize();
  return code;
}
