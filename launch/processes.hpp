// How one process of a job joins the others: what they agree on, and the transports between them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/launch_config.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/bootstrap/locality.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/job/job.hpp"
#include "runtime/net/secret.hpp"
#include "runtime/net/transport.hpp"

namespace weft::net {
class FabricTransport;
}

namespace weft::launch {

// A value for the stack protector of threads that run ranks (JobConfig::stack_guard).
std::uint64_t random_stack_guard();

// The first line in which two fingerprints (image::Program) differ: the first's, the second's. The paths of files do
// not count, their build ids and contents do: a program may be started as ./a.out, by another path or from a copy.
std::optional<std::pair<std::string, std::string>> difference(const std::string& first, const std::string& second);

// The name by which the launcher's agent reaches this host.
std::string known_host_name(const LaunchConfig& config);

// To be made and called in this order by every process; each step waits for the others. Steps throw std::runtime_error.
class Processes {
 public:
  // Shares the cores of a host among its processes, and the workers that are wanted (else one for each core) among all,
  // unless it is said how many a process has. The calling thread, and those it starts later, keep to this process's
  // cores.
  explicit Processes(const LaunchConfig& config);
  ~Processes();

  const bootstrap::WorkerShare& workers() const { return workers_; }
  const std::vector<std::uint32_t>& worker_counts() const { return worker_counts_; }  // by process
  std::uint32_t count() const { return bootstrap_.processes(); }
  bool is_first() const { return number(bootstrap_.process()) == 0; }
  // By process: the names by which the launcher's agent reaches their hosts.
  const std::vector<std::string>& host_names() const { return host_names_; }
  const std::vector<std::uint32_t>& hosts() const { return locality_.host_of; }  // by process
  // Those of this host's processes together, as far as they share.
  const std::vector<std::uint32_t>& host_cores() const { return host_cores_; }
  bool has_input() const { return locality_.has_input; }  // Locality::has_input
  bool own_cores() const { return own_cores_; }           // no other process of the job runs on them

  // `net`: "auto" is shared memory within a node and libfabric's tcp between nodes; else a provider of libfabric for
  // all. Connects with all others.
  runtime::Cluster& join(const std::string& net);
  // Whether all fingerprints are equal, so that ranks can move between processes; else `why` says, in one line, which
  // process differs from process 0 in what.
  bool agree(const std::string& fingerprint, std::string& why);
  // random_stack_guard() of process 0.
  std::uint64_t common_stack_guard();
  void wait_for_all() { bootstrap_.fence(); }
  // Each process's text, in their order. `key` is for this call alone.
  std::vector<std::string> tell_all(const std::string& key, const std::string& text);
  // Once the job has ended here: each process's text at process 0, in their order; nothing at the others. `key` is for
  // this call alone.
  std::vector<std::string> gather(const std::string& key, const std::string& text);
  // After that: brings what is still to be sent on its way and waits for the others.
  void part();
  void abort(int code) { bootstrap_.abort(code); }
  // Tells the launcher which ranks live here now.
  void announce(const runtime::Job& job);

 private:
  net::Secret common_secret();
  void finish_sending();
  void lose(ProcessId peer, std::string_view why);
  void tell_of_strangers() const;

  bootstrap::Bootstrap& bootstrap_;
  bootstrap::Locality locality_;
  bootstrap::WorkerShare workers_;
  std::vector<std::uint32_t> worker_counts_;
  std::vector<std::uint32_t> host_cores_;
  std::vector<std::string> host_names_;
  bool own_cores_ = true;
  std::unique_ptr<runtime::Cluster> cluster_;
  std::unique_ptr<net::Transport> transport_;
  net::FabricTransport* fabric_ = nullptr;  // a part of transport_, where there is one
};

}  // namespace weft::launch
