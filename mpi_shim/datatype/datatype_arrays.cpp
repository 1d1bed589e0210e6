// MPI_Type_create_subarray and MPI_Type_create_darray.
#include <algorithm>
#include <vector>

#include "mpi_shim/datatype/datatype_create.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

namespace {

// Dimensions from the fastest to the slowest in memory.
std::vector<int> fastest_first(int dimensions, int order) {
  std::vector<int> result(static_cast<std::size_t>(dimensions));
  for (int d = 0; d < dimensions; ++d) {
    result[static_cast<std::size_t>(d)] = order == MPI_ORDER_FORTRAN ? d : dimensions - 1 - d;
  }
  return result;
}

int check_order(const Entry& entry, int order) {
  return order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN
             ? MPI_SUCCESS
             : entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "order {} is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN", order);
}

// Whether the extent or the bytes of an array of these sizes exceed kMaxOffset.
template <typename Number>
bool too_large(int ndims, const Number* sizes, const Datatype& type) {
  const auto bytes = static_cast<MPI_Aint>(type.size());
  MPI_Aint stride = std::max<MPI_Aint>({type.extent(), -type.extent(), type.true_extent(), bytes, 1});
  for (int d = 0; d < ndims && stride <= kMaxOffset; ++d) {
    stride = scaled(sizes[d], stride);
  }
  return stride > kMaxOffset;
}

int raise_too_large(const Entry& entry) {
  return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "the array would have more than {} bytes", kMaxOffset);
}

template <typename Number>
int check_subarray(const Entry& entry, int ndims, const Number* sizes, const Number* subsizes, const Number* starts) {
  if (ndims < 1) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_DIMS, "ndims {} is not positive", ndims);
  }
  for (int d = 0; d < ndims; ++d) {
    const bool inside = sizes[d] >= 1 && subsizes[d] >= 1 && starts[d] >= 0 && starts[d] <= sizes[d] - subsizes[d];
    if (!inside) {
      return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG,
                         "dimension {}: a part of {} from {} does not lie in an array of {}, or is empty", d,
                         subsizes[d], starts[d], sizes[d]);
    }
  }
  return MPI_SUCCESS;
}

template <typename Number>
int type_create_subarray(const Entry& entry, int ndims, const Number* sizes, const Number* subsizes,
                         const Number* starts, int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  int error = check_subarray(entry, ndims, sizes, subsizes, starts);
  error = error == MPI_SUCCESS ? check_order(entry, order) : error;
  const Datatype* const type = error == MPI_SUCCESS ? old_type(entry, oldtype, error) : nullptr;
  if (type == nullptr || too_large(ndims, sizes, *type)) {
    return type == nullptr ? error : raise_too_large(entry);
  }
  std::shared_ptr<const Typemap> map = type->shared_typemap();
  MPI_Aint stride = type->extent();
  MPI_Aint offset = 0;
  std::size_t elements = 1;
  for (const int d : fastest_first(ndims, order)) {
    map = Typemap::repeat(map, static_cast<std::size_t>(subsizes[d]), stride);
    offset += static_cast<MPI_Aint>(starts[d]) * stride;
    stride *= static_cast<MPI_Aint>(sizes[d]);
    elements *= static_cast<std::size_t>(subsizes[d]);
  }
  DatatypeBuilder builder;
  builder.add_map(*type, map, offset, elements);
  builder.set_bounds(0, stride);
  RecipeWriter<Number> recipe(MPI_COMBINER_SUBARRAY, {type});
  recipe.integers(&ndims, 1);
  recipe.numbers(sizes, ndims).numbers(subsizes, ndims).numbers(starts, ndims).integers(&order, 1);
  return return_new_type(entry, builder.build(), recipe.done(), newtype);
}

// One dimension of a distributed array, as MPI-4.0 section 5.1.4 names it.
struct Distribution {
  MPI_Count global = 0;      // elements of the array
  MPI_Count block = 0;       // elements of a block
  MPI_Count processes = 1;   // along this dimension of the process grid
  MPI_Count coordinate = 0;  // of this process along it
};

// 0 for arguments that the standard forbids.
MPI_Count block_size(MPI_Count global, int kind, int argument, int processes) {
  const MPI_Count share = global / processes + (global % processes == 0 ? 0 : 1);
  switch (kind) {
    case MPI_DISTRIBUTE_NONE:
      return processes == 1 ? global : 0;
    case MPI_DISTRIBUTE_BLOCK:
      if (argument == MPI_DISTRIBUTE_DFLT_DARG) {
        return share;
      }
      return argument >= share ? argument : 0;
    case MPI_DISTRIBUTE_CYCLIC:
      return argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : std::max(argument, 0);
    default:
      return 0;
  }
}

