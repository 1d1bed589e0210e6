#include "sim/recorded_streams.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "sim/loops.hpp"
#include "sim/recorded_channels.hpp"

namespace weft::sim {
namespace {

std::string_view bytes_of(const auto& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof elements[0]};
}

// Ranks whose actions and channels are alike share a template.
class TemplateList {
 public:
  explicit TemplateList(Workload& workload) : workload_(workload) {}

  std::uint32_t add(const std::vector<Action>& actions, const std::vector<Channel>& channels, std::uint32_t requests) {
    const auto [at, is_new] =
        known_.try_emplace(fmt::format("{} {} {}{}", channels.size(), requests, bytes_of(channels), bytes_of(actions)),
                           static_cast<std::uint32_t>(workload_.templates.size()));
    if (is_new) {
      workload_.templates.push_back({.first_action = workload_.actions.size(),
                                     .first_channel = workload_.channels.size(),
                                     .actions = static_cast<std::uint32_t>(actions.size()),
                                     .channels = static_cast<std::uint32_t>(channels.size()),
                                     .requests = requests});
      workload_.actions.insert(workload_.actions.end(), actions.begin(), actions.end());
      workload_.channels.insert(workload_.channels.end(), channels.begin(), channels.end());
    }
    return at->second;
  }

 private:
  Workload& workload_;
  std::unordered_map<std::string, std::uint32_t> known_;
};

}  // namespace

void add_streams(Workload& workload, std::vector<RecordedProgram> programs) {
  RecordedChannels channels;
  for (std::uint32_t rank = 0; rank < programs.size(); ++rank) {
    channels.note(rank, programs[rank]);
  }
  TemplateList templates(workload);
  for (std::uint32_t rank = 0; rank < programs.size(); ++rank) {
    RecordedProgram program = std::move(programs[rank]);
    const std::vector<Channel> joined = channels.join(rank, program);
    std::vector<Action> actions = fold_loops(program.actions);
    actions.push_back({.kind = ActionKind::stop});
    workload.streams.push_back({.pattern = templates.add(actions, joined, program.requests),
                                .values = static_cast<std::uint32_t>(program.values.size()),
                                .first_value = workload.values.size()});
    workload.values.insert(workload.values.end(), program.values.begin(), program.values.end());
  }
}

}  // namespace weft::sim
