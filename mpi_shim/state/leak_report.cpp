#include "mpi_shim/state/leak_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mpi_shim/datatype/datatype_f90.hpp"

namespace weft::mpi_shim {

namespace {

void add_messages(RankState& me, std::vector<std::string>& lines) {
  me.rank->mailbox.for_each_unexpected([&](const runtime::Envelope& message) {
    lines.push_back(fmt::format("a message of {} bytes from rank {} of {}, tag {}, was never received", message.bytes(),
                                message.key.source, me.rank->job.client()->context_name(*me.rank, message.key.context),
                                message.key.tag));
  });
}

void add_comms(RankState& me, std::vector<std::string>& lines) {
  me.comms.for_each([&](const Communicator& comm) {
    if (comm.handle != me.parent) {
      lines.push_back(fmt::format("{} was never freed", describe(comm)));
    }
  });
}

void add_datatypes(RankState& me, std::vector<std::string>& lines) {
  me.datatypes.for_each([&](const std::shared_ptr<Datatype>& type) {
    if (is_f90(type->recipe())) {
      return;
    }
    lines.push_back(fmt::format("datatype {}of {} bytes was never freed", type->name.empty() ? "" : type->name + " ",
                                type->size()));
  });
}

void add_count(std::size_t live, const char* what, std::vector<std::string>& lines) {
  if (live > 0) {
    lines.push_back(fmt::format("{} {}{} never freed", live, what, live == 1 ? " was" : "s were"));
  }
}

}  // namespace

std::vector<std::string> leftovers(RankState& me) {
  std::vector<std::string> lines;
  add_messages(me, lines);
  for (std::string& line : leaked_requests(me)) {
    lines.push_back(std::move(line));
  }
  add_comms(me, lines);
  add_datatypes(me, lines);
  add_count(me.windows.live(), "window", lines);
  add_count(me.groups.live(), "group", lines);
  add_count(me.ops.live(), "operation", lines);
  add_count(me.errhandlers.live(), "error handler", lines);
  add_count(me.infos.live(), "info object", lines);
  add_count(me.sessions.live(), "session", lines);
  return lines;
}

namespace {

// "rank 3" or "ranks 0-3, 7"
std::string name_ranks(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) {
      ++end;
    }
    text += (i == 0 ? " " : ", ") + std::to_string(ranks[i]);
    if (end > i + 1) {
      text += "-" + std::to_string(ranks[end - 1]);
    }
    i = end;
  }
  return text;
}

}  // namespace

void LeftoverReport::add(int rank, const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::ranges::find(lines, lines[i]) - lines.begin() < static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    const auto equal = std::ranges::count(lines, lines[i]);
    const std::string line = equal == 1 ? lines[i] : fmt::format("{} ({} of these)", lines[i], equal);
    const std::pair place(rank, i);
    ranks_of_[line].push_back(rank);
    const auto [at, is_new] = place_of_.try_emplace(line, place);
    at->second = is_new ? place : std::min(at->second, place);
  }
}

std::string LeftoverReport::take() {
  std::map<std::pair<int, std::size_t>, std::string> sorted;
  for (const auto& [line, ranks] : ranks_of_) {
    sorted[place_of_.at(line)] = fmt::format("weft: {}: {}\n", name_ranks(ranks), line);
  }
  std::string text;
  for (const auto& [place, line] : sorted) {
    text += line;
  }
  ranks_of_.clear();
  place_of_.clear();
  return text;
}

}  // namespace weft::mpi_shim
