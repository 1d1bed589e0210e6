// Connects one process of a job with the others: settles what must be equal in all, and makes the transports.
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
#include "runtime/bootstrap/process_locations.hpp"
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

// The first line in which two fingerprints (image::Program) differ, of both; none where they are equal. Build ids and
// contents of files are compared, but not their paths: a program may be started as ./a.out, by another path or from a
// copy.
std::optional<std::pair<std::string, std::string>> first_difference(const std::string& first,
                                                                    const std::string& second);

// The name by which the launcher's agent reaches this host.
std::string known_host_name(const LaunchConfig& config);

// Every process constructs one and calls its functions in the order below; each step waits for the other processes. All
// throw std::runtime_error.
class Processes {
 public:
  // Divides the cores of a host among its processes. Divides the workers that are wanted (else one for each core) among
  // all processes, unless the config gives a number for each process. The calling thread, and those that it starts
  // later, keep to this process's cores.
  explicit Processes(const LaunchConfig& config);
  ~Processes();

  const bootstrap::WorkerShare& workers() const { return workers_; }
  const std::vector<std::uint32_t>& worker_counts() const { return worker_counts_; }  // by process
  std::uint32_t count() const { return bootstrap_.processes(); }
  bool is_first() const { return number(bootstrap_.process()) == 0; }
  // By process: the names by which the launcher's agent reaches their hosts.
  const std::vector<std::string>& host_names() const { return host_names_; }
  const std::vector<std::uint32_t>& hosts() const { return locations_.host_of; }  // by process
  // The cores of all processes of this host that divide them.
  const std::vector<std::uint32_t>& host_cores() const { return host_cores_; }
  bool has_input() const { return locations_.has_input; }  // ProcessLocations::has_input
  bool has_own_cores() const { return has_own_cores_; }    // no other process of the job runs on this process's cores

  // Makes the transports to all other processes. `net`: "auto" is shared memory within a node and libfabric's tcp
  // between nodes; else a provider of libfabric that is used for all.
  runtime::Cluster& connect(const std::string& net);
  // Whether all fingerprints are equal, so that ranks can move between processes; else `why` is one line on which
  // process differs from process 0 in what.
  bool fingerprints_match(const std::string& fingerprint, std::string& why);
  // random_stack_guard() of process 0.
  std::uint64_t common_stack_guard();
  void wait_for_all() { bootstrap_.fence(); }
  // Returns the texts of all processes, in their order. `key` must be unique to this call.
  std::vector<std::string> allgather(const std::string& key, const std::string& text);
  // Once the job has ended here: returns the texts of all processes, in their order, at process 0, and nothing at the
  // others. `key` must be unique to this call.
  std::vector<std::string> gather(const std::string& key, const std::string& text);
  // After that: sends what is still to be sent and waits for the others.
  void disconnect();
  void abort(int code) { bootstrap_.abort(code); }
  // Tells the launcher which ranks live here now.
  void announce(const runtime::Job& job);

 private:
  net::Secret common_secret();
  void finish_sending();
  void on_peer_lost(ProcessId peer, std::string_view why);
  void report_foreign_messages() const;

  bootstrap::Bootstrap& bootstrap_;
  bootstrap::ProcessLocations locations_;
  bootstrap::WorkerShare workers_;
  std::vector<std::uint32_t> worker_counts_;
  std::vector<std::uint32_t> host_cores_;
  std::vector<std::string> host_names_;
  bool has_own_cores_ = true;
  std::unique_ptr<runtime::Cluster> cluster_;
  std::unique_ptr<net::Transport> transport_;
  net::FabricTransport* fabric_ = nullptr;  // part of transport_; null: there is none
};

}  // namespace weft::launch
