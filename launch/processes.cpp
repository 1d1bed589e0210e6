#include "launch/processes.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/host_name.hpp"
#include "base/number_ranges.hpp"
#include "base/random.hpp"
#include "base/say.hpp"
#include "runtime/net/fabric.hpp"
#include "runtime/net/router.hpp"
#include "runtime/net/shared_memory.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::launch {
namespace {

// Least time between two polls of libfabric: about what one poll costs, some hundred nanoseconds.
constexpr std::uint64_t kTicksBetweenFabricPolls = 2000;

// Each process's number of workers.
std::vector<std::uint32_t> exchange_worker_counts(const bootstrap::WorkerShare& mine, bootstrap::Bootstrap& bootstrap) {
  bootstrap.put("weft-workers", std::to_string(mine.workers));
  bootstrap.fence();
  std::vector<std::uint32_t> workers;
  for (const std::string& count : bootstrap.get_all("weft-workers")) {
    workers.push_back(static_cast<std::uint32_t>(std::stoul(count)));
  }
  return workers;
}

// A read by messages from a process that has died would never end: such jobs need reads by the kernel.
void require_reads(const net::SharedMemory& memory, ProcessId peer) {
  if (!memory.reads_by_kernel(peer)) {
    throw std::runtime_error(
        "--survive api needs to read other processes' memory (process_vm_readv), which this system "
        "or container does not allow");
  }
}

net::SharedMemoryOptions memory_options(std::uint32_t workers, bool has_own_cores) {
  return {.workers = workers, .helped = has_own_cores};
}

// With --survive api each process has a ring for each other one. With many processes the rings are small, but still
// hold the longest message.
net::SharedMemoryOptions memory_options_for_survival(std::uint32_t workers, std::uint32_t processes) {
  net::SharedMemoryOptions options{.workers = workers, .helped = false, .peers_may_die = true};
  if (processes > 4) {
    options.ring_bytes = std::size_t{256} << 10;
  }
  return options;
}

// Stands for a fingerprint that equals process 0's.
constexpr std::string_view kSame = "same";

// A line of a fingerprint without the path of a file: one file may have several paths.
std::string_view without_path(std::string_view line) {
  const auto build = line.rfind(" build ");
  return build == std::string_view::npos ? line : line.substr(build);
}

}  // namespace

std::optional<std::pair<std::string, std::string>> first_difference(const std::string& first,
                                                                    const std::string& second) {
  const auto line = [](const std::string& text, std::size_t at) { return text.substr(at, text.find('\n', at) - at); };
  std::size_t a = 0;
  std::size_t b = 0;
  while (a < first.size() && b < second.size()) {
    const std::string in_first = line(first, a);
    const std::string in_second = line(second, b);
    if (without_path(in_first) != without_path(in_second)) {
      return std::pair{in_first, in_second};
    }
    a += in_first.size() + 1;
    b += in_second.size() + 1;
  }
  if (a < first.size() || b < second.size()) {
    return std::pair{a < first.size() ? line(first, a) : "nothing more",
                     b < second.size() ? line(second, b) : "nothing more"};
  }
  return std::nullopt;
}

std::uint64_t random_stack_guard() {
  return base::random_bits() & ~std::uint64_t{0xff};  // as the C library's own: its first byte in memory ends strings
}

Processes::Processes(const LaunchConfig& config)
    : bootstrap_(*config.bootstrap), locations_(bootstrap::locate_processes(bootstrap_)) {
  const auto& places = config.places;
  host_cores_ = runtime::allowed_cores();
  const runtime::ProcessCores share = runtime::process_cores(locations_.share_index, locations_.share_count);
  has_own_cores_ = share.is_exclusive;
  if (share.is_exclusive) {
    runtime::bind_this_thread_to(share.cores);
  }
  const auto cores = static_cast<std::uint32_t>(share.cores.size());
  const std::uint32_t own = places.empty() ? 0 : places[number(bootstrap_.process())].workers;
  const bool says_workers = std::ranges::any_of(places, [](const auto& place) { return place.workers != 0; });
  workers_ = bootstrap::share_workers(bootstrap_, says_workers ? std::nullopt : config.workers, own == 0 ? cores : own);
  bootstrap_.put("weft-known-as", known_host_name(config));
  worker_counts_ = exchange_worker_counts(workers_, bootstrap_);
  host_names_ = bootstrap_.get_all("weft-known-as");
}

Processes::~Processes() = default;

std::string known_host_name(const LaunchConfig& config) {
  return config.host_name.empty() ? base::host_name() : config.host_name;
}

// The secret goes by the launcher's own channel: its sockets or, under PMIx and PMI-1, that launcher's key-value space.
net::Secret Processes::common_secret() {
  if (is_first()) {
    bootstrap_.put("weft-secret", net::new_secret().bytes());
  }
  bootstrap_.fence();
  return net::Secret::from(bootstrap_.get(ProcessId{}, "weft-secret"));
}

