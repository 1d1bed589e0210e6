// Key values and attributes of communicators and datatypes.
#include <array>
#include <cstring>
#include <numeric>

#include "mpi-ext.h"
#include "mpi_shim/ampi/migration.hpp"
#include "mpi_shim/attribute/attribute_callbacks.hpp"
#include "mpi_shim/attribute/keyval.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/error/error_codes.hpp"

namespace {

using namespace weft::mpi_shim;

template <typename Copy, typename Delete>
Keyval keyval_of(Keyval::Object object, Copy* copy, Delete* remove, void* extra) {
  Keyval keyval;
  keyval.object = object;
  keyval.copy = reinterpret_cast<void (*)()>(copy);
  keyval.remove = reinterpret_cast<void (*)()>(remove);
  keyval.extra_state = extra;
  return keyval;
}

int create_keyval(const Entry& entry, const Keyval& keyval, int* number) {
  if (number == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "keyval");
  }
  *number = entry.me.part<Keyvals>().add(std::make_unique<Keyval>(keyval));
  return MPI_SUCCESS;
}

// Whether it is a key value for objects of this kind that the rank has not freed, or whose attributes still exist.
bool known(RankState& me, Keyval::Object object, int number) {
  const Keyval* const keyval = me.part<Keyvals>().find(number);
  return keyval != nullptr && keyval->object == object;
}

// Whether new attributes can be set under it.
bool usable(RankState& me, Keyval::Object object, int number) {
  return known(me, object, number) && !me.part<Keyvals>().find(number)->freed;
}

bool is_predefined(int number) {
  return (number >= MPI_TAG_UB && number <= MPI_WIN_MODEL) || (number >= AMPI_MY_WTH && number <= AMPI_MY_HOME_WTH) ||
         number == MPIX_FT;
}

int bad_keyval(const Entry& entry, MPI_Comm comm, int number) {
  if (is_predefined(number)) {
    return entry.raise(comm, MPI_ERR_KEYVAL, "keyval {} is predefined and cannot be changed", number);
  }
  return entry.raise(comm, MPI_ERR_KEYVAL, "keyval {} is not a key value of this kind of object", number);
}

int free_keyval(const Entry& entry, Keyval::Object object, int* number) {
  if (number == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "keyval");
  }
  if (!known(entry.me, object, *number)) {
    return bad_keyval(entry, MPI_COMM_NULL, *number);
  }
  if (Keyval& keyval = *entry.me.part<Keyvals>().find(*number);
      !keyval.freed) {  // a copy of the number may be freed again
    keyval.freed = true;
    entry.me.part<Keyvals>().release(*number);
  }
  *number = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

// The address of a number that has the same value as `number`. It is the same in all processes, since a rank that moves
// may keep it. For numbers from kFirst + 4096 on it is the address of `number` itself, which changes when the rank
// moves.
template <int kFirst>
int* fixed_address_of(int& number) {
  static std::array<int, 4096> numbers = [] {
    std::array<int, 4096> all{};
    std::iota(all.begin(), all.end(), kFirst);
    return all;
  }();
  const auto place = static_cast<std::size_t>(number - kFirst);
  return place < numbers.size() ? &numbers[place] : &number;
}

// The address that a program gets for a predefined attribute of communicators; null if there is no such attribute.
void* predefined_attribute(RankState& me, int number) {
  static int tag_upper_bound = 0x7fffffff;
  static int any_rank_does_io = MPI_ANY_SOURCE;
  static int no_host = MPI_PROC_NULL;
  static int yes = 1;
  static int no = 0;
  switch (number) {
    case MPI_TAG_UB:
      return &tag_upper_bound;
    case MPI_IO:
      return &any_rank_does_io;
    case MPI_HOST:
      return &no_host;
    case MPI_WTIME_IS_GLOBAL:
      return me.rank->job.config().has_several_hosts() ? &no : &yes;
    case MPI_APPNUM:
      return fixed_address_of<0>(me.application);
    case MPI_LASTUSEDCODE:
      return fixed_address_of<MPI_ERR_LASTCODE>(me.part<ErrorCodes>().last_used);
    case MPI_UNIVERSE_SIZE:
      return &universe_size;
    case MPIX_FT:
      return me.rank->job.failures() != nullptr ? &yes : &no;
    default:
      int* const value = location_attribute(me, number);
      return value == nullptr ? nullptr : fixed_address_of<0>(*value);
  }
}

