#include "tools/weft/stacks_text.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tools/weft/job_query.hpp"

namespace weft::tools::weft_tool {
namespace {

using inspect::Activity;
using inspect::RankRange;
using inspect::StackFrame;
using inspect::StackGroup;

// Sorts the ranges and joins neighbouring ones.
void join(std::vector<RankRange>& ranges) {
  std::ranges::sort(ranges);
  std::vector<RankRange> joined;
  for (const RankRange& range : ranges) {
    if (!joined.empty() && joined.back().second + 1 >= range.first) {
      joined.back().second = std::max(joined.back().second, range.second);
    } else {
      joined.push_back(range);
    }
  }
  ranges = std::move(joined);
}

void append(std::vector<RankRange>& to, const std::vector<RankRange>& from) {
  to.insert(to.end(), from.begin(), from.end());
  join(to);
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// "/home/me/a.c:120"; empty if unknown.
std::string line_of(const StackFrame& frame, const LinesOfFiles& lines) {
  const auto file = lines.find(frame.file);
  if (file == lines.end()) {
    return {};
  }
  const auto line = file->second.find(frame.address);
  return line == file->second.end() ? std::string() : line->second;
}

// The place of the program's innermost frame: "a.c:120", or what else is known of it.
std::string place_text(const StackGroup& group, const LinesOfFiles& lines) {
  const auto frame = std::ranges::find_if(group.frames, &StackFrame::is_program);
  if (frame == group.frames.end()) {
    return {};
  }
  if (const std::string line = line_of(*frame, lines); !line.empty()) {
    return " at " + file_name(line);
  }
  const std::string file = file_name(frame->file);
  return frame->function.empty() ? fmt::format(" at {}+{:#x}", file, frame->address)
                                 : fmt::format(" in {} ({})", frame->function, file);
}

std::string activity_text(const StackGroup& group, bool one) {
  const std::string in_call = group.call.empty() ? "" : " in " + group.call;
  const std::string last = group.last_call.empty() ? "" : fmt::format(" (last in {})", group.last_call);
  switch (group.activity) {
    case Activity::waits:
      return fmt::format("wait{}{}{}", one ? "s" : "", in_call, last);
    case Activity::ready:
      return fmt::format("could go on{}{}", in_call, last);
    case Activity::computes:
      return fmt::format("compute{}{}{}", one ? "s" : "", in_call, last);
    case Activity::blocked:
      return fmt::format("block{} {} worker{}{}", one ? "s" : "", one ? "its" : "their", in_call, last);
    case Activity::begins:
      return fmt::format("{} not begun", one ? "has" : "have");
    case Activity::moves:
      return fmt::format("move{}{}", one ? "s" : "", in_call);
    default:
      return fmt::format("{} on a worker that could not be stopped{}", one ? "is" : "are", last);
  }
}

// 9999 is "9,999".
std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

// "rank 3", "ranks 0-2,7"
std::string ranks_text(const std::vector<RankRange>& ranks) {
  return fmt::format("{} {}", count_of(ranks) == 1 ? "rank" : "ranks", ranges_text(ranks));
}

std::string waits_text(const StackGroup& group, bool full) {
  constexpr std::size_t kMostShown = 4;
  if (group.waits_for.size() == 1) {
    return group.waits_for.front().first;
  }
  const std::size_t shown = full ? group.waits_for.size() : std::min(group.waits_for.size(), kMostShown);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [what, ranks] = group.waits_for[i];
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", ranks_text(ranks), what);
  }
  const std::size_t left_out = group.waits_for.size() - shown;
  return left_out == 0 ? text : fmt::format("{}; {} more (--full)", text, left_out);
}

std::string unexpected_text(const StackGroup& group, bool one) {
  if (group.with_unexpected.empty()) {
    return "";
  }
  return one ? ", and has messages that it does not ask for"
             : fmt::format(", and {} {} messages that {} not ask for", ranks_text(group.with_unexpected),
                           count_of(group.with_unexpected) == 1 ? "has" : "have",
                           count_of(group.with_unexpected) == 1 ? "it does" : "they do");
}

std::string ranges_json(const std::vector<RankRange>& ranges) {
  std::string text;
  for (const auto& [first, last] : ranges) {
    text += fmt::format("{}[{}, {}]", text.empty() ? "" : ", ", first, last);
  }
  return "[" + text + "]";
}

}  // namespace

std::vector<StackGroup> merged(const std::vector<inspect::Stacks>& processes) {
  using Key = std::tuple<Activity, std::string, std::string, std::vector<StackFrame>>;
  std::map<Key, StackGroup> groups;
  for (const inspect::Stacks& process : processes) {
    for (const StackGroup& group : process.groups) {
      auto [at, is_new] = groups.try_emplace(Key{group.activity, group.call, group.last_call, group.frames}, group);
      if (is_new) {
        continue;
      }
      append(at->second.ranks, group.ranks);
      append(at->second.with_unexpected, group.with_unexpected);
      for (const auto& wait : group.waits_for) {
        const auto same = std::ranges::find(at->second.waits_for, wait.first, [](const auto& it) { return it.first; });
        if (same == at->second.waits_for.end()) {
          at->second.waits_for.push_back(wait);
        } else {
          append(same->second, wait.second);
        }
      }
    }
  }
  std::vector<StackGroup> all;
  for (auto& [key, group] : groups) {
    all.push_back(std::move(group));
  }
  std::ranges::stable_sort(all, [](const StackGroup& a, const StackGroup& b) {
    return std::pair(count_of(b.ranks), a.ranks.front()) < std::pair(count_of(a.ranks), b.ranks.front());
  });
  return all;
}

std::uint64_t count_of(const std::vector<RankRange>& ranges) {
  std::uint64_t count = 0;
  for (const auto& [first, last] : ranges) {
    count += last - first + 1;
  }
  return count;
}

std::string ranges_text(const std::vector<RankRange>& ranges) {
  std::string text;
  for (const auto& [first, last] : ranges) {
    text += text.empty() ? "" : ",";
    text += first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

std::string group_text(const StackGroup& group, const LinesOfFiles& lines, bool full) {
  const std::uint64_t count = count_of(group.ranks);
  const bool one = count == 1;
  std::string text = one ? fmt::format("rank {} ", group.ranks.front().first) : grouped(count) + " ranks ";
  text += activity_text(group, one) + place_text(group, lines);
  text += group.activity == Activity::ready ? ", but another rank has the worker" : "";
  if (const std::string waits = waits_text(group, full); !waits.empty()) {
    text += ", " + waits;
  }
  text += unexpected_text(group, one);
  text += one ? "\n" : fmt::format(": {}\n", ranges_text(group.ranks));
  for (std::size_t i = 0; full && i < group.frames.size(); ++i) {
    const StackFrame& frame = group.frames[i];
    const std::string line = line_of(frame, lines);
    text += fmt::format("  #{:<2} {} ({}){}\n", i,
                        frame.function.empty() ? fmt::format("{:#x}", frame.address) : frame.function,
                        file_name(frame.file), line.empty() ? "" : " at " + line);
  }
  return text;
}

std::string group_json(const StackGroup& group, const LinesOfFiles& lines) {
  std::string frames, waits;
  for (const StackFrame& frame : group.frames) {
    frames += fmt::format("{}{{\"function\": {}, \"file\": {}, \"line\": {}, \"program\": {}}}",
                          frames.empty() ? "" : ", ", json_text(frame.function), json_text(frame.file),
                          json_text(line_of(frame, lines)), frame.is_program);
  }
  for (const auto& [what, ranks] : group.waits_for) {
    waits += fmt::format("{}{{\"what\": {}, \"ranks\": {}}}", waits.empty() ? "" : ", ", json_text(what),
                         ranges_json(ranks));
  }
  return fmt::format(
      "{{\"activity\": \"{}\", \"call\": {}, \"last_call\": {}, \"count\": {}, \"ranks\": {}, \"waits_for\": [{}], "
      "\"unasked\": {}, \"frames\": [{}]}}",
      name_of(group.activity), json_text(group.call), json_text(group.last_call), count_of(group.ranks),
      ranges_json(group.ranks), waits, ranges_json(group.with_unexpected), frames);
}

}  // namespace weft::tools::weft_tool
