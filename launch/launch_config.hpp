// The description of a job that weftrun passes to libmpi_abi.
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

// How many ranks and workers the user wants. sized_job() computes the job's SizeConfig from it.
struct WantedSize {
  std::optional<std::uint32_t> ranks;           // of all programs; none: ratio * workers
  std::uint32_t ratio = 1;                      // ranks per worker
  std::optional<std::uint32_t> universe;        // most ranks at any one time, with spawned ones; none: size_universe()
  std::optional<std::uint32_t> workers;         // none: one for each core that the processes may use
  std::vector<placement::ProcessPlace> places;  // by process; empty: weftrun has not started them, or there is one
};

// What the ranks run.
struct ProgramsConfig {
  std::string program;                       // a path
  std::vector<std::string> arguments;        // as main gets them, beginning with the program's name
  std::vector<runtime::Application> others;  // further programs; their ranks come after those of the first
  std::vector<std::string> shared_libraries;
  std::vector<std::string> plugins;
  image::RegionOptions region;
};

// How algorithms of collectives are chosen, or measured.
struct CollectivesConfig {
  std::string tune;         // a file: instead of a program, the job measures collectives for the table in it
  bool quiet = false;       // prints no progress of the measurement
  std::string collectives;  // the table to choose by, written by such a job; empty: the built-in choice
};

// What weftrun passes to the processes that it starts.
struct LauncherInfo {
  std::string agent;                 // starts commands on other hosts: bootstrap::agent_command()
  std::string host_name;             // by which the agent reaches this host; empty: base::host_name()
  std::string job_name;              // for weft ps; empty: JobName chooses one
  std::uint32_t seconds_so_far = 0;  // for which the job has run in earlier processes
};

struct LaunchConfig : WantedSize, ProgramsConfig, CollectivesConfig, LauncherInfo {
  runtime::JobConfig job;        // ranks and workers are filled in from WantedSize
  bool may_spin_longer = false;  // the user has set no spin time: sized_job() may choose longer ones than job.spin_us
  std::vector<std::string> migrate_at;  // collectives before which there is a balancing step: migrate_at.hpp
  bool huge_pages = true;               // may be used in this process
  std::uint32_t preempt = 0;            // seconds that a rank computes before it is preempted; 0: it never is
  std::uint32_t timeout = 0;            // seconds after which the job ends; 0: never
  std::optional<double> stall;  // seconds without progress after which the job's stacks are printed; none: never
  bool tag_output = false;
  std::optional<runtime::BindTo> bind_to;  // what each worker is bound to; none: as job.bind says
  std::string output_folder;               // for files of what each rank prints; empty: none
  bool output_to_files_only = false;
  bool display_map = false;      // before ranks run, process 0 prints where they start
  bool report_bindings = false;  // the same on standard error
  bool verbose = false;
  std::string net = "auto";                   // how processes reach each other: Processes::connect()
  bootstrap::Bootstrap* bootstrap = nullptr;  // connects the job's processes; borrowed; null: there is only this one
  bootstrap::Bootstrap* launcher = nullptr;   // with --survive: the launcher, told of crashes; borrowed; else null
};

}  // namespace weft::launch
