// MPI_Type_contiguous and the constructors for vectors, indexed blocks and structures.
#include "mpi_shim/datatype/datatype_create.hpp"

#include <algorithm>
#include <optional>

namespace weft::mpi_shim {
inline namespace datatype {

const Datatype* old_type(const Entry& entry, MPI_Datatype handle, int& error) {
  const Datatype* const type = find_datatype(entry.me, handle);
  if (type == nullptr) {
    error = entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE, "oldtype is MPI_DATATYPE_NULL or not a datatype of this rank");
  }
  return type;
}

int raise_negative(const Entry& entry, const char* what, MPI_Count value) {
  return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "{} {} is negative", what, value);
}

MPI_Datatype add_datatype(RankState& me, std::shared_ptr<Datatype> type) {
  Datatype& added = *type;
  added.handle = me.datatypes.add<MPI_Datatype>(std::make_unique<std::shared_ptr<Datatype>>(std::move(type)));
  return added.handle;
}

int return_new_type(const Entry& entry, std::shared_ptr<Datatype> type, DatatypeRecipe recipe, MPI_Datatype* newtype) {
  if (newtype == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "newtype");
  }
  if (type == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "the type would hold or reach beyond {} bytes", kMaxOffset);
  }
  DatatypeBuilder::set_recipe(*type, std::make_shared<const DatatypeRecipe>(std::move(recipe)));
  *newtype = add_datatype(entry.me, std::move(type));
  return MPI_SUCCESS;
}

namespace {

std::size_t unsigned_of(MPI_Count value) { return static_cast<std::size_t>(value); }

template <typename Number>
int contiguous(const Entry& entry, Number count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  int error = MPI_SUCCESS;
  const Datatype* const type = old_type(entry, oldtype, error);
  if (type == nullptr || count < 0) {
    return type == nullptr ? error : entry.raise(MPI_COMM_NULL, MPI_ERR_COUNT, "count {} is negative", count);
  }
  DatatypeBuilder builder;
  builder.add(*type, 0, unsigned_of(count), type->extent());
  return return_new_type(entry, builder.build(),
                         RecipeWriter<Number>(MPI_COMBINER_CONTIGUOUS, {type}).number(count).done(), newtype);
}

// Checks count and oldtype, which every constructor with blocks has. The type, or null after an error was raised.
const Datatype* checked_type(const Entry& entry, MPI_Count count, MPI_Datatype oldtype, int& error) {
  if (count < 0) {
    error = entry.raise(MPI_COMM_NULL, MPI_ERR_COUNT, "count {} is negative", count);
    return nullptr;
  }
  return old_type(entry, oldtype, error);
}

// What strides and displacements count: elements, by the old type's extent, or bytes.
enum class Unit : std::uint8_t { elements, bytes };

// The offset in bytes, clamped as by scaled().
template <typename Offset>
MPI_Aint in_bytes(Offset number, Unit unit, const Datatype& type) {
  return scaled(number, unit == Unit::bytes ? 1 : type.extent());
}

// Blocks of one length, as MPI_Type_vector and MPI_Type_create_hvector have them.
template <typename Number, typename Stride>
struct StridedBlocks {
  Number count;
  Number length;
  Stride stride;
  Unit unit;
};

template <typename Number, typename Stride>
int vector(const Entry& entry, const StridedBlocks<Number, Stride>& blocks, MPI_Datatype oldtype,
           MPI_Datatype* newtype) {
  int error = MPI_SUCCESS;
  const Datatype* const type = checked_type(entry, blocks.count, oldtype, error);
  if (type == nullptr || blocks.length < 0) {
    return type == nullptr ? error : raise_negative(entry, "blocklength", blocks.length);
  }
  DatatypeBuilder builder;
  builder.add_blocks(*type, 0, unsigned_of(blocks.length), unsigned_of(blocks.count),
                     in_bytes(blocks.stride, blocks.unit, *type));
  RecipeWriter<Number> recipe(blocks.unit == Unit::bytes ? MPI_COMBINER_HVECTOR : MPI_COMBINER_VECTOR, {type});
  recipe.number(blocks.count).number(blocks.length);
  if (blocks.unit == Unit::bytes) {
    recipe.address(blocks.stride);
  } else {
    recipe.number(static_cast<Number>(blocks.stride));
  }
  return return_new_type(entry, builder.build(), recipe.done(), newtype);
}

// Adds one block; neighbours of equal shape become one loop in the map.
void add_block(DatatypeBuilder& builder, const Datatype& type, MPI_Aint offset, MPI_Count length) {
  builder.add(type, offset, unsigned_of(length), type.extent());
}

// Blocks anywhere, as MPI_Type_indexed and MPI_Type_create_hindexed have them.
template <typename Number, typename Offset>
struct IndexedBlocks {
  Number count;
  const Number* lengths;
  const Offset* displacements;
  Unit unit;
};

template <typename Number, typename Offset>
void write_displacements(RecipeWriter<Number>& recipe, const Offset* displacements, Number count) {
  if constexpr (std::is_same_v<Number, Offset>) {
    recipe.numbers(displacements, count);
  } else {
    recipe.addresses(displacements, count);
  }
}

template <typename Number, typename Offset>
int indexed(const Entry& entry, const IndexedBlocks<Number, Offset>& blocks, MPI_Datatype oldtype,
            MPI_Datatype* newtype) {
  int error = MPI_SUCCESS;
  const Datatype* const type = checked_type(entry, blocks.count, oldtype, error);
  if (type == nullptr) {
    return error;
  }
  DatatypeBuilder builder;
  for (Number i = 0; i < blocks.count; ++i) {
    if (blocks.lengths[i] < 0) {
      return raise_negative(entry, "a blocklength", blocks.lengths[i]);
    }
    add_block(builder, *type, in_bytes(blocks.displacements[i], blocks.unit, *type), blocks.lengths[i]);
  }
  RecipeWriter<Number> recipe(blocks.unit == Unit::bytes ? MPI_COMBINER_HINDEXED : MPI_COMBINER_INDEXED, {type});
  recipe.number(blocks.count).numbers(blocks.lengths, blocks.count);
  write_displacements(recipe, blocks.displacements, blocks.count);
  return return_new_type(entry, builder.build(), recipe.done(), newtype);
}

// Blocks anywhere, all of one length: MPI_Type_create_indexed_block and MPI_Type_create_hindexed_block.
template <typename Number, typename Offset>
struct EqualBlocks {
  Number count;
  Number length;
  const Offset* displacements;
  Unit unit;
};

template <typename Number, typename Offset>
int indexed_block(const Entry& entry, const EqualBlocks<Number, Offset>& blocks, MPI_Datatype oldtype,
                  MPI_Datatype* newtype) {
  int error = MPI_SUCCESS;
  const Datatype* const type = checked_type(entry, blocks.count, oldtype, error);
  if (type == nullptr || blocks.length < 0) {
    return type == nullptr ? error : raise_negative(entry, "blocklength", blocks.length);
  }
  DatatypeBuilder builder;
  for (Number i = 0; i < blocks.count; ++i) {
    add_block(builder, *type, in_bytes(blocks.displacements[i], blocks.unit, *type), blocks.length);
  }
  RecipeWriter<Number> recipe(blocks.unit == Unit::bytes ? MPI_COMBINER_HINDEXED_BLOCK : MPI_COMBINER_INDEXED_BLOCK,
                              {type});
  recipe.number(blocks.count).number(blocks.length);
  write_displacements(recipe, blocks.displacements, blocks.count);
  return return_new_type(entry, builder.build(), recipe.done(), newtype);
}

// The positions of the lowest MPI_LB and of the highest MPI_UB in a structure.
struct Markers {
  std::optional<MPI_Aint> lower = {};
  std::optional<MPI_Aint> upper = {};

