// The control messages that spawn ranks, in the order in which they are sent (spawning.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pup/pup.hpp"
#include "runtime/control/control_message.hpp"
#include "runtime/setup/world.hpp"

namespace weft::runtime {
inline namespace spawning {

struct SpawnRequest {
  std::vector<Application> applications;           // without their numbers of ranks
  std::vector<std::vector<std::uint32_t>> counts;  // by application: acceptable numbers of ranks, the best first
  std::vector<std::byte> upper_layer_data;         // World::upper_layer_data

  void pup(pup::Puper& p) { p | applications | counts | upper_layer_data; }
};

// To the coordinator.
struct SpawnAsked {
  static constexpr ControlKind kKind = ControlKind::spawn_request;
  std::uint32_t rank = 0;    // that asks
  std::uint32_t serial = 0;  // among the requests of its process
  SpawnRequest request;
  void pup(pup::Puper& p) { p | rank | serial | request; }
};

// From the coordinator to all: announces the ranks that are to start.
struct SpawnWorld {
  static constexpr ControlKind kKind = ControlKind::spawn_world;
  World world;
  void pup(pup::Puper& p) { p | world; }
};

// To the coordinator: in the sender the ranks of that world can be sent to, or cannot.
struct SpawnReady {
  static constexpr ControlKind kKind = ControlKind::spawn_ready;
  std::string failure;  // why they cannot; empty: they can
  void pup(pup::Puper& p) { p | failure; }
};

// From the coordinator to all: the outcome of a request.
struct SpawnStart {
  static constexpr ControlKind kKind = ControlKind::spawn_start;
  std::uint32_t rank = 0;  // that asked
  std::string failure;     // why nothing starts; empty: the announced world starts
  void pup(pup::Puper& p) { p | rank | failure; }
};

// To the coordinator: a spawned rank has ended, and its number is free.
struct SpawnNumberFree {
  static constexpr ControlKind kKind = ControlKind::spawn_number_free;
  std::uint32_t rank = 0;
  int exit_code = 0;  // its lower eight bits, which the system keeps
  void pup(pup::Puper& p) { p | rank | exit_code; }
};

}  // namespace spawning
}  // namespace weft::runtime
