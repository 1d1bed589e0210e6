// The control variables of MPI_T: the job's settings, and values by which a rank steers the balancer.
#include <array>
#include <cstring>

#include "mpi_shim/tool/tool.hpp"

namespace weft::mpi_shim {
inline namespace tool {
namespace {

using runtime::JobConfig;

enum class Type : std::uint8_t { integer, size, real, text };

struct Variable {
  std::string_view name;
  std::string_view description;
  Type type;
  Category category;
  bool yes_no = false;
  int scope = MPI_T_SCOPE_CONSTANT;
  // Exactly one of number and text is set: the variable is a number or a string.
  double (*number)(RankState& me) = nullptr;
  const std::string& (*text)(const JobConfig& config) = nullptr;
  void (*write)(RankState& me, double value) = nullptr;
};

template <auto Field>
double of_job(RankState& me) {
  return static_cast<double>(me.rank->job.config().*Field);
}
template <auto Field>
const std::string& text_of_job(const JobConfig& config) {
  return config.*Field;
}

double workers(RankState& me) { return me.rank->job.total_workers(); }
double processes(RankState& me) { return me.rank->job.process_count(); }
double migratable(RankState& me) {
  Tool& tool = *me.part<ToolPart>().tool;
  if ((tool.migratable != 0) != me.rank->migratable) {  // AMPI_Set_migratable has changed it
    tool.migratable = me.rank->migratable ? 1 : 0;
  }
  return tool.migratable;
}
void set_migratable(RankState& me, double value) {
  me.part<ToolPart>().tool->migratable = static_cast<int>(value);
  me.rank->migratable = me.part<ToolPart>().tool->migratable != 0;
}
double declared_load(RankState& me) { return me.part<ToolPart>().tool->declared_load; }
void declare_load(RankState& me, double seconds) {
  me.part<ToolPart>().tool->declared_load = seconds;
  me.rank->load.declare(seconds);
}

constexpr std::array kVariables{
    Variable{.name = "WEFT_RANKS",
             .description = "Ranks of the job.",
             .type = Type::integer,
             .category = Category::weft,
             .number = &of_job<&JobConfig::ranks>},
    Variable{.name = "WEFT_WORKERS",
             .description = "Workers of all processes of the job.",
             .type = Type::integer,
             .category = Category::weft,
             .number = &workers},
    Variable{.name = "WEFT_PROCESSES",
             .description = "Processes of the job.",
             .type = Type::integer,
             .category = Category::weft,
             .number = &processes},
    Variable{.name = "WEFT_CHECK",
             .description = "Whether lost messages and leaked handles are named at the end.",
             .type = Type::integer,
             .category = Category::weft,
             .yes_no = true,
             .number = &of_job<&JobConfig::check>},
    Variable{.name = "WEFT_EAGER",
             .description = "Bytes; longer messages wait in the sender's buffer.",
             .type = Type::size,
             .category = Category::messages,
             .number = &of_job<&JobConfig::eager_bytes>},
    Variable{.name = "WEFT_SPIN",
             .description = "Microseconds that an idle worker polls before it sleeps.",
             .type = Type::integer,
             .category = Category::weft,
             .number = &of_job<&JobConfig::spin_us>},
    Variable{.name = "WEFT_TRACE",
             .description = "The file for the timeline; empty: none.",
             .type = Type::text,
             .category = Category::weft,
             .text = &text_of_job<&JobConfig::trace>},
    Variable{.name = "WEFT_LB",
             .description = "The strategy that decides where ranks go.",
             .type = Type::text,
             .category = Category::balancing,
             .text = &text_of_job<&JobConfig::lb>},
    Variable{.name = "WEFT_LB_PERIOD",
             .description = "Ranks are balanced at every so many MPI_Migrate.",
             .type = Type::integer,
             .category = Category::balancing,
             .number = &of_job<&JobConfig::lb_period>},
    Variable{.name = "WEFT_LB_WHEN",
             .description = "Which MPI_Migrate balances.",
             .type = Type::text,
             .category = Category::balancing,
             .text = &text_of_job<&JobConfig::lb_when>},
    Variable{.name = "WEFT_LB_MODEL",
             .description = "How loads are predicted.",
             .type = Type::text,
             .category = Category::balancing,
             .text = &text_of_job<&JobConfig::lb_model>},
    Variable{.name = "WEFT_LB_LINKS",
             .description = "What messages are taken to cost.",
             .type = Type::text,
             .category = Category::balancing,
             .text = &text_of_job<&JobConfig::lb_links>},
    Variable{.name = "WEFT_LOAD_CLOCK",
             .description = "What ranks' loads are measured by.",
             .type = Type::text,
             .category = Category::balancing,
             .text = &text_of_job<&JobConfig::load_clock>},
    Variable{.name = "WEFT_LB_CONTINUOUS",
             .description = "Whether idle workers get ranks at any MPI call.",
             .type = Type::integer,
             .category = Category::balancing,
             .yes_no = true,
             .number = &of_job<&JobConfig::lb_continuous>},
    Variable{.name = "WEFT_CHECKPOINT",
             .description = "The folder for checkpoints; empty: none.",
             .type = Type::text,
             .category = Category::weft,
             .text = &text_of_job<&JobConfig::checkpoint>},
    Variable{.name = "WEFT_CHECKPOINT_EVERY",
             .description = "A checkpoint at every so many MPI_Migrate; 0: never.",
             .type = Type::integer,
             .category = Category::weft,
             .number = &of_job<&JobConfig::checkpoint_every>},
    Variable{.name = "weft_migratable",
             .description = "Whether the balancer may move this rank; 0: it may not.",
             .type = Type::integer,
             .category = Category::balancing,
             .scope = MPI_T_SCOPE_LOCAL,
             .number = &migratable,
             .write = &set_migratable},
    Variable{.name = "weft_told_load",
             .description = "Seconds that the next balancing step takes for this rank's load instead of what it "
                            "measures; reads as last written.",
             .type = Type::real,
             .category = Category::balancing,
             .scope = MPI_T_SCOPE_LOCAL,
             .number = &declared_load,
             .write = &declare_load},
};

MPI_Datatype datatype_of(Type type) {
  switch (type) {
    case Type::integer:
      return MPI_INT;
    case Type::size:
      return MPI_UNSIGNED_LONG;
    case Type::real:
      return MPI_DOUBLE;
    case Type::text:
      return MPI_CHAR;
  }
  return MPI_DATATYPE_NULL;
}

template <typename T>
void store(void* buf, T value) {
  std::memcpy(buf, &value, sizeof value);
}
template <typename T>
T loaded(const void* buf) {
  T value;
  std::memcpy(&value, buf, sizeof value);
  return value;
}

void read(RankState& me, const Variable& variable, void* buf) {
  switch (variable.type) {
    case Type::integer:
      return store(buf, static_cast<int>(variable.number(me)));
    case Type::size:
      return store(buf, static_cast<unsigned long>(variable.number(me)));
    case Type::real:
      return store(buf, variable.number(me));
    case Type::text: {
      const std::string& text = variable.text(me.rank->job.config());
      std::memcpy(buf, text.c_str(), text.size() + 1);
    }
  }
}

// The variable of a live handle, or null.
const Variable* variable_of(const Tool& tool, MPI_T_cvar_handle handle) {
  const Tool::VariableHandle* const found = tool.variables.find(handle);
  return found == nullptr ? nullptr : &kVariables[found->index];
}

bool is_index(int index) { return index >= 0 && static_cast<std::size_t>(index) < kVariables.size(); }

int t_cvar_get_num(const Entry&, int* num_cvar) {
  *num_cvar = static_cast<int>(kVariables.size());
  return MPI_SUCCESS;
}

int t_cvar_get_info(const Entry&, int cvar_index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype,
                    MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* scope) {
  if (!is_index(cvar_index)) {
    return MPI_T_ERR_INVALID_INDEX;
  }
  const Variable& variable = kVariables[static_cast<std::size_t>(cvar_index)];
  copy_text_out(variable.name, name, name_len);
  copy_text_out(variable.description, desc, desc_len);
  store_unless_null(verbosity, variable.write != nullptr ? MPI_T_VERBOSITY_TUNER_BASIC : MPI_T_VERBOSITY_USER_BASIC);
  if (datatype != nullptr) {
    *datatype = datatype_of(variable.type);
  }
  if (enumtype != nullptr) {
    *enumtype = variable.yes_no ? kYesNo : MPI_T_ENUM_NULL;
  }
  store_unless_null(bind, MPI_T_BIND_NO_OBJECT);
  store_unless_null(scope, variable.scope);
  return MPI_SUCCESS;
}

int t_cvar_get_index(const Entry&, const char* name, int* cvar_index) {
  if (name == nullptr || cvar_index == nullptr) {
    return MPI_T_ERR_INVALID;
  }
  const std::size_t index = index_of(kVariables, name);
  if (index == kVariables.size()) {
    return MPI_T_ERR_INVALID_NAME;
  }
  *cvar_index = static_cast<int>(index);
  return MPI_SUCCESS;
}

int t_cvar_handle_alloc(const Entry& entry, Tool& tool, int cvar_index, void* /*obj_handle*/, MPI_T_cvar_handle* handle,
                        int* count) {
  if (!is_index(cvar_index)) {
    return MPI_T_ERR_INVALID_INDEX;
  }
  if (handle == nullptr || count == nullptr) {
    return MPI_T_ERR_INVALID;
  }
  const auto index = static_cast<std::uint32_t>(cvar_index);
  *handle = tool.variables.add<MPI_T_cvar_handle>(std::make_unique<Tool::VariableHandle>(Tool::VariableHandle{index}));
  const Variable& variable = kVariables[index];
  *count = variable.text == nullptr ? 1 : static_cast<int>(variable.text(entry.me.rank->job.config()).size()) + 1;
  return MPI_SUCCESS;
}

int t_cvar_handle_free(const Entry&, Tool& tool, MPI_T_cvar_handle* handle) {
  if (handle == nullptr || tool.variables.find(*handle) == nullptr) {
    return MPI_T_ERR_INVALID_HANDLE;
  }
  tool.variables.remove(*handle);
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int t_cvar_read(const Entry& entry, Tool& tool, MPI_T_cvar_handle handle, void* buf) {
  const Variable* const variable = variable_of(tool, handle);
  if (variable == nullptr || buf == nullptr) {
    return variable == nullptr ? MPI_T_ERR_INVALID_HANDLE : MPI_T_ERR_INVALID;
  }
  read(entry.me, *variable, buf);
  return MPI_SUCCESS;
}

int t_cvar_write(const Entry& entry, Tool& tool, MPI_T_cvar_handle handle, const void* buf) {
  const Variable* const variable = variable_of(tool, handle);
  if (variable == nullptr || buf == nullptr) {
    return variable == nullptr ? MPI_T_ERR_INVALID_HANDLE : MPI_T_ERR_INVALID;
  }
  if (variable->write == nullptr) {
    return MPI_T_ERR_CVAR_SET_NEVER;
  }
  variable->write(entry.me, variable->type == Type::real ? loaded<double>(buf) : loaded<int>(buf));
  return MPI_SUCCESS;
}

}  // namespace

std::size_t control_variable_count() { return kVariables.size(); }
std::size_t category_of_control_variable(std::size_t index) {
  return static_cast<std::size_t>(kVariables[index].category);
}

}  // namespace tool
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/tool/control_variables.inc"
