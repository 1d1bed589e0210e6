#include "mpi_shim/launch.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "mpi_shim/client.hpp"
#include "runtime/image/capacity.hpp"
#include "runtime/image/program.hpp"
#include "runtime/launch/crash.hpp"
#include "runtime/launch/debug_ranks.hpp"
#include "runtime/launch/image_program.hpp"
#include "runtime/output/output.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::mpi_shim {
namespace {

// libweft_rank.so lies beside the library that this code is in.
std::string shim_path() {
  Dl_info library;
  if (::dladdr(reinterpret_cast<const void*>(&weft_launch), &library) == 0) {
    return "libweft_rank.so";
  }
  return std::filesystem::path(library.dli_fname).replace_filename("libweft_rank.so").string();
}

runtime::JobConfig sized_job(const LaunchConfig& config) {
  auto job = config.job;
  job.workers = config.workers ? *config.workers : static_cast<std::uint32_t>(runtime::allowed_cores().size());
  job.ranks = config.ranks ? *config.ranks : config.ratio * job.workers;
  return job;
}

void describe_job(const LaunchConfig& config, const runtime::JobConfig& job, const image::Program& program) {
  std::fputs(fmt::format("weftrun: {} ranks of {} on {} workers, strategy {}, {} private images, {} mappings a rank\n",
                         job.ranks, config.program, std::min(job.workers, job.ranks), job.lb, program.images().size(),
                         program.layout().mappings_per_rank)
                 .c_str(),
             stderr);
}

int run(const LaunchConfig& config) {
  if (config.bootstrap != nullptr) {
    throw std::runtime_error("several processes can be started, but not run one job yet; leave --processes out");
  }
  auto job_config = sized_job(config);
  const image::Region region(job_config.ranks, config.region);
  image::ProgramOptions options;
  options.layout.stack_bytes = job_config.stack_bytes;
  options.shared = config.shared_libraries;
  const auto program = image::Program::load(config.program, shim_path(), options);
  image::check_capacity(job_config.ranks, program->layout().mappings_per_rank);
  if (config.verbose) {
    describe_job(config, job_config, *program);
  }
  runtime::Output output(job_config.ranks, config.tag_output);
  job_config.before_abort = [&output] { output.flush_all(); };
  runtime::ImageProgram ranks(*program, region, output, config.arguments);
  Client client;
  runtime::Job job(job_config, ranks, &client);
  const runtime::DebugRanks debug(job);
  runtime::report_crashes(output, job_config.stack_bytes);
  const int code = job.run();
  if (ranks.left_threads()) {
    output.flush_all();
    std::fflush(nullptr);
    ::_exit(code);
  }
  return code;
}

}  // namespace
}  // namespace weft::mpi_shim

int weft_launch(const weft::mpi_shim::LaunchConfig& config) { return weft::mpi_shim::run(config); }

// What the wrappers' <errno.h> calls outside of ranks; a rank has its own in libweft_rank.
extern "C" [[gnu::visibility("default")]] int* weft_errno() { return &errno; }