  // False for a type that is no marker.
  bool take(MPI_Datatype type, MPI_Aint offset) {
    const bool is_lower = handle_value(type) == kLowerMarker;
    const bool is_upper = handle_value(type) == kUpperMarker;
    if (is_lower) {
      lower = std::min(lower.value_or(offset), offset);
    } else if (is_upper) {
      upper = std::max(upper.value_or(offset), offset);
    }
    return is_lower || is_upper;
  }
};

template <typename Number, typename Offset>
int type_create_struct(const Entry& entry, Number count, const Number* blocklengths, const Offset* displacements,
                       const MPI_Datatype* types, MPI_Datatype* newtype) {
  if (count < 0) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_COUNT, "count {} is negative", count);
  }
  DatatypeBuilder builder;
  RecipeWriter<Number> recipe(MPI_COMBINER_STRUCT, {});
  recipe.number(count).numbers(blocklengths, count).addresses(displacements, count);
  DatatypeRecipe written = recipe.done();
  Markers markers;
  for (Number i = 0; i < count; ++i) {
    int error = MPI_SUCCESS;
    const Datatype* const type = old_type(entry, types[i], error);
    if (type == nullptr || blocklengths[i] < 0) {
      return type == nullptr ? error : raise_negative(entry, "a blocklength", blocklengths[i]);
    }
    const auto offset = static_cast<MPI_Aint>(displacements[i]);
    if (blocklengths[i] > 0 && !markers.take(types[i], offset)) {
      add_block(builder, *type, offset, blocklengths[i]);
    }
    written.types.push_back(shared(*type));
  }
  builder.pad();
  builder.set_markers(markers.lower, markers.upper);
  return return_new_type(entry, builder.build(), std::move(written), newtype);
}

template <typename Number>
int resized(const Entry& entry, MPI_Datatype oldtype, MPI_Count lower, MPI_Count extent, MPI_Datatype* newtype) {
  int error = MPI_SUCCESS;
  const Datatype* const type = old_type(entry, oldtype, error);
  if (type == nullptr) {
    return error;
  }
  DatatypeBuilder builder;
  builder.add(*type, 0, 1, 0);
  builder.set_bounds(lower, extent);
  return return_new_type(entry, builder.build(),
                         RecipeWriter<Number>(MPI_COMBINER_RESIZED, {type}).address(lower).address(extent).done(),
                         newtype);
}

}  // namespace

}  // namespace datatype
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/datatype/datatype_create.inc"
