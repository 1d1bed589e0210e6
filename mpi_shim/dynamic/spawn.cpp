// MPI_Comm_spawn and MPI_Comm_spawn_multiple: the root asks the runtime for ranks and broadcasts the result.
#include <algorithm>
#include <bit>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"
#include "mpi_shim/comm/comm_failures.hpp"
#include "mpi_shim/comm/membership.hpp"
#include "mpi_shim/comm/peers.hpp"
#include "mpi_shim/comm/process_comms.hpp"
#include "mpi_shim/dynamic/parent_info.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/info/info.hpp"
#include "runtime/spawning/spawning.hpp"

using namespace weft::mpi_shim;
namespace runtime = weft::runtime;

namespace {

// One program of a call. Significant only at the root.
struct Command {
  const char* name;
  char** argv;  // null: none
  int maxprocs;
  MPI_Info info;
};

struct SpawnCall {
  std::vector<Command> commands;
  int root;
  MPI_Comm comm;
  MPI_Comm* intercomm;
  int* errcodes;
};

// The root broadcasts it, except `text`.
struct SpawnResult {
  int error = MPI_SUCCESS;
  std::string text;  // of the error; at the root only
  ParentInfo parent_info;
  std::vector<int> ranks;
  std::vector<int> errcodes;
};

bool parse(std::string_view text, int& value) {
  const auto begin = text.find_first_not_of(' ');
  const auto end = text.find_last_not_of(' ');
  if (begin == std::string_view::npos) {
    return false;
  }
  const char* const last = text.data() + end + 1;
  return std::from_chars(text.data() + begin, last, value).ptr == last;
}

// The numbers in the info value `soft` (a list of a, a:b and a:b:c) that are at most `maxprocs`, largest first. Nothing
// when it is not such a list.
std::optional<std::vector<std::uint32_t>> soft_counts(std::string_view soft, int maxprocs) {
  std::vector<std::uint32_t> numbers;
  for (const std::string_view triplet : weft::base::split_words(soft, ',')) {
    const auto parts = weft::base::split_words(triplet, ':');
    int first = 0, last = 0, step = 1;
    if (parts.empty() || parts.size() > 3 || !parse(parts[0], first) || (parts.size() > 1 && !parse(parts[1], last)) ||
        (parts.size() > 2 && !parse(parts[2], step)) || step == 0) {
      return std::nullopt;
    }
    last = parts.size() == 1 ? first : last;
    for (std::int64_t n = first; step > 0 ? n <= last && n <= maxprocs : n >= last && n >= 0; n += step) {
      if (n >= 0 && n <= maxprocs) {
        numbers.push_back(static_cast<std::uint32_t>(n));
      }
    }
  }
  std::ranges::sort(numbers, std::greater());
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers;
}

void set_error(SpawnResult& result, int error, std::string text) {
  result.error = error;
  result.text = std::move(text);
}

// The acceptable numbers of ranks for a program; empty after an error.
std::vector<std::uint32_t> counts_of(RankState& me, const Command& command, SpawnResult& result) {
  const Info* const info = find_info(me, command.info);
  const std::string* const soft = info == nullptr ? nullptr : info->find("soft");
  if (soft == nullptr) {
    return {static_cast<std::uint32_t>(command.maxprocs)};
  }
  auto numbers = soft_counts(*soft, command.maxprocs);
  if (!numbers) {
    set_error(result, MPI_ERR_INFO_VALUE, fmt::format("the info value soft is no list of numbers: {}", *soft));
  } else if (numbers->empty()) {
    set_error(result, MPI_ERR_SPAWN,
              fmt::format("the info value soft has no number up to {}: {}", command.maxprocs, *soft));
  }
  return std::move(numbers).value_or(std::vector<std::uint32_t>());
}

runtime::Application application_of(RankState& me, const Command& command) {
  runtime::Application application;
  application.program = command.name;
  application.arguments.emplace_back(command.name);
  for (char** argument = command.argv; argument != nullptr && *argument != nullptr; ++argument) {
    application.arguments.emplace_back(*argument);
  }
  if (const Info* const info = find_info(me, command.info); info != nullptr) {
    if (const std::string* const path = info->find("path"); path != nullptr) {
      for (const std::string_view folder : weft::base::split_words(*path, ':')) {
        application.folders.emplace_back(folder);
      }
    }
    if (const std::string* const folder = info->find("wdir"); folder != nullptr) {
      application.folders.push_back(*folder);
    }
  }
  return application;
}

// At the root: the request to the runtime. Without applications after an error.
runtime::SpawnRequest request_of(RankState& me, const SpawnCall& call, SpawnResult& result) {
  runtime::SpawnRequest request;
  for (const Command& command : call.commands) {
    if (command.name == nullptr || *command.name == '\0') {
      set_error(result, MPI_ERR_ARG, "a command has no name");
    } else if (command.maxprocs < 0) {
      set_error(result, MPI_ERR_ARG, fmt::format("maxprocs {} is negative", command.maxprocs));
    } else if (command.info != MPI_INFO_NULL && find_info(me, command.info) == nullptr) {
      set_error(result, MPI_ERR_INFO, "info is not an info object of this rank");
    } else {
      request.counts.push_back(counts_of(me, command, result));
    }
    if (result.error != MPI_SUCCESS) {
      return {};
    }
    request.applications.push_back(application_of(me, command));
    result.errcodes.resize(result.errcodes.size() + static_cast<std::size_t>(command.maxprocs), MPI_ERR_SPAWN);
  }
  if (result.errcodes.empty()) {
    set_error(result, MPI_ERR_SPAWN, "no rank is asked for");
    return {};
  }
  return request;
}

void record_started(const runtime::World& world, const SpawnCall& call, SpawnResult& result) {
  result.ranks.assign(world.ranks.begin(), world.ranks.end());
  auto code = result.errcodes.begin();
  for (std::size_t i = 0; i < call.commands.size(); ++i) {
    std::fill_n(code, world.applications[i].ranks, MPI_SUCCESS);
    code += call.commands[i].maxprocs;
  }
}

// At the root: suspends until the ranks start.
SpawnResult spawn_at_root(RankState& me, const Communicator& local, const SpawnCall& call) {
  SpawnResult result;
  runtime::SpawnRequest request = request_of(me, call, result);
  if (result.error != MPI_SUCCESS) {
    return result;
  }
  runtime::Job& job = me.rank->job;
  ContextNumbers& numbers = *process_comms(job).numbers();
  result.parent_info.world_context = numbers.take(job);
  result.parent_info.parent_context = numbers.take(job);
  for (int member = 0; member < local.size(); ++member) {
    result.parent_info.parents.push_back(local.shared->group->job_rank(member));
  }
  request.upper_layer_data = weft::pup::pack(result.parent_info);
  std::string failure;
  const auto world = runtime::Spawning::spawn(*me.rank, std::move(request), failure);
  if (world == nullptr) {
    set_error(result, MPI_ERR_SPAWN, std::move(failure));
  } else {
    record_started(*world, call, result);
  }
  return result;
}

void broadcast_result(RankState& me, const Communicator& local, int root, SpawnResult& result) {
  std::vector<int> ints;
  if (local.rank == root) {
    ints = {result.error, std::bit_cast<int>(result.parent_info.world_context),
            std::bit_cast<int>(result.parent_info.parent_context), static_cast<int>(result.ranks.size())};
    ints.insert(ints.end(), result.ranks.begin(), result.ranks.end());
    ints.insert(ints.end(), result.errcodes.begin(), result.errcodes.end());
  }
  broadcast_ints(Peers::within(me, local, kCommCreationTag), root, ints);
  if (local.rank != root) {
    result.error = ints[0];
    result.text = "the root could not spawn";
    result.parent_info.world_context = std::bit_cast<std::uint32_t>(ints[1]);
    result.parent_info.parent_context = std::bit_cast<std::uint32_t>(ints[2]);
    const auto codes = ints.begin() + 4 + ints[3];
    result.ranks.assign(ints.begin() + 4, codes);
    result.errcodes.assign(codes, ints.end());
  }
}

int spawn(const Entry& entry, const SpawnCall& call) {
  RankState& me = entry.me;
  const Communicator* const local = find_comm(me, call.comm);
  if (local == nullptr || call.intercomm == nullptr) {
    return local == nullptr ? entry.bad_comm(call.comm) : entry.null_argument(call.comm, "intercomm");
  }
  if (local->is_inter()) {
    return entry.raise(call.comm, MPI_ERR_COMM, "comm is an intercommunicator");
  }
  if (call.root < 0 || call.root >= local->size()) {
    return entry.raise(call.comm, MPI_ERR_ROOT, "root {} is not a rank of comm (0..{})", call.root, local->size() - 1);
  }
  *call.intercomm = MPI_COMM_NULL;
  require_no_failure(*local);
  SpawnResult result;
  if (local->rank == call.root) {
    result = spawn_at_root(me, *local, call);
  }
  broadcast_result(me, *local, call.root, result);
  if (call.errcodes != MPI_ERRCODES_IGNORE) {
    std::ranges::copy(result.errcodes, call.errcodes);
  }
  if (result.error != MPI_SUCCESS) {
    return entry.raise_text(call.comm, result.error, result.text);
  }
  *call.intercomm =
      add_comm(me, parents_side(me.rank->job, result.parent_info, local->shared->group, result.ranks), *local).handle;
  return MPI_SUCCESS;
}

int comm_spawn_multiple(const Entry& entry, int count, char* array_of_commands[], char** array_of_argv[],
                        const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm,
                        MPI_Comm* intercomm, int array_of_errcodes[]) {
  SpawnCall call{{}, root, comm, intercomm, array_of_errcodes};
  const Communicator* const local = find_comm(entry.me, comm);
  const bool is_root = local != nullptr && local->rank == root;
  for (int i = 0; is_root && i < count; ++i) {
    call.commands.push_back({array_of_commands[i], array_of_argv == MPI_ARGVS_NULL ? nullptr : array_of_argv[i],
                             array_of_maxprocs[i], array_of_info[i]});
  }
  return spawn(entry, call);
}

}  // namespace

#include "mpi_shim/generated/dynamic/spawn.inc"
