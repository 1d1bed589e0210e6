// The tool information interface (MPI_T) of a rank: its handles, and the variables that it offers.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace tool {

// A rank's, from its first MPI_T_init_thread on.
struct Tool {
  struct VariableHandle {
    std::uint32_t index = 0;  // of the control variable
    void pup(pup::Puper& p) { p | index; }
  };
  struct PerformanceSession {
    bool open = true;
    void pup(pup::Puper& p) { p | open; }
  };
  // What it has counted while it was started.
  struct Counter {
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    std::uint32_t index = 0;  // of the performance variable
    bool running = false;
    double value = 0;     // up to the last start or stop; counts below 2^53 are exact
    double at_start = 0;  // the variable's then
    void pup(pup::Puper& p) {
      p | index | running | value | at_start;
      pup::same_address(p, handle);
      pup::same_address(p, session);
    }
  };

  explicit Tool(RankState& me);

  std::uint32_t uses = 0;  // MPI_T_init_thread less MPI_T_finalize
  HandleTable<VariableHandle, Kind::tool_variable> variables;
  HandleTable<PerformanceSession, Kind::tool_session> sessions;
  HandleTable<Counter, Kind::tool_counter> counters;
  int migratable = 1;    // as the program has written it
  double told_load = 0;  // seconds
};

// A rank's part of the state: null until MPI_T is first initialized.
struct ToolPart final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::tool;
  std::unique_ptr<Tool> tool;

  void pup(pup::Puper& p, RankState& me) override;
};

// MPI_T's own: null when MPI_T is not initialized. No call of MPI_T calls an error handler.
Tool* find_tool(const Entry& entry);

// Gives `text` by MPI_T's rule: as much as `*length` has room for, ended by a null; and how much it needs.
void give_text(std::string_view text, char* out, int* length);
// What out arguments that the program does not want are: null.
template <typename T, typename Value>
void give(T* out, Value value) {
  if (out != nullptr) {
    *out = static_cast<T>(value);
  }
}
// The first of `items` with this name, or items.size().
template <typename Items>
std::size_t index_of(const Items& items, std::string_view name) {
  std::size_t i = 0;
  while (i < items.size() && items[i].name != name) {
    ++i;
  }
  return i;
}

// How many variables of each kind there are.
std::size_t control_variable_count();
std::size_t performance_variable_count();
// The category of each, by its number.
std::size_t category_of_control_variable(std::size_t index);
std::size_t category_of_performance_variable(std::size_t index);

// The one enumeration: no 0, yes 1.
inline const MPI_T_enum kYesNo = reinterpret_cast<MPI_T_enum>(std::uintptr_t{1});

enum class Category : std::size_t { weft, messages, balancing, work };

}  // namespace tool
}  // namespace weft::mpi_shim