runtime::Cluster& Processes::connect(const std::string& net) {
  const ProcessId self = bootstrap_.process();
  const std::uint32_t count = bootstrap_.processes();
  cluster_ = std::make_unique<runtime::Cluster>(self, worker_counts_);
  const bool in_memory = net == "auto";
  const bool may_lose = bootstrap_.notices() != nullptr;
  const bool over_fabric = !in_memory || locations_.hosts > 1;
  auto router = std::make_unique<net::Router>(*cluster_);
  std::unique_ptr<net::SharedMemory> memory;
  std::unique_ptr<net::FabricTransport> fabric;
  if (in_memory) {
    memory = std::make_unique<net::SharedMemory>(self, count, over_fabric ? router->sink_for_transport() : *cluster_,
                                                 may_lose ? memory_options_for_survival(workers_.workers, count)
                                                          : memory_options(workers_.workers, has_own_cores_));
    bootstrap_.put("weft-memory", memory->address());
  }
  if (over_fabric) {
    net::FabricOptions options;
    if (net != "auto") {
      options.provider = net;
    }
    options.secret = common_secret();
    options.lost = [this](ProcessId peer, std::string_view why) { on_peer_lost(peer, why); };
    fabric = std::make_unique<net::FabricTransport>(self, router->sink_for_transport(), options);
    bootstrap_.put("weft-fabric", fabric->address());
  }
  bootstrap_.fence();
  const std::vector<std::string> memory_addresses =
      in_memory ? bootstrap_.get_all("weft-memory") : std::vector<std::string>(count);
  std::vector<std::string> fabric_addresses =
      over_fabric ? bootstrap_.get_all("weft-fabric") : std::vector<std::string>(count);
  std::vector<bool> near(count);
  for (std::uint32_t p = 0; p < count; ++p) {
    near[p] = in_memory && locations_.same_host(self, ProcessId{p});
    if (near[p]) {
      memory->connect(ProcessId{p}, memory_addresses[p]);
      if (may_lose) {
        require_reads(*memory, ProcessId{p});
      }
      fabric_addresses[p].clear();
    }
  }
  if (over_fabric) {
    fabric->connect(fabric_addresses);
    fabric_ = fabric.get();
    const std::size_t near_part = in_memory ? router->add(std::move(memory)) : 0;
    const std::size_t far_part = router->add(std::move(fabric), kTicksBetweenFabricPolls);
    for (std::uint32_t p = 0; p < count; ++p) {
      router->route(ProcessId{p}, near[p] ? near_part : far_part);
    }
    transport_ = std::move(router);
  } else {
    transport_ = std::move(memory);
  }
  // After this fence all have opened each other's shared memory: a process that fails does not take it from the others.
  bootstrap_.fence();
  cluster_->set_transport(*transport_);
  return *cluster_;
}

// The launcher knows more about a peer that died, and reports that and ends the job. This line is printed only if the
// launcher has not done so after a second.
void Processes::on_peer_lost(ProcessId peer, std::string_view why) {
  const auto report = [this, text = fmt::format("weftrun: process {} cannot reach process {}: {}\n",
                                                number(bootstrap_.process()), number(peer), why)] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    base::say(text);
    bootstrap_.abort(1);
    ::_exit(1);
  };
  try {
    std::thread(report).detach();
  } catch (const std::system_error&) {
    report();  // no thread can be started
  }
}

bool Processes::fingerprints_match(const std::string& fingerprint, std::string& why) {
  if (is_first()) {
    bootstrap_.put("weft-fingerprint", fingerprint);
  }
  bootstrap_.fence();
  const auto differing = first_difference(bootstrap_.get(ProcessId{}, "weft-fingerprint"), fingerprint);
  bootstrap_.put("weft-difference", differing ? fmt::format("process 0 has {}, process {} has {}", differing->first,
                                                            number(bootstrap_.process()), differing->second)
                                              : std::string(kSame));
  bootstrap_.fence();
  for (const std::string& found : bootstrap_.get_all("weft-difference")) {
    if (found != kSame) {
      why = found;
      return false;
    }
  }
  return true;
}

std::uint64_t Processes::common_stack_guard() {
  std::uint64_t guard = random_stack_guard();
  if (is_first()) {
    bootstrap_.put("weft-guard", std::string_view(reinterpret_cast<const char*>(&guard), sizeof guard));
  }
  bootstrap_.fence();
  const std::string common = bootstrap_.get(ProcessId{}, "weft-guard");
  std::memcpy(&guard, common.data(), sizeof guard);
  return guard;
}

void Processes::announce(const runtime::Job& job) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t r = 0; r < job.rank_count(); ++r) {
    if (runtime::Job::process_of(job.rank(r)) == bootstrap_.process()) {
      ranks.push_back(r);
    }
  }
  bootstrap_.announce_ranks(base::number_ranges(ranks));
}

std::vector<std::string> Processes::allgather(const std::string& key, const std::string& text) {
  bootstrap_.put(key, text);
  bootstrap_.fence();
  return bootstrap_.get_all(key);
}

void Processes::finish_sending() {
  while (!transport_->is_drained()) {
    if (!transport_->poll()) {
      sched_yield();
    }
  }
}

std::vector<std::string> Processes::gather(const std::string& key, const std::string& text) {
  finish_sending();
  bootstrap_.put(key, text);
  bootstrap_.fence();
  return is_first() ? bootstrap_.get_all(key) : std::vector<std::string>();
}

void Processes::disconnect() {
  finish_sending();
  bootstrap_.fence();
  if (fabric_ != nullptr) {
    fabric_->stop_progress_thread();  // it may still run the handler of the last message; the job is destroyed next
  }
  report_foreign_messages();
}

void Processes::report_foreign_messages() const {
  if (const std::uint64_t count = fabric_ == nullptr ? 0 : fabric_->rejected_messages(); count != 0) {
    std::fputs(fmt::format("weft: process {} dropped {} message{} that came over the network from outside the job\n",
                           number(bootstrap_.process()), count, count == 1 ? "" : "s")
                   .c_str(),
               stderr);
  }
}

}  // namespace weft::launch
