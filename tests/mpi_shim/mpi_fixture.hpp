// Runs a function as every rank of an MPI job, between MPI_Init and MPI_Finalize, and asserts that nothing is left.
#pragma once

#include <functional>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "mpi.h"
#include "mpi_shim/layer/leaks.hpp"
#include "mpi_shim/layer/mpi_layer.hpp"
#include "runtime/job/job.hpp"
#include "tests/runtime/processes_fixture.hpp"
#include "tests/sanitized.hpp"

namespace weft::mpi_shim {

// Every test of the fixture runs at each of these settings.
struct Setting {
  std::uint32_t workers;
  std::string lb;
  bool as_processes = false;    // everything by messages, as if ranks lived in several processes
  std::uint32_t processes = 1;  // with as many workers each, joined by a loopback
  bool repack = false;          // a rank's state is packed and unpacked whenever it moves
  bool share = false;           // workers give ranks to others whenever they can
};

inline std::string text_of(const Setting& setting) {
  return std::to_string(setting.workers) + "_workers_" + setting.lb + (setting.as_processes ? "_as_processes" : "") +
         (setting.processes > 1 ? "_" + std::to_string(setting.processes) + "_processes" : "") +
         (setting.repack ? "_repack" : "") + (setting.share ? "_share" : "");
}

inline void PrintTo(const Setting& setting, std::ostream* out) { *out << text_of(setting); }

inline std::string name_of(const testing::TestParamInfo<Setting>& info) { return text_of(info.param); }

// Of one process, whose ranks move when a test says so and not else.
inline const auto kPlainSettings =
    testing::Values(Setting{1, "none"}, Setting{2, "none"}, Setting{4, "none"}, Setting{2, "rotate"},
                    Setting{4, "rotate"}, Setting{3, "rotate", true});
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
// Each way that a message takes and each way that a rank moves, once.
inline const auto kSettings =
    testing::Values(Setting{1, "none"}, Setting{4, "rotate"}, Setting{2, "rotate", false, 2},
                    Setting{3, "none", false, 1, false, true}, Setting{3, "rotate", true, 1, true});
#else
inline const auto kSettings = testing::Values(
    Setting{1, "none"}, Setting{2, "none"}, Setting{4, "none"}, Setting{2, "rotate"}, Setting{4, "rotate"},
    Setting{2, "none", true}, Setting{3, "rotate", true}, Setting{1, "none", false, 2}, Setting{2, "rotate", false, 2},
    Setting{1, "rotate", false, 4}, Setting{2, "rotate", false, 1, true}, Setting{3, "rotate", true, 1, true},
    Setting{3, "none", false, 1, false, true}, Setting{4, "rotate", false, 1, false, true},
    Setting{3, "rotate", true, 1, true, true});
#endif
inline constexpr int kRankCounts[] = {1, 2, 5, 16};

inline int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

class MpiTest : public testing::TestWithParam<Setting> {
 protected:
  using Body = std::function<void(int rank, int size)>;

  // Whether communicators of all ranks go by messages: then members do not hear what other members passed.
  static bool by_messages() { return GetParam().as_processes || GetParam().processes > 1; }

  // The job's exit code. The body runs without MPI_Init and MPI_Finalize.
  int run_bare(int ranks, const Body& body, runtime::JobConfig config = {}) {
    runtime::FunctionProgram program([&](runtime::Rank& rank) {
      body(static_cast<int>(number(rank.id)), ranks);
      return 0;
    });
    config.ranks = static_cast<std::uint32_t>(ranks);
    config.workers = GetParam().workers;
    config.lb = GetParam().lb;
    config.act_as_processes = config.act_as_processes || GetParam().as_processes;
    config.repack = config.repack || GetParam().repack;
    config.lb_continuous = GetParam().share;
    config.lb_continuous_us = 0;
    if (GetParam().processes > 1) {
      const runtime::Shape shape{GetParam().processes, GetParam().workers, GetParam().lb, 2};
      return runtime::run_processes(shape, config, program, make_mpi_layer);
    }
    MpiLayer mpi_layer;
    runtime::Job job(config, program, &mpi_layer);
    const int code = job.run();
    for (std::uint32_t r = 0; r < config.ranks; ++r) {
      EXPECT_EQ(job.rank(r).state, runtime::Rank::State::ended) << "rank " << r;
      EXPECT_EQ(job.rank(r).mailbox.unexpected(), 0U) << "rank " << r;
      EXPECT_EQ(job.rank(r).mailbox.posted(), 0U) << "rank " << r;
    }
    return code;
  }

  void run(int ranks, const Body& body, const runtime::JobConfig& config = {}) {
    const int code = run_bare(
        ranks,
        [&](int rank, int size) {
          MPI_Init(nullptr, nullptr);
          move_if_packed();
          body(rank, size);
          move_if_packed();
          MPI_Finalize();
          for (const Leak& leak : leaks_of(rank_state())) {
            ADD_FAILURE() << "rank " << rank << ": " << leak.what << " " << leak.name;
          }
        },
        config);
    EXPECT_EQ(code, 0);
  }

  // So that no body runs on a state that was never packed, and nothing that a body leaves stays unpacked.
  static void move_if_packed() {
    if (GetParam().repack || GetParam().processes > 1) {
      MPI_Migrate();
    }
  }

  // At every number of ranks.
  void run_all(const Body& body, const runtime::JobConfig& config = {}) {
    for (const int ranks : kRankCounts) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks");
      run(ranks, body, config);
    }
  }
};

}  // namespace weft::mpi_shim
