// MPI_Win_get_group, MPI_Win_set_attr, MPI_Win_shared_query and other calls that query a window or set its properties;
// MPI_Win_attach.
#include <cstring>

#include "mpi_shim/attribute/attribute_callbacks.hpp"
#include "mpi_shim/attribute/keyval.hpp"
#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/info/info.hpp"
#include "mpi_shim/rma/window.hpp"

namespace weft::mpi_shim::rma {

namespace {

// The hints that the standard defines, with their default values.
std::vector<std::pair<std::string, std::string>> known_hints(const Window& window) {
  std::vector<std::pair<std::string, std::string>> hints{{"no_locks", "false"},
                                                         {"accumulate_ordering", "rar,raw,war,waw"},
                                                         {"accumulate_ops", "same_op_no_op"},
                                                         {"mpi_accumulate_granularity", "0"},
                                                         {"same_size", "false"},
                                                         {"same_disp_unit", "false"}};
  if (window.values->flavor == MPI_WIN_FLAVOR_ALLOCATE || window.values->flavor == MPI_WIN_FLAVOR_SHARED) {
    hints.emplace_back("alloc_shared_noncontig", "false");
  }
  return hints;
}

Info info_of(const Window& window) {
  Info info{known_hints(window)};
  for (const auto& [key, value] : window.hints) {
    info.set(key, value);
  }
  return info;
}

int set_info(const Entry& entry, Window& window, MPI_Info info) {
  const Info* const hints = find_info(entry.me, info);
  if (hints == nullptr && info != MPI_INFO_NULL) {
    return raise(entry, window, MPI_ERR_INFO, "info is not an info object");
  }
  Info all{window.hints};
  all.merge(hints);
  window.hints = std::move(all.pairs);
  return MPI_SUCCESS;
}

bool is_keyval(RankState& me, int number) {
  const Keyval* const keyval = me.part<Keyvals>().find(number);
  return keyval != nullptr && keyval->object == Keyval::Object::window;
}

int bad_keyval(const Entry& entry, const Window& window, int number) {
  return raise(entry, window, MPI_ERR_KEYVAL, "keyval {} is not a key value of windows that can be changed", number);
}

int set_attr(const Entry& entry, Window& window, int number, void* value) {
  if (!is_keyval(entry.me, number) || entry.me.part<Keyvals>().find(number)->freed) {
    return bad_keyval(entry, window, number);
  }
  const int error = set_attribute(entry.me, handle_value(window.handle), window.attributes, number, value);
  return error == MPI_SUCCESS ? error : raise(entry, window, error, "the delete function failed with {}", error);
}

int delete_attr(const Entry& entry, Window& window, int number) {
  void* stored = nullptr;
  if (!is_keyval(entry.me, number) || !get_attribute(window.attributes, number, &stored)) {
    return bad_keyval(entry, window, number);
  }
  const int error = delete_attribute(entry.me, handle_value(window.handle), window.attributes, number);
  return error == MPI_SUCCESS ? error : raise(entry, window, error, "the delete function failed with {}", error);
}

// False if the key value is not a predefined one.
bool predefined_attribute(const Window& window, int number, void*& value) {
  WindowValues& values = *window.values;
  switch (number) {
    case MPI_WIN_BASE:
      value = values.base;
      return true;
    case MPI_WIN_SIZE:
      value = &values.size;
      return true;
    case MPI_WIN_DISP_UNIT:
      value = &values.disp_unit;
      return true;
    case MPI_WIN_CREATE_FLAVOR:
      value = &values.flavor;
      return true;
    case MPI_WIN_MODEL:
      value = &values.model;
      return true;
    default:
      return false;
  }
}

int get_attr(const Entry& entry, const Window& window, int number, void* value, int* flag) {
  if (value == nullptr || flag == nullptr) {
    return null_argument(entry, window, flag == nullptr ? "flag" : "attribute_val");
  }
  void* stored = nullptr;
  bool found = predefined_attribute(window, number, stored);
  if (!found && !is_keyval(entry.me, number)) {
    return raise(entry, window, MPI_ERR_KEYVAL, "keyval {} is not a key value of windows", number);
  }
  found = found || get_attribute(window.attributes, number, &stored);
  *flag = found ? 1 : 0;
  if (found) {
    std::memcpy(value, &stored, sizeof stored);
  }
  return MPI_SUCCESS;
}

int set_errhandler(const Entry& entry, Window& window, MPI_Errhandler handler) {
  if (!is_handler_for(entry.me, handler, Errhandler::Object::window)) {
    return raise(entry, window, MPI_ERR_ERRHANDLER, "errhandler is not an error handler of windows");
  }
  replace_errhandler(entry.me, window.errhandler, handler);
  return MPI_SUCCESS;
}

int attach(const Entry& entry, Window& window, const void* base, MPI_Aint size) {
  if (window.values->flavor != MPI_WIN_FLAVOR_DYNAMIC) {
    return raise(entry, window, MPI_ERR_RMA_FLAVOR, "the window was not made by MPI_Win_create_dynamic");
  }
  if (size < 0) {
    return raise(entry, window, MPI_ERR_SIZE, "size {} is negative", size);
  }
  if ((base == nullptr || base == MPI_IN_PLACE) && size > 0) {
    return raise(entry, window, MPI_ERR_BASE, "base is a null pointer or MPI_IN_PLACE, with size {}", size);
  }
  const auto bytes = static_cast<std::size_t>(size);
  if (size > 0 && !window.exposure->attach(reinterpret_cast<std::uintptr_t>(base), bytes)) {
    return raise(entry, window, MPI_ERR_RMA_ATTACH, "some of the {} bytes are attached already", size);
  }
  return MPI_SUCCESS;
}

int detach(const Entry& entry, Window& window, const void* base) {
  if (window.values->flavor != MPI_WIN_FLAVOR_DYNAMIC) {
    return raise(entry, window, MPI_ERR_RMA_FLAVOR, "the window was not made by MPI_Win_create_dynamic");
  }
  window.exposure->detach(reinterpret_cast<std::uintptr_t>(base));  // nothing was attached where the size was 0
  return MPI_SUCCESS;
}

int win_get_group(const Entry& entry, Window& window, MPI_Group* group) {
  *group = new_group(entry.me, window.shared->group);
  return MPI_SUCCESS;
}

int win_set_name(const Entry&, Window& window, const char* win_name) {
  window.name.assign(win_name, strnlen(win_name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}

int win_get_name(const Entry& entry, MPI_Win win, char* win_name, int* resultlen) {
  // The standard gives MPI_WIN_NULL a name, though it is no window.
  const Window* const window = find_window(entry.me, win);
  if ((window == nullptr && win != MPI_WIN_NULL) || win_name == nullptr || resultlen == nullptr) {
    return window == nullptr ? bad_window(entry, win) : null_argument(entry, *window, "win_name or resultlen");
  }
  const std::string name = window == nullptr ? "MPI_WIN_NULL" : window->name;
  std::memcpy(win_name, name.c_str(), name.size() + 1);
  *resultlen = static_cast<int>(name.size());
  return MPI_SUCCESS;
}

int win_get_info(const Entry& entry, Window& window, MPI_Info* info_used) {
  *info_used = new_info(entry.me, info_of(window));
  return MPI_SUCCESS;
}

int win_get_errhandler(const Entry& entry, Window& window, MPI_Errhandler* errhandler) {
  *errhandler = hold_errhandler(entry.me, window.errhandler);
  return MPI_SUCCESS;
}

int win_call_errhandler(const Entry& entry, Window& window, int errorcode) {
  raise_text(entry, window, errorcode, "the program raised this error");
  return MPI_SUCCESS;
}

// Where the calling rank can load from a member's memory; size 0 if it cannot. MPI_PROC_NULL means the first member
// with a size above 0, whether or not the caller can load from it. disp_unit is an MPI_Aint in the large-count form.
template <typename Unit>
int win_shared_query(const Entry& entry, const Window& window, int rank, MPI_Aint* size, Unit* disp_unit,
                     void* baseptr) {
  if (rank != MPI_PROC_NULL && (rank < 0 || rank >= window.size())) {
    return raise(entry, window, MPI_ERR_RANK, "rank {} is not a rank of the window, which has ranks 0 to {}", rank,
                 window.size() - 1);
  }
  if (size == nullptr || baseptr == nullptr) {
    return null_argument(entry, window, size == nullptr ? "size" : "baseptr");
  }
  const bool shares = window.values->flavor == MPI_WIN_FLAVOR_SHARED;
  if (rank == MPI_PROC_NULL) {
    rank = 0;
    while (rank + 1 < window.size() && window.shared->memory_of(rank).size == 0) {
      ++rank;
    }
  }
  const WindowMemory& memory = window.shared->memory_of(rank);
  const bool visible = shares || rank == window.rank;
  void* const base = visible && memory.size > 0 ? reinterpret_cast<void*>(memory.base) : nullptr;
  std::memcpy(baseptr, &base, sizeof base);
  *size = visible ? memory.size : 0;
  if (disp_unit != nullptr) {
    *disp_unit = visible ? static_cast<Unit>(memory.disp_unit) : 0;
  }
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace weft::mpi_shim::rma

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::rma;

#include "mpi_shim/generated/rma/window_calls.inc"
