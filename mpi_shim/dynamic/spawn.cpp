// MPI_Comm_spawn and MPI_Comm_spawn_multiple: the root asks the runtime for ranks and tells the others the outcome.
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
#include "mpi_shim/dynamic/origin.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/info/info.hpp"
#include "runtime/spawning/spawning.hpp"

using namespace weft::mpi_shim;
namespace runtime = weft::runtime;

namespace {

// One program of a call; what counts at the root only.
struct Command {
  const char* name;
  char** argv;  // null: none
  int most;
  MPI_Info info;
};

struct Call {
  std::vector<Command> commands;
  int root;
  MPI_Comm comm;
  MPI_Comm* intercomm;
  int* errcodes;
};

// What the root broadcasts.
struct News {
  int error = MPI_SUCCESS;
  std::string text;  // of the error, the root's alone
  Origin origin;
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

// The numbers that a list of a, a:b and a:b:c names, at most `most`, the largest first; nothing if it is none.
std::optional<std::vector<std::uint32_t>> numbers_in(std::string_view soft, int most) {
  std::vector<std::uint32_t> numbers;
  for (const std::string_view triplet : weft::base::split_words(soft, ',')) {
    const auto parts = weft::base::split_words(triplet, ':');
    int first = 0, last = 0, step = 1;
    if (parts.empty() || parts.size() > 3 || !parse(parts[0], first) || (parts.size() > 1 && !parse(parts[1], last)) ||
        (parts.size() > 2 && !parse(parts[2], step)) || step == 0) {
      return std::nullopt;
    }
    last = parts.size() == 1 ? first : last;
    for (std::int64_t n = first; step > 0 ? n <= last && n <= most : n >= last && n >= 0; n += step) {
      if (n >= 0 && n <= most) {
        numbers.push_back(static_cast<std::uint32_t>(n));
      }
    }
  }
  std::ranges::sort(numbers, std::greater());
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers;
}

void refuse(News& news, int error, std::string text) {
  news.error = error;
  news.text = std::move(text);
}

// The numbers of ranks that will do for a program; empty if the call is refused.
std::vector<std::uint32_t> counts_of(RankState& me, const Command& command, News& news) {
  const Info* const info = find_info(me, command.info);
  const std::string* const soft = info == nullptr ? nullptr : info->find("soft");
  if (soft == nullptr) {
    return {static_cast<std::uint32_t>(command.most)};
  }
  auto numbers = numbers_in(*soft, command.most);
  if (!numbers) {
    refuse(news, MPI_ERR_INFO_VALUE, fmt::format("the info value soft is no list of numbers: {}", *soft));
  } else if (numbers->empty()) {
    refuse(news, MPI_ERR_SPAWN, fmt::format("the info value soft has no number up to {}: {}", command.most, *soft));
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

// At the root: what to ask for. Without applications the call is refused.
runtime::SpawnRequest request_of(RankState& me, const Call& call, News& news) {
  runtime::SpawnRequest request;
  for (const Command& command : call.commands) {
    if (command.name == nullptr || *command.name == '\0') {
      refuse(news, MPI_ERR_ARG, "a command has no name");
    } else if (command.most < 0) {
      refuse(news, MPI_ERR_ARG, fmt::format("maxprocs {} is negative", command.most));
    } else if (command.info != MPI_INFO_NULL && find_info(me, command.info) == nullptr) {
      refuse(news, MPI_ERR_INFO, "info is not an info object of this rank");
    } else {
      request.counts.push_back(counts_of(me, command, news));
    }
    if (news.error != MPI_SUCCESS) {
      return {};
    }
    request.applications.push_back(application_of(me, command));
    news.errcodes.resize(news.errcodes.size() + static_cast<std::size_t>(command.most), MPI_ERR_SPAWN);
  }
  if (news.errcodes.empty()) {
    refuse(news, MPI_ERR_SPAWN, "no rank is asked for");
    return {};
  }
  return request;
}

void note_started(const runtime::World& world, const Call& call, News& news) {
  news.ranks.assign(world.ranks.begin(), world.ranks.end());
  auto code = news.errcodes.begin();
  for (std::size_t i = 0; i < call.commands.size(); ++i) {
    std::fill_n(code, world.applications[i].ranks, MPI_SUCCESS);
    code += call.commands[i].most;
  }
}

// At the root: suspends until the ranks start.
News ask(RankState& me, const Communicator& local, const Call& call) {
  News news;
  runtime::SpawnRequest request = request_of(me, call, news);
  if (news.error != MPI_SUCCESS) {
    return news;
  }
  runtime::Job& job = me.rank->job;
  ContextNumbers& numbers = *process_comms(job).numbers();
  news.origin.world_context = numbers.take(job);
  news.origin.parent_context = numbers.take(job);
  for (int member = 0; member < local.size(); ++member) {
    news.origin.parents.push_back(local.shared->group->world_rank(member));
  }
  request.upper_layer_data = weft::pup::pack(news.origin);
  std::string failure;
  const auto world = runtime::Spawning::spawn(*me.rank, std::move(request), failure);
  if (world == nullptr) {
    refuse(news, MPI_ERR_SPAWN, std::move(failure));
  } else {
    note_started(*world, call, news);
  }
  return news;
}

void share(RankState& me, const Communicator& local, int root, News& news) {
  std::vector<int> ints;
  if (local.rank == root) {
    ints = {news.error, std::bit_cast<int>(news.origin.world_context), std::bit_cast<int>(news.origin.parent_context),
            static_cast<int>(news.ranks.size())};
    ints.insert(ints.end(), news.ranks.begin(), news.ranks.end());
    ints.insert(ints.end(), news.errcodes.begin(), news.errcodes.end());
  }
  share_ints(Peers::within(me, local, kBirthTag), root, ints);
  if (local.rank != root) {
    news.error = ints[0];
    news.text = "the root could not spawn";
    news.origin.world_context = std::bit_cast<std::uint32_t>(ints[1]);
    news.origin.parent_context = std::bit_cast<std::uint32_t>(ints[2]);
    const auto codes = ints.begin() + 4 + ints[3];
    news.ranks.assign(ints.begin() + 4, codes);
    news.errcodes.assign(codes, ints.end());
  }
}

int spawn(const Entry& entry, const Call& call) {
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
  News news;
  if (local->rank == call.root) {
    news = ask(me, *local, call);
  }
  share(me, *local, call.root, news);
  if (call.errcodes != MPI_ERRCODES_IGNORE) {
    std::ranges::copy(news.errcodes, call.errcodes);
  }
  if (news.error != MPI_SUCCESS) {
    return entry.raise_text(call.comm, news.error, news.text);
  }
  *call.intercomm = adopt(me, parents_side(me.rank->job, news.origin, local->shared->group, news.ranks), *local).handle;
  return MPI_SUCCESS;
}

int comm_spawn_multiple(const Entry& entry, int count, char* array_of_commands[], char** array_of_argv[],
                        const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm,
                        MPI_Comm* intercomm, int array_of_errcodes[]) {
  Call call{{}, root, comm, intercomm, array_of_errcodes};
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
