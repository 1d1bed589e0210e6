#include "launch/rank_stacks.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "launch/code_owner.hpp"
#include "launch/source_lines.hpp"
#include "runtime/image/describe.hpp"
#include "runtime/p2p/request.hpp"

namespace weft::launch {
namespace {

using inspect::Activity;
using inspect::StackFrame;
using inspect::StackGroup;

// A code address that is the same in all ranks: an offset in a loaded file, or an address of code that ranks share.
struct ImageLocation {
  const char* file = nullptr;  // null: code that all ranks share
  std::uint64_t address = 0;
  auto operator<=>(const ImageLocation&) const = default;
};

ImageLocation image_location(std::uint64_t address) {
  const CodeLocation location = code_location(address);
  return location.file == nullptr ? ImageLocation{nullptr, address} : ImageLocation{location.file, location.address};
}

struct KnownFrame {
  StackFrame frame;
  CodeOwner owner = CodeOwner::system;
  bool is_internal = false;
};

// The function's name; empty where there is none. image::describe() returns "main+0x1f (solver)", or for code without a
// name "solver+0x1f" or "0x1234".
std::string function_of(std::uint64_t address, std::string_view file) {
  std::array<char, 512> text{};
  const std::string_view all = image::describe(reinterpret_cast<const void*>(address), text.data(), text.size());
  const std::string_view name = all.substr(0, std::min(all.rfind("+0x"), all.size()));
  const bool is_name = all.find("+0x") != std::string_view::npos && name != file.substr(file.rfind('/') + 1);
  return is_name ? std::string(name) : std::string();
}

KnownFrame describe_frame(std::uint64_t address) {
  const CodeLocation location = code_location(address);
  KnownFrame known{.frame = {}, .owner = code_owner(location, address)};
  Dl_info host = {};
  if (location.file != nullptr) {
    known.frame.file = location.file;
    known.frame.address = location.address;
  } else if (::dladdr(reinterpret_cast<const void*>(address), &host) != 0 && host.dli_fname != nullptr) {
    known.frame.file = host.dli_fname;
    known.frame.address = address - reinterpret_cast<std::uint64_t>(host.dli_fbase);
  }
  known.frame.function = function_of(address, known.frame.file);
  known.frame.is_program = known.owner == CodeOwner::program;
  const bool is_ours = known.owner == CodeOwner::runtime || known.owner == CodeOwner::rank_library;
  known.is_internal = is_ours && (known.frame.function.empty() || is_internal_name(known.frame.function));
  return known;
}

// The function that "MPI_Recv" calls is "PMPI_Recv": users know it by the former name.
std::string_view name_of_call(std::string_view function) {
  return function.starts_with("PMPI_") ? function.substr(1) : function;
}

bool is_mpi(std::string_view call) {
  return call.size() > 4 && std::ranges::equal(call.substr(0, 4), std::string_view("mpi_"), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         });
}

// Whether the call waits for messages of the program itself, whose tags the user knows.
bool is_about_messages(std::string_view call) {
  std::string lower(call);
  std::ranges::transform(lower, lower.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 4> kWords{"send", "recv", "wait", "probe"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

std::string text_of(const WaitSample& wait, std::string_view call) {
  if (wait.kind != WaitSample::Kind::everybody && !is_about_messages(call)) {
    return {};
  }
  const std::string tag = wait.tag == runtime::kAnyTag ? "any tag" : fmt::format("tag {}", wait.tag);
  switch (wait.kind) {
    case WaitSample::Kind::message:
      return wait.peer == runtime::kAnySource ? fmt::format("from any source, {}", tag)
                                              : fmt::format("from rank {}, {}", wait.peer, tag);
    case WaitSample::Kind::send:
      return fmt::format("to rank {}, {}", wait.peer, tag);
    case WaitSample::Kind::everybody:
      return wait.others == 0 ? "for the other ranks of its communicator"
                              : fmt::format("for all {} ranks of its communicator", wait.others + 1);
    default:
      return {};
  }
}

void add_rank(std::vector<inspect::RankRange>& ranges, std::uint32_t rank) {
  if (!ranges.empty() && ranges.back().second + 1 == rank) {
    ranges.back().second = rank;
  } else {
    ranges.emplace_back(rank, rank);
  }
}

class Grouping {
 public:
  void add(const RankSample& sample) {
    StackGroup& group = group_of(sample);
    add_rank(group.ranks, sample.rank);
    if (std::string text = text_of(sample.wait, group.call); !text.empty()) {
      add_wait(group, text, sample.rank);
    }
    if (sample.has_unexpected && is_about_messages(group.call)) {
      add_rank(group.with_unexpected, sample.rank);
    }
  }

  std::vector<StackGroup> take() {
    std::vector<StackGroup> groups;
    for (auto& [key, group] : groups_) {
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  using RawKey = std::pair<std::pair<Activity, const char*>, std::vector<ImageLocation>>;
  using Key = std::tuple<Activity, std::string, std::string, std::vector<StackFrame>>;

  static void add_wait(StackGroup& group, const std::string& text, std::uint32_t rank) {
    constexpr std::size_t kMostTexts = 64;
    const auto found = std::ranges::find(group.waits_for, text, &decltype(group.waits_for)::value_type::first);
    if (found != group.waits_for.end()) {
      add_rank(found->second, rank);
    } else if (group.waits_for.size() < kMostTexts) {
      group.waits_for.push_back({text, {{rank, rank}}});
    }
  }

  // Few stacks differ from each other: each one is described once.
  StackGroup& group_of(const RankSample& sample) {
    RawKey raw{{sample.activity, sample.call}, {}};
    for (const std::uint64_t address : sample.frames) {
      raw.second.push_back(image_location(address));
    }
    StackGroup*& known = raw_[raw];
    if (known == nullptr) {
      StackGroup group = described(sample);
      Key key{group.activity, group.call, group.last_call, group.frames};
      known = &groups_.try_emplace(std::move(key), std::move(group)).first->second;
    }
    return *known;
  }

  const KnownFrame& frame_at(std::uint64_t address) {
    const ImageLocation location = image_location(address);
    const auto found = frames_.find(location);
    return found != frames_.end() ? found->second : frames_.emplace(location, describe_frame(address)).first->second;
  }

  StackGroup described(const RankSample& sample) {
    std::vector<const KnownFrame*> frames;
    for (const std::uint64_t address : sample.frames) {
      frames.push_back(&frame_at(address));
    }
    StackGroup group;
    group.activity = sample.activity;
    const std::string_view last = sample.call == nullptr ? "" : sample.call;
    const auto is_program = [](const KnownFrame* frame) { return frame->owner == CodeOwner::program; };
    const auto innermost = std::ranges::find_if(frames, is_program);
    const auto outermost = std::find_if(frames.rbegin(), frames.rend(), is_program).base();
    if (innermost == frames.end()) {
      const bool has_begun = sample.frames.empty() || last != "main";
      group.activity = has_begun ? group.activity : Activity::begins;
      group.call = has_begun && is_mpi(last) ? last : "";
      return group;
    }
    // The function that the program has called: of the frames inside of it the nearest one that is not internal.
    auto first = innermost;
    for (auto at = innermost; at != frames.begin() && first == innermost;) {
      first = (*--at)->is_internal ? first : at;
    }
    if (first != innermost) {
      group.call = name_of_call((*first)->frame.function);
      group.call = is_mpi(last) && is_mpi(group.call) ? std::string(last) : group.call;  // not mpi_recv_
    }
    group.last_call = !is_mpi(group.call) && is_mpi(last) ? last : "";
    for (auto at = first; at != outermost; ++at) {
      if (!(*at)->is_internal) {
        group.frames.push_back((*at)->frame);
        group.frames.back().address = is_program(*at) ? (*at)->frame.address : 0;
      }
    }
    return group;
  }

  std::map<RawKey, StackGroup*> raw_;
  std::map<Key, StackGroup> groups_;
  std::map<ImageLocation, KnownFrame> frames_;
};

}  // namespace

inspect::Stacks group_samples(const RankSamples& samples) {
  Grouping grouping;
  for (const RankSample& sample : samples.ranks) {
    grouping.add(sample);
  }
  inspect::Stacks stacks;
  stacks.groups = grouping.take();
  stacks.ended = samples.ended;
  return stacks;
}

}  // namespace weft::launch
