// Control messages: what the processes of a job send each other besides the messages between ranks.
//
// A message is a struct with a pup() and its kind:
//
//   struct RankInstalled {
//     static constexpr ControlKind kKind = ControlKind::rank_installed;
//     std::uint32_t rank = 0;
//     void pup(pup::Puper& p) { p | rank; }
//   };
//
// The part of the runtime that handles it lists it in its ControlMessages<...> and has an overload of on() for it.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/ids.hpp"
#include "pup/pup.hpp"

namespace weft::runtime {
inline namespace control {

enum class ControlKind : std::uint8_t {
  // The balancing step: lbstep/step_messages.hpp.
  step_arrival,
  step_plan,
  flush_marker,
  migration_image,
  rank_installed,
  moves_done,
  checkpoint_part,
  step_over,
  all_restored,
  disable_request,
  disable_steps,
  prediction_note,
  // A hierarchical balancing step: lbstep/tree_messages.hpp.
  tree_begun,
  tree_received,
  tree_summary,
  tree_host_summary,
  tree_host_targets,
  tree_migrants_of_host,
  tree_placements,
  tree_targets,
  tree_migrants,
  tree_sums,
  tree_history,
  // What messages between processes cost: lbstep/link_probe.hpp.
  link_measure,
  link_ping,
  link_pong,
  link_measured,
  links_known,
  // Spawned ranks: spawning/spawn_messages.hpp.
  spawn_request,
  spawn_world,
  spawn_ready,
  spawn_start,
  spawn_number_free,
  // The end of the job: termination/termination_messages.hpp.
  ranks_ended,
  all_ended,
  process_idle,
  idle_query,
  report_query,
  deadlock_part,
  // The timeline, after the end: job/job.cpp.
  timeline_part,
};
constexpr ControlKind kLastControlKind = ControlKind::timeline_part;

// Which part of the runtime handles a kind.
enum class ControlPart : std::uint8_t { step, spawning, termination, timeline };
constexpr std::size_t kControlParts = 4;

struct ControlKindInfo {
  ControlKind kind;
  std::string_view name;
  ControlPart part;
  // Whether termination counts the message as sent and received (Cluster::sent(), received()) when it looks for
  // messages under way. Those of the search itself do not count: they would make every round look like work.
  bool counted;
};

// One line for each kind, in the order of their declaration.
constexpr std::array kControlKinds{
    ControlKindInfo{ControlKind::step_arrival, "step_arrival", ControlPart::step, true},
    ControlKindInfo{ControlKind::step_plan, "step_plan", ControlPart::step, true},
    ControlKindInfo{ControlKind::flush_marker, "flush_marker", ControlPart::step, true},
    ControlKindInfo{ControlKind::migration_image, "migration_image", ControlPart::step, true},
    ControlKindInfo{ControlKind::rank_installed, "rank_installed", ControlPart::step, true},
    ControlKindInfo{ControlKind::moves_done, "moves_done", ControlPart::step, true},
    ControlKindInfo{ControlKind::checkpoint_part, "checkpoint_part", ControlPart::step, true},
    ControlKindInfo{ControlKind::step_over, "step_over", ControlPart::step, true},
    ControlKindInfo{ControlKind::all_restored, "all_restored", ControlPart::step, true},
    ControlKindInfo{ControlKind::disable_request, "disable_request", ControlPart::step, true},
    ControlKindInfo{ControlKind::disable_steps, "disable_steps", ControlPart::step, true},
    ControlKindInfo{ControlKind::prediction_note, "prediction_note", ControlPart::step, true},
    ControlKindInfo{ControlKind::tree_begun, "tree_begun", ControlPart::step, true},
    ControlKindInfo{ControlKind::tree_received, "tree_received", ControlPart::step, true},
    ControlKindInfo{ControlKind::tree_summary, "tree_summary", ControlPart::step, true},
    ControlKindInfo{ControlKind::tree_host_summary, "tree_host_summary", ControlPart::step, true},
    ControlKindInfo{ControlKind::tree_host_targets, "tree_host_targets", ControlPart::step, true},
    ControlKindInfo{ControlKind::tree_migrants_of_host, "tree_migrants_of_host", ControlPart::step, true},
    ControlKindInfo{ControlKind::tree_placements, "tree_placements", ControlPart::step, true},
    ControlKindInfo{ControlKind::tree_targets, "tree_targets", ControlPart::step, true},
    ControlKindInfo{ControlKind::tree_migrants, "tree_migrants", ControlPart::step, true},
    ControlKindInfo{ControlKind::tree_sums, "tree_sums", ControlPart::step, true},
    ControlKindInfo{ControlKind::tree_history, "tree_history", ControlPart::step, true},
    ControlKindInfo{ControlKind::link_measure, "link_measure", ControlPart::step, true},
    ControlKindInfo{ControlKind::link_ping, "link_ping", ControlPart::step, true},
    ControlKindInfo{ControlKind::link_pong, "link_pong", ControlPart::step, true},
    ControlKindInfo{ControlKind::link_measured, "link_measured", ControlPart::step, true},
    ControlKindInfo{ControlKind::links_known, "links_known", ControlPart::step, true},
    ControlKindInfo{ControlKind::spawn_request, "spawn_request", ControlPart::spawning, true},
    ControlKindInfo{ControlKind::spawn_world, "spawn_world", ControlPart::spawning, true},
    ControlKindInfo{ControlKind::spawn_ready, "spawn_ready", ControlPart::spawning, true},
    ControlKindInfo{ControlKind::spawn_start, "spawn_start", ControlPart::spawning, true},
    ControlKindInfo{ControlKind::spawn_number_free, "spawn_number_free", ControlPart::spawning, true},
    ControlKindInfo{ControlKind::ranks_ended, "ranks_ended", ControlPart::termination, false},
    ControlKindInfo{ControlKind::all_ended, "all_ended", ControlPart::termination, false},
    ControlKindInfo{ControlKind::process_idle, "process_idle", ControlPart::termination, false},
    ControlKindInfo{ControlKind::idle_query, "idle_query", ControlPart::termination, false},
    ControlKindInfo{ControlKind::report_query, "report_query", ControlPart::termination, false},
    ControlKindInfo{ControlKind::deadlock_part, "deadlock_part", ControlPart::termination, false},
    ControlKindInfo{ControlKind::timeline_part, "timeline_part", ControlPart::timeline, false},
};

constexpr const ControlKindInfo& info_of(ControlKind kind) { return kControlKinds[static_cast<std::size_t>(kind)]; }

// Whether each kind has its line in kControlKinds.
constexpr bool control_kinds_are_complete() {
  for (std::size_t k = 0; k < kControlKinds.size(); ++k) {
    if (static_cast<std::size_t>(kControlKinds[k].kind) != k) {
      return false;
    }
  }
  return kControlKinds.back().kind == kLastControlKind;
}
static_assert(control_kinds_are_complete(), "a kind of control messages has no line in kControlKinds, or two");

// A message that consists of bytes only, which are sent and handled in place.
template <typename Message>
concept RawControlMessage = requires(Message& message) {
  { message.bytes } -> std::same_as<std::span<const std::byte>&>;
};

// What a handler gets: the bytes that another process sent, or the message itself where its own process sent it.
class ControlBody {
 public:
  // Borrows `bytes`.
  explicit ControlBody(std::span<const std::byte> bytes) : bytes_(bytes) {}
  // Borrows `message`, of the type that has its kind.
  static ControlBody of(void* message) { return ControlBody(message); }

  // To be called once: it moves the message's vectors and strings.
  template <typename Message>
  Message take() const {
    if (message_ != nullptr) {
      return std::move(*static_cast<Message*>(message_));
    }
    if constexpr (RawControlMessage<Message>) {
      return {.bytes = bytes_};
    } else {
      Message message;
      pup::unpack(bytes_, message);
      return message;
    }
  }

 private:
  explicit ControlBody(void* message) : message_(message) {}

  std::span<const std::byte> bytes_;
  void* message_ = nullptr;
};

// The messages that one part of the runtime handles.
template <typename... Messages>
struct ControlMessages {
  // These and those of another list.
  template <typename Others>
  using With = typename Others::template After<Messages...>;
  template <typename... First>
  using After = ControlMessages<First..., Messages...>;

  static constexpr bool has(ControlKind kind) { return ((Messages::kKind == kind) || ...); }
  // Whether these are all kinds of the part, and no others.
  static constexpr bool are_all_of(ControlPart part) {
    return std::all_of(kControlKinds.begin(), kControlKinds.end(),
                       [part](const ControlKindInfo& info) { return (info.part == part) == has(info.kind); });
  }
  // Calls handler(message), with the message's own type: a type without an overload does not compile.
  template <typename Handler>
  static void dispatch(ControlKind kind, const ControlBody& body, Handler&& handler) {
    const bool handled = ((Messages::kKind == kind && (handler(body.take<Messages>()), true)) || ...);
    base::check(handled, info_of(kind).name);
  }
};

}  // namespace control
}  // namespace weft::runtime
