// The performance variable calls of MPI_T, with sessions and handles.
#include <cstring>
#include <vector>

#include "mpi_shim/tool/performance_variables.hpp"

using namespace weft::mpi_shim;

namespace {

const PerformanceVariable& variable_of(const Tool::Counter& counter) { return performance_variables()[counter.index]; }

double value_now(RankState& me, const Tool::Counter& counter) {
  const PerformanceVariable& variable = variable_of(counter);
  if (variable.is_level()) {
    return variable.now(me);
  }
  return counter.value + (counter.running ? variable.now(me) - counter.at_start : 0);
}

void set_value(RankState& me, Tool::Counter& counter, double value) {
  counter.value = value;
  counter.at_start = counter.running ? variable_of(counter).now(me) : 0;
}

void start(RankState& me, Tool::Counter& counter) {
  if (!counter.running) {
    counter.at_start = variable_of(counter).now(me);
    counter.running = true;
  }
}

void stop(RankState& me, Tool::Counter& counter) {
  counter.value = value_now(me, counter);
  counter.running = false;
}

void reset(RankState& me, Tool::Counter& counter) { set_value(me, counter, 0); }

void store_value(const Tool::Counter& counter, double value, void* buf) {
  if (variable_of(counter).datatype() == MPI_DOUBLE) {
    std::memcpy(buf, &value, sizeof value);
  } else {
    const auto whole = static_cast<unsigned long>(value);
    std::memcpy(buf, &whole, sizeof whole);
  }
}

// The session and the handle of a call, checked.
struct CheckedHandle {
  CheckedHandle(const Entry& entry, MPI_T_pvar_session session, MPI_T_pvar_handle handle) : tool(find_tool(entry)) {
    if (tool == nullptr) {
      error = MPI_T_ERR_NOT_INITIALIZED;
    } else if (tool->sessions.find(session) == nullptr) {
      error = MPI_T_ERR_INVALID_SESSION;
    } else if (handle != MPI_T_PVAR_ALL_HANDLES) {
      counter = tool->counters.find(handle);
      if (counter == nullptr || counter->session != session) {
        error = MPI_T_ERR_INVALID_HANDLE;
      }
    }
  }
  // The error of a call that does not accept MPI_T_PVAR_ALL_HANDLES.
  int error_for_one() const { return error == MPI_SUCCESS && counter == nullptr ? MPI_T_ERR_INVALID_HANDLE : error; }

