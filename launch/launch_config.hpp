// What weftrun says of a job to libmpi_abi.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/image/region.hpp"
#include "runtime/job/job.hpp"
#include "runtime/placement/job_plan.hpp"
#include "runtime/topology/core_binding.hpp"

namespace weft::launch {

// How many ranks and workers the user wants; what comes of it is the job's SizeConfig.
struct WantedSize {
  std::optional<std::uint32_t> ranks;  // of all programs; else ratio * workers
  std::uint32_t ratio = 1;
  std::optional<std::uint32_t> universe;        // ranks there may be at any one time, with spawned ones; else some more
  std::optional<std::uint32_t> workers;         // else every core this process may use
  std::vector<placement::ProcessPlace> places;  // of each process, from weftrun; empty: another launcher's, or alone
};

// What the ranks run.
struct ProgramsConfig {
  std::string program;                       // a path
  std::vector<std::string> arguments;        // as main gets them, beginning with the program's name
  std::vector<runtime::Application> others;  // that run beside the first, whose ranks come before theirs
  std::vector<std::string> shared_libraries;
  std::vector<std::string> plugins;
  image::RegionOptions region;
};

// How the job's collectives are chosen, and a job that measures that.
struct CollectivesConfig {
  std::string tune;         // a file: instead of a program, the job measures collectives for the table in it
  bool quiet = false;       // says nothing of how far it has measured
  std::string collectives;  // a file that such a job has written; empty: collectives go as built in
};

// What weftrun tells the processes that it starts.
struct LauncherWords {
  std::string agent;                 // by which other hosts are reached: bootstrap::agent_command()
  std::string host_name;             // by which it reaches this one; empty: base::host_name()
  std::string job_name;              // for weft ps; empty: JobName finds one
  std::uint32_t seconds_so_far = 0;  // that the job has run for in other processes
};

struct LaunchConfig : WantedSize, ProgramsConfig, CollectivesConfig, LauncherWords {
  runtime::JobConfig job;        // ranks and workers are filled in from what is wanted
  bool may_spin_longer = false;  // than job.spin_us: where each rank has a worker, where nobody else wants the core
  std::vector<std::string> migrate_at;  // collectives before which there is a balancing step: migrate_at.hpp
  bool huge_pages = true;               // may be used in this process
  std::uint32_t preempt = 0;  // seconds that a rank computes before others of its worker go on; 0: as long as it likes
  std::uint32_t timeout = 0;  // seconds after which the job ends; 0: never
  std::optional<double> stall;  // seconds without progress after which the job's stacks are printed; none: never
  bool tag_output = false;
  std::optional<runtime::BindTo> bind_to;  // what each worker is bound to; else as job.bind says
  std::string output_folder;               // for files of what each rank prints; empty: none
  bool output_to_files_only = false;
  bool display_map = false;      // before ranks run, process 0 prints where they start
  bool report_bindings = false;  // the same on standard error
  bool verbose = false;
  std::string net = "auto";                   // how processes reach each other: launch/processes.hpp
  bootstrap::Bootstrap* bootstrap = nullptr;  // the job's other processes; borrowed; null: there are none
  bootstrap::Bootstrap* launcher = nullptr;   // that may start the job again; borrowed; null: none does
};

}  // namespace weft::launch
