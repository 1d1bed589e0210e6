// The control messages of a balancing step.
#pragma once

#include <string>
#include <vector>

#include "pup/pup.hpp"
#include "runtime/control/control_message.hpp"
#include "runtime/lbstep/checkpoint.hpp"
#include "runtime/lbstep/supersteps.hpp"
#include "runtime/lbstep/tree_messages.hpp"
#include "runtime/p2p/wire.hpp"
#include "trace/worker_interval.hpp"

namespace weft::runtime {
inline namespace lbstep {

// One rank of an arrival.
struct RankReport {
  double seconds = 0;  // its load
  std::uint32_t rank = 0;
  std::uint32_t worker = 0;  // numbered through the job
  std::uint32_t wanted = 0;  // a worker, or Rank::kAnyWorker
  bool may_leave = true;
  bool is_declared = false;                 // the program has said what its load is
  std::uint64_t bytes = 0;                  // to move, when it leaves its process
  std::vector<SuperstepReport> supersteps;  // empty where the strategy does not use them
  void pup(pup::Puper& p) { p | seconds | rank | worker | wanted | may_leave | is_declared | bytes | supersteps; }
};

// One worker of an arrival.
struct WorkerReport {
  trace::WorkerInterval interval;
  std::uint32_t numa = 0;
  void pup(pup::Puper& p) { p | interval | numa; }
};

// To process 0: all ranks of the sender are in the step.
struct StepArrival {
  static constexpr ControlKind kKind = ControlKind::step_arrival;
  std::uint64_t call = 0;  // of migrate()
  // This and the next two: as StepOptions has them.
  bool balance = true;
  std::string checkpoint;
  bool image = false;
  std::uint32_t live = 0;         // ranks of this process
  std::vector<RankReport> ranks;  // empty where the step does not balance
  std::uint32_t process = 0;
  std::uint32_t host = 0;
  std::vector<WorkerReport> workers;
  std::vector<EdgeReport> edges;    // what its ranks have sent, where the strategy uses messages
  std::string pinned;               // a rank that cannot be packed, and why; empty: none
  std::uint64_t private_bytes = 0;  // memory of the process, if an image of it may be written
  bool evacuates = false;           // a rank of it has asked that the job give up this process (AMPI_Evacuate)
  void pup(pup::Puper& p) {
    p | call | balance | checkpoint | image | live | ranks | process | host | workers | edges | pinned | private_bytes |
        evacuates;
  }
};

// From process 0 to all: the decision.
struct StepPlan {
  static constexpr ControlKind kKind = ControlKind::step_plan;
  std::string checkpoint;        // the folder or memory files that this step writes to; empty: none
  std::uint32_t image = 0;       // which of SurvivalConfig::image_files, if `checkpoint` is one; hosts have their own
  std::vector<NewHome> changes;  // in hierarchical steps only those that all processes must know
  bool moves = false;            // at least one rank moves
  lb::MoveScope scope = lb::MoveScope::stay;  // in hierarchical steps
  bool balanced = false;                      // the strategy has been asked
  std::uint64_t call = 0;                     // of migrate(), which this step is
  std::uint64_t next_balance = 0;             // the call at which the strategy decides next
  std::uint64_t next_image = 0;               // the call at which an image may be written next
  void pup(pup::Puper& p) {
    p | checkpoint | image | changes | moves | scope | balanced | call | next_balance | next_image;
  }
};

// To all, before ranks are packed: the sender has sent everything that must arrive before this message (see flush.hpp).
struct FlushMarker {
  static constexpr ControlKind kKind = ControlKind::flush_marker;
  bool answers = false;  // the second one: the answers to the messages before the first have been sent, too
  void pup(pup::Puper& p) { p | answers; }
};

// To the process that a rank has left: its memory has been read.
struct RankInstalled {
  static constexpr ControlKind kKind = ControlKind::rank_installed;
  std::uint32_t rank = 0;
  void pup(pup::Puper& p) { p | rank; }
};

// To process 0: what one process has written of a checkpoint.
struct CheckpointPart {
  static constexpr ControlKind kKind = ControlKind::checkpoint_part;
  std::string failure;  // why it is incomplete; empty: it is complete
  std::uint32_t first_context = 0;
  std::vector<CheckpointEntry> entries;
  void pup(pup::Puper& p) { p | failure | first_context | entries; }
};

// To process 0: all ranks that live in the sender now have arrived there, and all that have left it have arrived
// elsewhere.
struct MovesDone {
  static constexpr ControlKind kKind = ControlKind::moves_done;
  void pup(pup::Puper& /*p*/) {}
};

// From process 0 to all: ranks go on.
struct StepOver {
  static constexpr ControlKind kKind = ControlKind::step_over;
  void pup(pup::Puper& /*p*/) {}
};

// From process 0 to all, in a job that restarts: each process has sent MovesDone, so the files of all ranks are open.
// Each process truncates the files of its ranks to their length in the image, and sends MovesDone once more.
struct AllRestored {
  static constexpr ControlKind kKind = ControlKind::all_restored;
  void pup(pup::Puper& /*p*/) {}
};

// To process 0: threads of ranks that are in a step want to call MPI. Process 0 answers with DisableSteps once no step
// is being decided or carried out.
struct DisableRequest {
  static constexpr ControlKind kKind = ControlKind::disable_request;
  void pup(pup::Puper& /*p*/) {}
};

// To all: threads of ranks call MPI, so there are no more steps.
struct DisableSteps {
  static constexpr ControlKind kKind = ControlKind::disable_steps;
  void pup(pup::Puper& /*p*/) {}
};

// To process 0, which writes the report: what a library that shares out work expects now (report::FinishPrediction).
struct PredictionNote {
  static constexpr ControlKind kKind = ControlKind::prediction_note;
  double left = 0;
  double spread = 0;
  void pup(pup::Puper& p) { p | left | spread; }
};

}  // namespace lbstep
}  // namespace weft::runtime