  Tool* tool;
  Tool::Counter* counter = nullptr;  // null: all of the session
  int error = MPI_SUCCESS;
};

// Applies the action to one handle, or to all handles of the session that are not levels. `refusal` is the error for a
// single handle that is a level.
int apply(const Entry& entry, MPI_T_pvar_session session, MPI_T_pvar_handle handle,
          void (*action)(RankState&, Tool::Counter&), int refusal) {
  const CheckedHandle checked(entry, session, handle);
  if (checked.error != MPI_SUCCESS) {
    return checked.error;
  }
  if (checked.counter != nullptr) {
    if (variable_of(*checked.counter).is_level()) {
      return refusal;
    }
    action(entry.me, *checked.counter);
    return MPI_SUCCESS;
  }
  checked.tool->counters.for_each([&](Tool::Counter& counter) {
    if (counter.session == session && !variable_of(counter).is_level()) {
      action(entry.me, counter);
    }
  });
  return MPI_SUCCESS;
}

bool is_index(int index) { return index >= 0 && static_cast<std::size_t>(index) < performance_variable_count(); }

int t_pvar_get_num(const Entry&, int* num_pvar) {
  *num_pvar = static_cast<int>(performance_variable_count());
  return MPI_SUCCESS;
}

int t_pvar_get_info(const Entry&, int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
                    MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* readonly,
                    int* continuous, int* atomic) {
  if (!is_index(pvar_index)) {
    return MPI_T_ERR_INVALID_INDEX;
  }
  const PerformanceVariable& variable = performance_variables()[static_cast<std::size_t>(pvar_index)];
  copy_text_out(variable.name, name, name_len);
  copy_text_out(variable.description, desc, desc_len);
  store_unless_null(verbosity, MPI_T_VERBOSITY_USER_BASIC);
  store_unless_null(var_class, variable.of_class);
  if (datatype != nullptr) {
    *datatype = variable.datatype();
  }
  if (enumtype != nullptr) {
    *enumtype = MPI_T_ENUM_NULL;
  }
  store_unless_null(bind, MPI_T_BIND_NO_OBJECT);
  store_unless_null(readonly, variable.is_level());
  store_unless_null(continuous, variable.is_level());
  store_unless_null(atomic, !variable.is_level());
  return MPI_SUCCESS;
}

int t_pvar_get_index(const Entry&, const char* name, int var_class, int* pvar_index) {
  if (name == nullptr || pvar_index == nullptr) {
    return MPI_T_ERR_INVALID;
  }
  const auto variables = performance_variables();
  const std::size_t index = index_of(variables, name);
  if (index == variables.size() || variables[index].of_class != var_class) {
    return MPI_T_ERR_INVALID_NAME;
  }
  *pvar_index = static_cast<int>(index);
  return MPI_SUCCESS;
}

int t_pvar_session_create(const Entry& entry, MPI_T_pvar_session* session) {
  Tool* const tool = find_tool(entry);
  if (tool == nullptr || session == nullptr) {
    return tool == nullptr ? MPI_T_ERR_NOT_INITIALIZED : MPI_T_ERR_INVALID;
  }
  *session = tool->sessions.add<MPI_T_pvar_session>(std::make_unique<Tool::PerformanceSession>());
  return MPI_SUCCESS;
}

int t_pvar_session_free(const Entry&, Tool& tool, MPI_T_pvar_session* session) {
  if (session == nullptr || tool.sessions.find(*session) == nullptr) {
    return MPI_T_ERR_INVALID_SESSION;
  }
  std::vector<MPI_T_pvar_handle> handles;
  tool.counters.for_each([&](const Tool::Counter& counter) {
    if (counter.session == *session) {
      handles.push_back(counter.handle);
    }
  });
  for (const MPI_T_pvar_handle handle : handles) {
    tool.counters.remove(handle);
  }
  tool.sessions.remove(*session);
  *session = MPI_T_PVAR_SESSION_NULL;
  return MPI_SUCCESS;
}

int t_pvar_handle_alloc(const Entry&, Tool& tool, MPI_T_pvar_session session, int pvar_index, void* /*obj_handle*/,
                        MPI_T_pvar_handle* handle, int* count) {
  if (tool.sessions.find(session) == nullptr) {
    return MPI_T_ERR_INVALID_SESSION;
  }
  if (!is_index(pvar_index)) {
    return MPI_T_ERR_INVALID_INDEX;
  }
  if (handle == nullptr || count == nullptr) {
    return MPI_T_ERR_INVALID;
  }
  auto counter = std::make_unique<Tool::Counter>();
  counter->session = session;
  counter->index = static_cast<std::uint32_t>(pvar_index);
  Tool::Counter& placed = *counter;
  *handle = placed.handle = tool.counters.add<MPI_T_pvar_handle>(std::move(counter));
  *count = 1;
  return MPI_SUCCESS;
}

int t_pvar_handle_free(const Entry& entry, MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  const CheckedHandle checked(entry, session, handle == nullptr ? MPI_T_PVAR_HANDLE_NULL : *handle);
  if (const int error = checked.error_for_one(); error != MPI_SUCCESS) {
    return error;
  }
  checked.tool->counters.remove(*handle);
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return MPI_SUCCESS;
}

int t_pvar_read(const Entry& entry, MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  const CheckedHandle checked(entry, session, handle);
  if (const int error = checked.error_for_one(); error != MPI_SUCCESS) {
    return error;
  }
  if (buf == nullptr) {
    return MPI_T_ERR_INVALID;
  }
  store_value(*checked.counter, value_now(entry.me, *checked.counter), buf);
  return MPI_SUCCESS;
}

int t_pvar_readreset(const Entry& entry, MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  const CheckedHandle checked(entry, session, handle);
  if (const int error = checked.error_for_one(); error != MPI_SUCCESS) {
    return error;
  }
  if (variable_of(*checked.counter).is_level()) {
    return MPI_T_ERR_PVAR_NO_ATOMIC;
  }
  if (buf == nullptr) {
    return MPI_T_ERR_INVALID;
  }
  store_value(*checked.counter, value_now(entry.me, *checked.counter), buf);
  reset(entry.me, *checked.counter);
  return MPI_SUCCESS;
}

int t_pvar_write(const Entry& entry, MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf) {
  const CheckedHandle checked(entry, session, handle);
  if (const int error = checked.error_for_one(); error != MPI_SUCCESS) {
    return error;
  }
  if (variable_of(*checked.counter).is_level()) {
    return MPI_T_ERR_PVAR_NO_WRITE;
  }
  if (buf == nullptr) {
    return MPI_T_ERR_INVALID;
  }
  double value = 0;
  if (variable_of(*checked.counter).datatype() == MPI_DOUBLE) {
    std::memcpy(&value, buf, sizeof value);
  } else {
    unsigned long whole = 0;
    std::memcpy(&whole, buf, sizeof whole);
    value = static_cast<double>(whole);
  }
  set_value(entry.me, *checked.counter, value);
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/tool/performance_calls.inc"