// This process's elements of one dimension: its whole blocks, then the part of its last block that exists.
std::shared_ptr<const Typemap> elements_of_process(const std::shared_ptr<const Typemap>& element, MPI_Aint stride,
                                                   const Distribution& distribution, std::size_t& elements) {
  const MPI_Count round = distribution.block * distribution.processes;
  const MPI_Count first = distribution.block * distribution.coordinate;
  const MPI_Count behind = std::max<MPI_Count>(distribution.global - first, 0);  // elements from its first one on
  const MPI_Count whole = behind / round + (behind % round >= distribution.block ? 1 : 0);
  const MPI_Count rest = behind % round < distribution.block ? behind % round : 0;
  TypemapBuilder builder;
  if (whole > 0) {
    // scaled(), since a round may be longer than the array, and its bytes may then exceed 64 bits.
    builder.add(Typemap::repeat(element, static_cast<std::size_t>(distribution.block), stride), first * stride,
                static_cast<std::size_t>(whole), scaled(round, stride));
  }
  builder.add(element, scaled(first + whole * round, stride), static_cast<std::size_t>(rest), stride);
  elements *= static_cast<std::size_t>(whole * distribution.block + rest);
  return builder.build();
}

// The process grid is in C order, whatever the order of the array.
std::vector<int> grid_coordinates(int rank, int ndims, const int* psizes) {
  std::vector<int> coordinates(static_cast<std::size_t>(ndims));
  for (int d = ndims - 1; d >= 0; --d) {
    coordinates[static_cast<std::size_t>(d)] = rank % psizes[d];
    rank /= psizes[d];
  }
  return coordinates;
}

template <typename Number>
struct DarrayArguments {
  int size, rank, ndims;
  const Number* gsizes;
  const int* distribs;
  const int* dargs;
  const int* psizes;
  int order;
};

template <typename Number>
int check_darray(const Entry& entry, const DarrayArguments<Number>& call) {
  if (call.ndims < 1 || call.size < 1 || call.rank < 0 || call.rank >= call.size) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "ndims {}, size {} and rank {} do not go together", call.ndims,
                       call.size, call.rank);
  }
  MPI_Count processes = 1;
  for (int d = 0; d < call.ndims; ++d) {
    if (call.gsizes[d] < 1 || call.psizes[d] < 1 ||
        block_size(call.gsizes[d], call.distribs[d], call.dargs[d], call.psizes[d]) < 1) {
      return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "dimension {}: {} elements cannot be dealt to {} processes so", d,
                         call.gsizes[d], call.psizes[d]);
    }
    processes = scaled(call.psizes[d], processes);
  }
  if (processes != call.size) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "the process grid has {} places, size is {}", processes, call.size);
  }
  return check_order(entry, call.order);
}

template <typename Number>
int darray(const Entry& entry, const DarrayArguments<Number>& call, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  int error = check_darray(entry, call);
  const Datatype* const type = error == MPI_SUCCESS ? old_type(entry, oldtype, error) : nullptr;
  if (type == nullptr || too_large(call.ndims, call.gsizes, *type)) {
    return type == nullptr ? error : raise_too_large(entry);
  }
  const std::vector<int> coordinates = grid_coordinates(call.rank, call.ndims, call.psizes);
  std::shared_ptr<const Typemap> map = type->shared_typemap();
  MPI_Aint stride = type->extent();
  std::size_t elements = 1;
  for (const int d : fastest_first(call.ndims, call.order)) {
    const Distribution distribution{call.gsizes[d],
                                    block_size(call.gsizes[d], call.distribs[d], call.dargs[d], call.psizes[d]),
                                    call.psizes[d], coordinates[static_cast<std::size_t>(d)]};
    map = elements_of_process(map, stride, distribution, elements);
    stride *= static_cast<MPI_Aint>(call.gsizes[d]);
  }
  DatatypeBuilder builder;
  builder.add_map(*type, map, 0, elements);
  builder.set_bounds(0, stride);
  RecipeWriter<Number> recipe(MPI_COMBINER_DARRAY, {type});
  recipe.integers(&call.size, 1).integers(&call.rank, 1).integers(&call.ndims, 1).numbers(call.gsizes, call.ndims);
  recipe.integers(call.distribs, call.ndims).integers(call.dargs, call.ndims).integers(call.psizes, call.ndims);
  recipe.integers(&call.order, 1);
  return return_new_type(entry, builder.build(), recipe.done(), newtype);
}

}  // namespace

}  // namespace datatype
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/datatype/datatype_arrays.inc"
