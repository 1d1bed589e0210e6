#include "launch/inspection_server.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/host_name.hpp"
#include "base/say.hpp"
#include "base/thread_start.hpp"
#include "inspect/job_socket.hpp"
#include "inspect/messages.hpp"
#include "launch/held_threads.hpp"
#include "launch/image_program.hpp"
#include "launch/job_size.hpp"
#include "launch/open_socket.hpp"
#include "launch/rank_counters.hpp"
#include "launch/rank_samples.hpp"
#include "launch/rank_stacks.hpp"
#include "pup/pup.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/control/rank_table.hpp"

namespace weft::launch {
namespace {

constexpr std::size_t kMostQuestionBytes = 4096;
constexpr int kPauseAfterRefusal = 100;  // milliseconds
constexpr int kLongestWait = 10;         // seconds, for a client that connects and then sends or reads nothing

std::string executable_of(pid_t process) {
  std::error_code error;
  return std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), error).string();
}

inspect::ProcessFacts facts_of(const runtime::Job& job, const JobName& name) {
  std::vector<std::string> hosts;
  for (const auto& process : job.config().processes) {
    hosts.push_back(process.host);
  }
  return {.job = name.text(),
          .process = number(job.process()),
          .processes = job.process_count(),
          .pid = ::getpid(),
          .hosts = std::move(hosts),
          .agent = name.agent(),
          .program = fmt::format("{}", fmt::join(job.config().command, " ")),
          .ranks = job.rank_count(),
          .ranks_here = 0,
          .workers = job.total_workers(),
          .workers_here = job.worker_count(),
          .started = std::time(nullptr) - name.seconds_so_far()};
}

std::set<std::string> hosts_of(const placement::NextProcesses& processes) {
  std::set<std::string> hosts;
  for (const auto& process : processes) {
    hosts.insert(process.host);
  }
  return hosts;
}

// Memory faults of the thread itself must reach their handler: see walk_frames().
void block_all_but_faults() {
  sigset_t most;
  ::sigfillset(&most);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
    ::sigdelset(&most, fault);
  }
  ::pthread_sigmask(SIG_SETMASK, &most, nullptr);
}

}  // namespace

JobName::JobName(const LaunchConfig& config) : config_(config) {
  const bool has_launcher = config.bootstrap != nullptr || config.launcher != nullptr;
  const bool has_parent = has_launcher && executable_of(::getppid()) == executable_of(::getpid());
  mine_ = std::to_string(has_parent ? ::getppid() : ::getpid());
  if (config.bootstrap != nullptr) {
    config.bootstrap->put("weft-job", mine_);
    config.bootstrap->put("weft-host", base::host_name());
  }
}

std::string JobName::text() const {
  if (!config_.job_name.empty()) {
    return config_.job_name;
  }
  if (config_.bootstrap == nullptr) {
    return mine_;
  }
  const std::vector<std::string> all = config_.bootstrap->get_all("weft-host");
  const std::string first = config_.bootstrap->get(ProcessId{}, "weft-job");
  const bool is_one_host = std::ranges::all_of(all, [&](const std::string& host) { return host == all.front(); });
  std::string name = is_one_host ? first : first + "@" + all.front();
  name.resize(std::min<std::size_t>(name.size(), 64));
  return name;
}

class InspectionServer::Server {
 public:
  Server(const runtime::Job& job, const ImageProgram& program, inspect::ProcessFacts facts)
      : job_(job),
        program_(program),
        counters_(job, program),
        facts_(std::move(facts)),
        socket_(facts_.job, facts_.process),
        stop_(::eventfd(0, EFD_CLOEXEC)) {
    if (facts_.process == 0) {
      socket_.remove_sockets_from(facts_.processes);
    }
    start();
  }
  ~Server() {
    ::eventfd_write(stop_.get(), 1);
    ::pthread_join(thread_, nullptr);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  // The stack is small: the C library caches up to 40 MiB of stacks of ended threads. Beyond that it unmaps some by a
  // call that a container may forbid.
  void start() {
    constexpr std::size_t kStackBytes = std::size_t{1} << 20;
    if (!stop_) {
      throw std::runtime_error("no event descriptor");
    }
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, kStackBytes);
    const auto body = [](void* server) -> void* {
      static_cast<Server*>(server)->run();
      return nullptr;
    };
    const int error = ::pthread_create(&thread_, &attributes, body, this);
    ::pthread_attr_destroy(&attributes);
    if (error != 0) {
      base::fail_to_start("the thread that answers weft", std::strerror(error));
    }
  }

  void run() {
    block_all_but_faults();
    std::array<pollfd, 2> wanted{pollfd{stop_.get(), POLLIN, 0}, pollfd{socket_.listener().get(), POLLIN, 0}};
    for (;;) {
      if (::poll(wanted.data(), wanted.size(), -1) < 0 || wanted[0].revents != 0) {
        return;
      }
      try {
        if (const inspect::Descriptor client = socket_.accept(); client) {
          answer(client);
        } else {
          wait_after_refusal();
        }
      } catch (const std::exception&) {
        wait_after_refusal();  // no memory, say: the client finds the connection closed
      }
    }
  }

