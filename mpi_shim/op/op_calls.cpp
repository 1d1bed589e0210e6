// MPI_Op_create, MPI_Op_free, MPI_Op_commutative, MPI_Reduce_local.
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/op/op.hpp"

namespace weft::mpi_shim {
inline namespace op {
namespace {

int create(const Entry& entry, Op op, MPI_Op* handle) {
  if (op.function == nullptr && op.large_function == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "user_fn is null");
  }
  if (handle == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "op is null");
  }
  auto owned = std::make_unique<Op>(op);
  Op& made = *owned;
  *handle = made.handle = entry.me.ops.add<MPI_Op>(std::move(owned));
  return MPI_SUCCESS;
}

// A type with gaps: its basic elements are packed, combined, and put back, so that the gaps keep their bytes.
void combine_with_layout(Kernel kernel, const void* in, void* inout, std::size_t count, const Datatype& type) {
  std::vector<std::byte> left(count * type.size());
  std::vector<std::byte> right(left.size());
  runtime::pack(message_buffer(in, count, type), left);
  const runtime::Buffer target = message_buffer(inout, count, type);
  runtime::pack(target, right);
  kernel(left.data(), right.data(), count * elements_in(type));
  runtime::unpack(right, target);
}

int reduce_local(const Entry& entry, const void* in, void* inout, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  const Datatype* const type = find_datatype(entry.me, datatype);
  if (type == nullptr || !type->committed) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE, "datatype is not a committed datatype");
  }
  if (count < 0) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_COUNT, "count {} is negative", count);
  }
  if (in == MPI_IN_PLACE || inout == MPI_IN_PLACE || (in == inout && count > 0 && type->size() > 0)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_BUFFER, "inbuf and inoutbuf must be two buffers");
  }
  if ((in == nullptr || inout == nullptr) && lies_at_null(nullptr, count, *type)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_BUFFER, "{} is a null pointer", in == nullptr ? "inbuf" : "inoutbuf");
  }
  const auto elements = static_cast<std::size_t>(count);
  if (const Op* const own = entry.me.ops.find(op)) {
    if (count > 0) {
      call_user_function(*own, in, inout, elements, *type);
    }
    return MPI_SUCCESS;
  }
  const Kernel kernel = predefined_kernel(op, *type);
  if (kernel == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_OP, "{} is not defined on {}", op_name(op), type->name);
  }
  if (type->predefined() || type->contiguous()) {
    kernel(in, inout, elements * elements_in(*type));
  } else {
    combine_with_layout(kernel, in, inout, elements, *type);
  }
  return MPI_SUCCESS;
}

int op_free(const Entry& entry, MPI_Op* op) {
  if (op == nullptr || entry.me.ops.find(*op) == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_OP, "op is not an operation that MPI_Op_create made");
  }
  entry.me.ops.remove(*op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

int op_commutative(const Entry& entry, MPI_Op op, int* commute) {
  const Op* const own = entry.me.ops.find(op);
  if (own == nullptr && (!is_predefined(op) || op == MPI_OP_NULL)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_OP, "op is not an operation");
  }
  // MPI_REPLACE keeps one operand and MPI_NO_OP the other, so they do not commute.
  *commute = own != nullptr ? own->commutative : op != MPI_REPLACE && op != MPI_NO_OP;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace op
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/op/op_calls.inc"
