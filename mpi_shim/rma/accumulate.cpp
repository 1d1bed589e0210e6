// MPI_Accumulate, MPI_Get_accumulate, MPI_Fetch_and_op, MPI_Compare_and_swap and their like.
#include <array>
#include <cstring>
#include <mutex>

#include "mpi_shim/rma/messages.hpp"
#include "mpi_shim/rma/operation.hpp"

namespace weft::mpi_shim::rma {

namespace {

SpinLock& lock_of(const CheckedOperation& operation) {
  return accumulate_lock(operation.window->shared->group->job_rank(operation.target));
}

// For a target in this process. `old`: operation.result gets the target's old values.
void accumulate_here(const CheckedOperation& operation, MPI_Op op, const AccumulateOp& accumulate_op, bool old) {
  constexpr std::size_t kMostBytes = 64 << 10;
  constexpr std::size_t kMostRegions = 1024;
  std::vector<std::byte> room;
  std::vector<std::byte> fetched;
  for (FragmentCursor fragment(operation, accumulate_op.unit(), kMostBytes, kMostRegions); fragment.next();) {
    const std::byte* const from =
        op == MPI_NO_OP ? nullptr : packed(operation.origin, fragment.skip(), fragment.bytes(), room);
    std::byte* into = nullptr;
    if (old && operation.result.layout == nullptr) {
      into = static_cast<std::byte*>(operation.result.base) + fragment.skip();
    } else if (old) {
      fetched.resize(fragment.bytes());
      into = fetched.data();
    }
    {
      const std::lock_guard guard(lock_of(operation));
      accumulate_op.apply(fragment.regions(), operation.address, from, into);
    }
    if (old && operation.result.layout != nullptr) {
      operation.result.layout->unpack(operation.result.base, operation.result.count, fragment.skip(), fetched);
    }
  }
}

// The predefined type that the operation works on. Null if the operation is not defined on it; then `error` has been
// raised.
const Datatype* find_element(const Entry& entry, const CheckedOperation& operation, MPI_Op op, int& error) {
  const Datatype* element = element_of(*operation.type);
  if (element == nullptr && (op == MPI_REPLACE || op == MPI_NO_OP)) {
    element = predefined_datatype(MPI_BYTE);  // bytes are replaced or read as they are
  }
  if (element == nullptr) {
    error = raise(entry, *operation.window, MPI_ERR_TYPE, "target_datatype is made of several predefined types");
  } else if (!AccumulateOp(op, *element).defined()) {
    error =
        raise(entry, *operation.window, MPI_ERR_OP, "{} is not defined for elements of {}", op_name(op), element->name);
    element = nullptr;
  }
  return element;
}

int check_op(const Entry& entry, MPI_Op op, MPI_Win win) {
  const Window* const window = find_window(entry.me, win);
  if (window == nullptr) {
    return bad_window(entry, win);
  }
  if (!is_predefined(op) || op == MPI_OP_NULL) {
    return raise(entry, *window, MPI_ERR_OP, "op is not a predefined operation");
  }
  return MPI_SUCCESS;
}

int combine_at_target(const Entry& entry, MPI_Op op, const Arguments& arguments) {
  if (const int error = check_op(entry, op, arguments.win); error != MPI_SUCCESS) {
    return error;
  }
  CheckedOperation operation(entry.me);
  if (const int error = check(entry, arguments, operation); error != MPI_SUCCESS) {
    return error;
  }
  if (operation.bytes != 0) {
    int error = MPI_SUCCESS;
    const Datatype* const element = find_element(entry, operation, op, error);
    if (element == nullptr) {
      return error;
    }
    const bool old = arguments.result != nullptr;
    if (operation.target_exposure != nullptr) {
      accumulate_here(operation, op, AccumulateOp(op, *element), old);
    } else {
      accumulate_remote(operation, op, *element, old);
    }
  }
  return_request(operation, arguments.request);
  return MPI_SUCCESS;
}

// Passes the origin buffer for MPI_NO_OP too, so that it is checked.
int accumulate(const Entry& entry, const UserBuffer& origin, MPI_Op op, Arguments arguments) {
  arguments.origin = &origin;
  return combine_at_target(entry, op, arguments);
}

int get_accumulate(const Entry& entry, const UserBuffer& origin, const UserBuffer& result, MPI_Op op,
                   Arguments arguments) {
  arguments.origin = op == MPI_NO_OP ? nullptr : &origin;
  arguments.result = &result;
  return combine_at_target(entry, op, arguments);
}

int fetch_and_op(const Entry& entry, const UserBuffer& origin, const UserBuffer& result, MPI_Op op,
                 Arguments arguments) {
  if (const int error = check_op(entry, op, arguments.win); error != MPI_SUCCESS) {
    return error;
  }
  arguments.origin = op == MPI_NO_OP ? nullptr : &origin;
  arguments.result = &result;
  CheckedOperation operation(entry.me);
  if (const int error = check(entry, arguments, operation); error != MPI_SUCCESS || operation.bytes == 0) {
    return error;
  }
  if (!operation.type->predefined()) {
    return raise(entry, *operation.window, MPI_ERR_TYPE, "datatype is not predefined");
  }
  const AccumulateOp accumulate_op(op, *operation.type);
  if (!accumulate_op.defined()) {
    return raise(entry, *operation.window, MPI_ERR_OP, "{} is not defined for elements of {}", op_name(op),
                 operation.type->name);
  }
  if (operation.target_exposure == nullptr) {
    accumulate_remote(operation, op, *operation.type, true);
    return MPI_SUCCESS;
  }
  const std::lock_guard guard(lock_of(operation));
  accumulate_op.apply_one(operation.address, origin.address, const_cast<void*>(result.address));
  return MPI_SUCCESS;
}

// Integers, logical values and bytes.
bool can_be_swapped(const Datatype& type) {
  switch (type.basic()) {
    case Basic::float16:
    case Basic::float32:
    case Basic::float64:
    case Basic::float80:
    case Basic::float128:
    case Basic::complex32:
    case Basic::complex64:
    case Basic::complex128:
    case Basic::complex160:
    case Basic::complex256:
      return false;
    default:
      return type.predefined() && type.contiguous() && type.size() <= sizeof(std::max_align_t) &&
             type.typemap().is_block() && type.basic() < Basic::float_int;
  }
}

void swap_here(const CheckedOperation& operation, const void* compare, const void* value) {
  const std::size_t bytes = operation.bytes;
  const std::lock_guard guard(lock_of(operation));
  const bool equal = std::memcmp(operation.address, compare, bytes) == 0;
  std::memcpy(operation.result.base, operation.address, bytes);
  if (equal) {
    std::memcpy(operation.address, value, bytes);
  }
}

int compare_and_swap(const Entry& entry, const void* compare, const UserBuffer& origin, const UserBuffer& result,
                     Arguments arguments) {
  arguments.origin = &origin;
  arguments.result = &result;
  CheckedOperation operation(entry.me);
  if (const int error = check(entry, arguments, operation); error != MPI_SUCCESS || operation.bytes == 0) {
    return error;
  }
  if (!can_be_swapped(*operation.type)) {
    return raise(entry, *operation.window, MPI_ERR_TYPE, "datatype is not one of integers, logical values or bytes");
  }
  if (compare == nullptr) {
    return null_argument(entry, *operation.window, "compare_addr");
  }
  if (compare == MPI_IN_PLACE) {
    return raise(entry, *operation.window, MPI_ERR_BUFFER, "compare_addr is MPI_IN_PLACE, which has no meaning here");
  }
  if (operation.target_exposure != nullptr) {
    swap_here(operation, compare, origin.address);
  } else {
    swap_remote(operation, {static_cast<const std::byte*>(compare), operation.bytes},
                {static_cast<const std::byte*>(origin.address), operation.bytes});
  }
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace weft::mpi_shim::rma

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::rma;

#include "mpi_shim/generated/rma/accumulate.inc"
