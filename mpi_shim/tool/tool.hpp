// The tool information interface (MPI_T) of a rank: its handles and variables.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace tool {

// The MPI_T state of a rank, from its first MPI_T_init_thread on.
struct Tool {
  struct VariableHandle {
    std::uint32_t index = 0;  // of the control variable
    void pup(pup::Puper& p) { p | index; }
  };
  struct PerformanceSession {
    bool open = true;
    void pup(pup::Puper& p) { p | open; }
  };
  // A handle of a performance variable, and what it has counted while it was started.
  struct Counter {
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    std::uint32_t index = 0;  // of the performance variable
    bool running = false;
    double value = 0;     // what was counted up to the last stop, or written; counts below 2^53 are exact
    double at_start = 0;  // the variable's value at the last start
    void pup(pup::Puper& p) {
      p | index | running | value | at_start;
      pup::same_address(p, handle);
      pup::same_address(p, session);
    }
  };

  explicit Tool(RankState& me);

  std::uint32_t uses = 0;  // MPI_T_init_thread less MPI_T_finalize
  HandleTable<VariableHandle, HandleKind::tool_variable> variables;
  HandleTable<PerformanceSession, HandleKind::tool_session> sessions;
  HandleTable<Counter, HandleKind::tool_counter> counters;
  int migratable = 1;        // as the program has written it
  double declared_load = 0;  // seconds; control variable weft_told_load
};

// What this module keeps for a rank: null until MPI_T is first initialized.
struct ToolPart final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::tool;
  std::unique_ptr<Tool> tool;

  void pup(pup::Puper& p, RankState& me) override;
};

// Null if MPI_T is not initialized. Calls of MPI_T never call an error handler.
Tool* find_tool(const Entry& entry);

// Stores a string as MPI_T specifies: at most `*length` characters with the terminating null; then sets `*length` to
// the length that the whole string needs.
void copy_text_out(std::string_view text, char* out, int* length);
// Stores a result; the program passes null for results that it does not want.
template <typename T, typename Value>
void store_unless_null(T* out, Value value) {
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
