// A job process that only communicates with its launcher: bootstrap_job [--launch HOSTS] [--agent COMMAND] scenario ...
// With --launch it starts itself under the embedded launcher.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "runtime/bootstrap/addresses.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/bootstrap/host_proxy.hpp"
#include "runtime/bootstrap/hosts.hpp"
#include "runtime/bootstrap/launcher.hpp"
#include "runtime/bootstrap/process_locations.hpp"
#include "runtime/bootstrap/start.hpp"

namespace {

using weft::ProcessId;
using weft::bootstrap::Bootstrap;
using Words = std::vector<std::string>;

void expect(bool holds, const std::string& what) {
  if (!holds) {
    throw std::runtime_error("FAILED: " + what);
  }
}

std::uint32_t me(const Bootstrap& job) { return number(job.process()); }

// Any bytes, among them 0 and ends of line; differs by process and round.
std::string value_of(std::uint32_t process, std::uint32_t round, std::size_t bytes) {
  std::string value(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) {
    value[i] = static_cast<char>(i * 7 + std::size_t{process} * 13 + std::size_t{round} * 31);
  }
  return value;
}

template <typename Function>
bool throws(Function&& function) {
  try {
    function();
  } catch (const std::runtime_error&) {
    return true;
  }
  return false;
}

void exchange(Bootstrap& job) {
  constexpr std::size_t kSizes[] = {0, 1, 255, 3000, 70000};
  for (std::uint32_t round = 0; round < 3; ++round) {
    const auto key = "value " + std::to_string(round);
    for (const auto bytes : kSizes) {
      job.put(key + "=" + std::to_string(bytes), value_of(me(job), round, bytes));
    }
    job.fence();
    for (const auto bytes : kSizes) {
      const auto sized_key = key + "=" + std::to_string(bytes);
      const std::vector<std::string> all = job.get_all(sized_key);
      expect(all.size() == job.processes(), "a value of each process");
      for (std::uint32_t of = 0; of < job.processes(); ++of) {
        const std::string what =
            "the value of process " + std::to_string(of) + " of " + std::to_string(bytes) + " bytes";
        expect(job.get(ProcessId{of}, sized_key) == value_of(of, round, bytes), what);
        expect(all[of] == value_of(of, round, bytes), what + " among all");
      }
    }
  }
  expect(throws([&] { job.get(ProcessId{0}, "nobody put this"); }), "an error for a key that nobody has put");
  if (me(job) == 0) {
    job.put("one has put this", "value");
  }
  job.fence();
  if (job.processes() > 1) {
    expect(throws([&] { job.get_all("one has put this"); }), "an error for a key that not all have put");
  }
  expect(job.get(ProcessId{0}, "one has put this") == "value", "the value after that error");
}

void look_around(Bootstrap& job) {
  const auto place = weft::bootstrap::locate_processes(job);
  expect(place.host_of.size() == job.processes(), "a host for each process");
  expect(place.local_index < place.local_count && place.share_index < place.share_count, "indices below counts");
  const auto given = weft::bootstrap::share_workers(job, 2 * job.processes() + 1, 1);
  expect(given.total == 2 * job.processes() + 1 && given.workers == (me(job) == 0 ? 3U : 2U), "workers spread");
  expect(given.first == (me(job) == 0 ? 0 : 2 * me(job) + 1), "the first worker's number");
  const auto own = weft::bootstrap::share_workers(job, {}, me(job) + 1);
  expect(own.workers == me(job) + 1 && own.first == me(job) * (me(job) + 1) / 2, "workers counted");
  rlimit stack{};
  ::getrlimit(RLIMIT_STACK, &stack);
  std::cout << "process " + std::to_string(me(job)) + " of " + std::to_string(job.processes()) + ", local " +
                   std::to_string(place.local_index) + " of " + std::to_string(place.local_count) + ", host " +
                   std::to_string(place.host) + " of " + std::to_string(place.hosts) + ", addresses " +
                   (weft::bootstrap::addresses_are_fixed() ? "fixed" : "random") + ", stack " +
                   std::to_string(stack.rlim_cur >> 20) + " MiB, code at " +
                   std::to_string(reinterpret_cast<std::uintptr_t>(&std::strtol)) + "\n"
            << std::flush;
}

// die WHO exit|signal|abort NUMBER WHEN: one process ends early, the others wait forever.
int die(Bootstrap& job, const Words& words) {
  const auto who = static_cast<std::uint32_t>(std::stoul(words.at(0)));
  const int number = std::stoi(words.at(2));
  job.announce_ranks(std::to_string(4 * me(job)) + "-" + std::to_string(4 * me(job) + 3));
  if (words.at(3) != "first") {
    job.fence();
  }
  if (me(job) == who) {
    if (words.at(1) == "exit") {
      ::_exit(number);
    }
    if (words.at(1) == "signal") {
      ::signal(number, SIG_DFL);  // sanitizers have handlers of their own
      ::kill(::getpid(), number);
      ::sleep(60);
    }
    std::cerr << "process " + std::to_string(who) + " aborts\n";
    job.abort(number);
    return number;
  }
  if (words.at(3) == "fence") {
    job.fence();
  }
  if (words.at(3) == "deaf") {
    ::signal(SIGTERM, SIG_IGN);
  }
  ::sleep(60);
  return 99;
}

// input [first|last]: all processes read, or the first one does, or the last one.
int count_input(Bootstrap& job, const Words& words) {
  std::string line;
  int lines = 0;
  const std::string who = words.size() < 2 ? "all" : words[1];
  const bool reads = who == "all" || me(job) == (who == "first" ? 0 : job.processes() - 1);
  while (reads && std::getline(std::cin, line)) {
    ++lines;
  }
  std::cout << "process " + std::to_string(me(job)) + " read " + std::to_string(lines) + " lines\n" << std::flush;
  job.fence();
  return 0;
}

int play(Bootstrap& job, const Words& words) {
  expect(!weft::bootstrap::is_launched(), "nothing of the launcher left in the environment");
  const auto& scenario = words.at(0);
  if (scenario == "exchange") {
    exchange(job);
    look_around(job);
  } else if (scenario == "die") {
    return die(job, {words.begin() + 1, words.end()});
  } else if (scenario == "code") {
    return static_cast<int>(me(job)) + std::stoi(words.at(1));
  } else if (scenario == "wait") {
    job.fence();
    std::cout << "waiting\n" << std::flush;
    ::sleep(60);
  } else if (scenario == "leaves_child") {
    job.fence();
    if (::fork() == 0) {
      ::close(STDOUT_FILENO);  // else who reads the output waits for the child
      ::close(STDERR_FILENO);
      ::sleep(60);
      ::_exit(0);
    }
  } else if (scenario == "input") {
    return count_input(job, words);
  } else {
    throw std::runtime_error("no scenario " + scenario);
  }
  return 0;
}

int run(std::span<const char* const> arguments) {
  Words words(arguments.begin(), arguments.end());
  weft::bootstrap::LauncherConfig config;
  bool starts = false;
  while (words.size() > 1 && words[0].starts_with("--")) {
    if (words[0] == "--agent") {
      config.agent = words[1];
    } else {
      Words hosts;
      for (const auto host : weft::base::split_words(words[1], ',')) {
        hosts.emplace_back(host);
      }
      config.hosts = weft::bootstrap::spread_over_hosts(hosts, 0);
      starts = true;
    }
    words.erase(words.begin(), words.begin() + 2);
  }
  if (starts && !weft::bootstrap::is_launched()) {
    config.command = weft::bootstrap::same_command(arguments);
    return weft::bootstrap::launch(config);
  }
  const auto job = weft::bootstrap::connect();
  const int code = play(*job, words);
  job->finish();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<const char* const> arguments(argv + 1, argv + argc);
  try {
    if (weft::bootstrap::is_host_proxy()) {
      return weft::bootstrap::run_host_proxy(arguments);
    }
    if (weft::bootstrap::is_launched()) {
      weft::bootstrap::fix_addresses(arguments);
    }
    return run(arguments);
  } catch (const std::exception& error) {
    std::cerr << std::string(error.what()) + "\n";
    return 70;
  }
}
