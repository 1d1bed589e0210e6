// Which processes of a job share a host, and its cores.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/bootstrap/bootstrap.hpp"

namespace weft::bootstrap {

struct Locality {
  std::uint32_t local_index = 0, local_count = 1;  // among the processes of this host, by number
  // Among those of them that may run on the same cores, for runtime::core_share: a launcher may have given each its
  // own.
  std::uint32_t share_index = 0, share_count = 1;
  std::uint32_t host = 0, hosts = 1;   // hosts are numbered in the order of their first process
  std::vector<std::uint32_t> host_of;  // by process
  // Standard input of this process is that of process 0, or of nobody: process 0 has none (/dev/null, or closed).
  bool has_input = true;
  bool same_host(ProcessId a, ProcessId b) const { return host_of[number(a)] == host_of[number(b)]; }
};

// Every process calls it once; fences once. Processes of one machine in different network, process or shared-memory
// namespaces count as on different hosts.
Locality local_processes(Bootstrap& bootstrap);

struct WorkerShare {
  std::uint32_t workers = 1;  // of this process, at least one
  std::uint32_t first = 0;    // those of the processes before it
  std::uint32_t total = 1;    // of the job
};

// Every process calls it once with the same `total`; fences once. Spreads `total` workers evenly over all processes
// (each has at least one), or without it takes `own` from each.
WorkerShare share_workers(Bootstrap& bootstrap, std::optional<std::uint32_t> total, std::uint32_t own);

}  // namespace weft::bootstrap