  // A client that cannot be accepted, since ranks have opened all descriptors, say, keeps the listener readable. Waits
  // until the job ends, but at most kPauseAfterRefusal.
  void wait_after_refusal() const {
    pollfd stop{stop_.get(), POLLIN, 0};
    ::poll(&stop, 1, kPauseAfterRefusal);
  }

  void answer(const inspect::Descriptor& client) {
    inspect::set_timeouts(client, kLongestWait);
    std::vector<std::byte> bytes;
    inspect::Question question;
    if (!inspect::receive_frame(client, bytes, kMostQuestionBytes) || bytes.size() != pup::pack(question).size()) {
      return;
    }
    pup::unpack(bytes, question);
    if (question.version != inspect::kVersion) {
      return;
    }
    if (question.subject == inspect::Subject::progress) {
      inspect::Progress progress = progress_of(job_);
      inspect::send_frame(client, pup::pack(progress));
      return;
    }
    if (question.subject == inspect::Subject::resize) {
      inspect::ResizeState reply = resize(question);
      inspect::send_frame(client, pup::pack(reply));
      return;
    }
    facts_.ranks_here = 0;
    for (std::uint32_t r = 0; r < job_.universe(); ++r) {
      facts_.ranks_here += runtime::RankTable::lives_here(job_.rank(r)) ? 1 : 0;
    }
    if (question.subject == inspect::Subject::facts) {
      inspect::send_frame(client, pup::pack(facts_));
    } else if (question.subject == inspect::Subject::counters) {
      inspect::Counters counters = counters_.read();
      counters.process = facts_;
      inspect::send_frame(client, pup::pack(counters));
    } else {
      inspect::Stacks stacks = sample_stacks();
      stacks.process = facts_;
      inspect::send_frame(client, pup::pack(stacks));
    }
  }

  // Only process 0 asks for changes; other processes just return the state.
  inspect::ResizeState resize(const inspect::Question& question) const {
    inspect::ResizeState reply{.processes = facts_.processes,
                               .workers = facts_.workers,
                               .wanted = 0,
                               .refusal = "the job has no --survive",
                               .pid = facts_.pid};
    if (const auto& request = job_.config().resize_request) {
      const std::string why = facts_.process == 0 ? request_change(question) : std::string();
      reply.wanted = static_cast<std::uint32_t>(request->wanted().size());
      reply.refusal = why.empty() ? request->refusal() : why;
    }
    return reply;
  }

  // Asks the job for the change. Returns why the change cannot be made; empty: it is asked for, or there is none.
  std::string request_change(const inspect::Question& question) const {
    const runtime::JobConfig& config = job_.config();
    const placement::NextProcesses& now = config.processes;
    const std::string host(question.host.data(), ::strnlen(question.host.data(), question.host.size()));
    placement::NextProcesses next;
    const std::size_t more = question.change == inspect::Change::more_on_host ? now.size() : 0;
    if (const std::size_t count = question.processes + more; count > config.ranks) {
      return fmt::format("it has {} ranks, not one for each of {} processes", config.ranks, count);
    }
    switch (question.change) {
      case inspect::Change::state:
        return {};
      case inspect::Change::count:
        next = placement::with_count(now, std::max(question.processes, 1U));
        break;
      case inspect::Change::more_on_host:
        if (host.empty() || host.find(',') != std::string::npos) {
          return fmt::format("'{}' is no name of a host", host);
        }
        next = placement::with_more(now, host, question.processes);
        break;
      case inspect::Change::leave_host:
        next = placement::without_host(now, host);
        if (next == now) {
          return fmt::format("it has no processes on host {}, but on {}", host, fmt::join(hosts_of(now), ", "));
        }
        break;
    }
    const bool changes = next != now;
    std::string why = changes ? config.why_not_changed(next) : std::string();
    if (why.empty()) {
      config.prepare_change(next);
      config.resize_request->ask(changes ? std::move(next) : placement::NextProcesses());
    }
    return why;
  }

  inspect::Stacks sample_stacks() const {
    if constexpr (!kThreadsCanBeHeld) {
      inspect::Stacks none;
      none.remarks.emplace_back("a job under ThreadSanitizer has no backtraces");
      return none;
    }
    RankSamples samples(job_.universe());
    take_samples(job_, program_, samples);
    inspect::Stacks stacks = group_samples(samples);
    if (samples.workers_missed != 0) {
      stacks.remarks.push_back(
          fmt::format("process {}: {} of its workers could not be stopped: there are no "
                      "backtraces of their ranks",
                      facts_.process, samples.workers_missed));
    }
    return stacks;
  }

  const runtime::Job& job_;
  const ImageProgram& program_;
  // Used by the server's thread only.
  RankCounterReader counters_;
  inspect::ProcessFacts facts_;
  const inspect::JobSocket socket_;
  const OpenSocket open_{socket_};
  const inspect::Descriptor stop_;
  pthread_t thread_{};
};

InspectionServer::InspectionServer(const runtime::Job& job, const ImageProgram& program, const JobName& name,
                                   bool verbose) {
  try {
    server_ = std::make_unique<Server>(job, program, facts_of(job, name));
  } catch (const std::exception& error) {
    if (verbose) {
      base::say(fmt::format("weftrun: weft ps does not see this job: {}\n", error.what()));
    }
  }
}

InspectionServer::~InspectionServer() = default;

}  // namespace weft::launch
