// The predefined types that elements of a datatype consist of.
#pragma once

#include <cstddef>

#include "mpi_shim/datatype.hpp"
#include "mpi_shim/datatype_recipe.hpp"

namespace weft::mpi_shim {

// The length of a struct's block. Its recipe begins with the number of blocks and their lengths, in the large-count
// form among the counts.
inline std::size_t block_length(const DatatypeRecipe& recipe, std::size_t block) {
  return recipe.counts.empty() ? static_cast<std::size_t>(recipe.integers[1 + block])
                               : static_cast<std::size_t>(recipe.counts[1 + block]);
}

// Calls visit(predefined type, how many in a row) along the packed bytes of `count` elements of `type`.
template <typename Visit>
void for_each_named(const Datatype& type, std::size_t count, Visit&& visit) {
  const DatatypeRecipe* const recipe = type.recipe();
  if (recipe == nullptr || recipe->types.empty()) {
    visit(type, count);
  } else if (recipe->combiner == MPI_COMBINER_STRUCT) {
    for (std::size_t element = 0; element < count; ++element) {
      for (std::size_t block = 0; block < recipe->types.size(); ++block) {
        for_each_named(*recipe->types[block], block_length(*recipe, block), visit);
      }
    }
  } else if (const Datatype& repeated = *recipe->types.front(); repeated.size() > 0) {
    for_each_named(repeated, count * (type.size() / repeated.size()), visit);
  }
}

// The same in no order: calls visit(predefined type, how many in all) for each place where the type names one, so that
// it takes no longer for more elements.
template <typename Visit>
void count_named(const Datatype& type, std::size_t count, Visit&& visit) {
  const DatatypeRecipe* const recipe = type.recipe();
  if (recipe == nullptr || recipe->types.empty()) {
    visit(type, count);
  } else if (recipe->combiner == MPI_COMBINER_STRUCT) {
    for (std::size_t block = 0; block < recipe->types.size(); ++block) {
      count_named(*recipe->types[block], count * block_length(*recipe, block), visit);
    }
  } else if (const Datatype& repeated = *recipe->types.front(); repeated.size() > 0) {
    count_named(repeated, count * (type.size() / repeated.size()), visit);
  }
}

}  // namespace weft::mpi_shim