int callback_failed(const Entry& entry, MPI_Comm comm, int error) {
  return entry.raise(comm, error, "the key value's delete function failed with {}", error);
}

int comm_set(const Entry& entry, MPI_Comm comm, int number, void* value) {
  Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr) {
    return entry.bad_comm(comm);
  }
  if (!usable(entry.me, Keyval::Object::comm, number)) {
    return bad_keyval(entry, comm, number);
  }
  const int error = set_attribute(entry.me, handle_value(comm), found->attributes, number, value);
  return error == MPI_SUCCESS ? error : callback_failed(entry, comm, error);
}

int comm_get(const Entry& entry, MPI_Comm comm, int number, void* value, int* flag) {
  const Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr) {
    return entry.bad_comm(comm);
  }
  if (flag == nullptr || value == nullptr) {
    return entry.null_argument(comm, flag == nullptr ? "flag" : "attribute_val");
  }
  void* stored = predefined_attribute(entry.me, number);
  if (stored == nullptr && !known(entry.me, Keyval::Object::comm, number)) {
    return entry.raise(comm, MPI_ERR_KEYVAL, "keyval {} is not a key value of communicators", number);
  }
  *flag = static_cast<int>(stored != nullptr || get_attribute(found->attributes, number, &stored));
  if (*flag != 0) {
    std::memcpy(value, &stored, sizeof stored);
  }
  return MPI_SUCCESS;
}

int comm_delete(const Entry& entry, MPI_Comm comm, int number) {
  Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr) {
    return entry.bad_comm(comm);
  }
  if (!known(entry.me, Keyval::Object::comm, number)) {
    return bad_keyval(entry, comm, number);
  }
  void* stored = nullptr;
  if (!get_attribute(found->attributes, number, &stored)) {
    return entry.raise(comm, MPI_ERR_KEYVAL, "no attribute is set under keyval {}", number);
  }
  const int error = delete_attribute(entry.me, handle_value(comm), found->attributes, number);
  return error == MPI_SUCCESS ? error : callback_failed(entry, comm, error);
}

int type_set_attr(const Entry& entry, MPI_Datatype datatype, int type_keyval, void* attribute_val) {
  const Datatype* const type = find_datatype(entry.me, datatype);
  if (type == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE, "datatype {:#x} is not a datatype", handle_value(datatype));
  }
  if (!usable(entry.me, Keyval::Object::datatype, type_keyval)) {
    return bad_keyval(entry, MPI_COMM_NULL, type_keyval);
  }
  Attributes& attributes = datatype_attributes(entry.me, *type);
  const int error = set_attribute(entry.me, handle_value(datatype), attributes, type_keyval, attribute_val);
  return error == MPI_SUCCESS ? error : callback_failed(entry, MPI_COMM_NULL, error);
}

int type_get_attr(const Entry& entry, MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag) {
  const Datatype* const type = find_datatype(entry.me, datatype);
  if (type == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE, "datatype {:#x} is not a datatype", handle_value(datatype));
  }
  if (!known(entry.me, Keyval::Object::datatype, type_keyval)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_KEYVAL, "keyval {} is not a key value of datatypes", type_keyval);
  }
  void* stored = nullptr;
  *flag = static_cast<int>(get_attribute(datatype_attributes(entry.me, *type), type_keyval, &stored));
  if (*flag != 0) {
    std::memcpy(attribute_val, &stored, sizeof stored);
  }
  return MPI_SUCCESS;
}

int type_delete_attr(const Entry& entry, MPI_Datatype datatype, int type_keyval) {
  const Datatype* const type = find_datatype(entry.me, datatype);
  if (type == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE, "datatype {:#x} is not a datatype", handle_value(datatype));
  }
  if (!known(entry.me, Keyval::Object::datatype, type_keyval)) {
    return bad_keyval(entry, MPI_COMM_NULL, type_keyval);
  }
  Attributes& attributes = datatype_attributes(entry.me, *type);
  void* stored = nullptr;
  if (!get_attribute(attributes, type_keyval, &stored)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_KEYVAL, "no attribute is set under keyval {}", type_keyval);
  }
  const int error = delete_attribute(entry.me, handle_value(datatype), attributes, type_keyval);
  return error == MPI_SUCCESS ? error : callback_failed(entry, MPI_COMM_NULL, error);
}

}  // namespace

#include "mpi_shim/generated/attribute/attribute_calls.inc"
