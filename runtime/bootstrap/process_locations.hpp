// Which processes of a job share a host, and its cores.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/bootstrap/bootstrap.hpp"

namespace weft::bootstrap {

struct ProcessLocations {
  std::uint32_t local_index = 0, local_count = 1;  // among the processes of this host, by number
  // Among those of them that may run on the same cores, for runtime::process_cores: a launcher may have given each
  // process its own cores.
  std::uint32_t share_index = 0, share_count = 1;
  std::uint32_t host = 0, hosts = 1;   // hosts are numbered in the order of their first process
  std::vector<std::uint32_t> host_of;  // by process
  // This process's standard input is that of process 0. Also true in all processes if process 0 has none (/dev/null, or
  // closed).
  bool has_input = true;
  bool same_host(ProcessId a, ProcessId b) const { return host_of[number(a)] == host_of[number(b)]; }
};

// The words of an affinity mask (sched_getaffinity) as text, without zeros at the end: equal only for equal masks.
std::string core_mask_text(std::span<const unsigned long> mask);

// Collective: every process calls it once; it fences once. Processes of one machine in different network, process or
// shared-memory namespaces count as being on different hosts.
ProcessLocations locate_processes(Bootstrap& bootstrap);

struct WorkerShare {
  std::uint32_t workers = 1;  // of this process, at least one
  std::uint32_t first = 0;    // those of the processes before it
  std::uint32_t total = 1;    // of the job
};

// Collective: every process calls it once with the same `total`; it fences once. Distributes `total` workers evenly
// over all processes (at least one each), or without `total` takes `own` from each.
WorkerShare share_workers(Bootstrap& bootstrap, std::optional<std::uint32_t> total, std::uint32_t own);

}  // namespace weft::bootstrap
