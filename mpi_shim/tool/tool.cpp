// MPI_T_init_thread, MPI_T_finalize, and the only enumeration.
#include "mpi_shim/tool/tool.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "mpi_shim/entry/thread_level.hpp"

namespace weft::mpi_shim {
inline namespace tool {

namespace {

// Starts to count the rank's messages in this process.
void count_messages(runtime::Rank& rank) {
  if (rank.traffic == nullptr) {
    rank.traffic = std::make_unique<runtime::Traffic>(rank.job.rank_count());
  }
}

}  // namespace

Tool::Tool(RankState& me) : migratable(me.rank->migratable ? 1 : 0) { count_messages(*me.rank); }

void ToolPart::pup(pup::Puper& p, RankState& me) {
  bool present = tool != nullptr;
  p | present;
  if (!present) {
    return;
  }
  if (p.unpacking()) {
    tool = std::make_unique<Tool>(me);
  }
  runtime::Traffic::Sent& total = me.rank->traffic->total;
  p | total.messages | total.bytes | tool->uses | tool->variables | tool->sessions | tool->counters | tool->migratable |
      tool->declared_load;
}

Tool* find_tool(const Entry& entry) {
  Tool* const tool = entry.me.part<ToolPart>().tool.get();
  return tool == nullptr || tool->uses == 0 ? nullptr : tool;
}

void copy_text_out(std::string_view text, char* out, int* length) {
  if (length == nullptr) {
    return;
  }
  if (out != nullptr && *length > 0) {
    const std::size_t copied = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(out, text.data(), copied);
    out[copied] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

}  // namespace tool
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

namespace {

constexpr std::array<std::string_view, 2> kAnswers{"no", "yes"};

int t_init_thread(const Entry& entry, int required, int* provided) {
  std::unique_ptr<Tool>& tool = entry.me.part<ToolPart>().tool;
  if (tool == nullptr) {
    tool = std::make_unique<Tool>(entry.me);
  }
  ++tool->uses;
  store_unless_null(provided, provide_threads(entry.me, required));
  return MPI_SUCCESS;
}

int t_finalize(const Entry&, Tool& tool) {
  if (--tool.uses == 0) {
    tool.variables = {};
    tool.sessions = {};
    tool.counters = {};
  }
  return MPI_SUCCESS;
}

int t_enum_get_info(const Entry&, MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  if (enumtype != kYesNo) {
    return MPI_T_ERR_INVALID_HANDLE;
  }
  store_unless_null(num, kAnswers.size());
  copy_text_out("weft_yes_no", name, name_len);
  return MPI_SUCCESS;
}

int t_enum_get_item(const Entry&, MPI_T_enum enumtype, int indx, int* value, char* name, int* name_len) {
  if (enumtype != kYesNo) {
    return MPI_T_ERR_INVALID_HANDLE;
  }
  if (indx < 0 || static_cast<std::size_t>(indx) >= kAnswers.size()) {
    return MPI_T_ERR_INVALID_ITEM;
  }
  store_unless_null(value, indx);
  copy_text_out(kAnswers[static_cast<std::size_t>(indx)], name, name_len);
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/tool/tool.inc"
