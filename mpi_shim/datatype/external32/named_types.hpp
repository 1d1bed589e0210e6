// Visits the predefined types that elements of a datatype consist of.
#pragma once

#include <cstddef>

#include "mpi_shim/datatype/datatype.hpp"
#include "mpi_shim/datatype/datatype_recipe.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

// The length of a struct's block. Its recipe begins with the number of blocks and their lengths, in the large-count
// form among the counts.
inline std::size_t block_length(const DatatypeRecipe& recipe, std::size_t block) {
  return recipe.counts.empty() ? static_cast<std::size_t>(recipe.integers[1 + block])
                               : static_cast<std::size_t>(recipe.counts[1 + block]);
}

// Calls visit(predefined type, number of values). Types of Fortran kinds (MPI_Type_create_f90_real) are visited like
// predefined ones. With `in_order` it follows the packed bytes of `count` elements of `type` and calls visit once for
// each run of values. Otherwise it calls visit once for each place where the recipe names a predefined type, with the
// number of values in all elements: the time does not depend on `count`.
template <bool in_order, typename Visit>
void walk_named(const Datatype& type, std::size_t count, Visit&& visit) {
  const DatatypeRecipe* const recipe = type.recipe();
  if (recipe == nullptr || recipe->types.empty()) {
    visit(type, count);
  } else if (recipe->combiner == MPI_COMBINER_STRUCT) {
    const std::size_t together = in_order ? 1 : count;
    for (std::size_t element = 0; element < count; element += together) {
      for (std::size_t block = 0; block < recipe->types.size(); ++block) {
        walk_named<in_order>(*recipe->types[block], together * block_length(*recipe, block), visit);
      }
    }
  } else if (const Datatype& repeated = *recipe->types.front(); repeated.size() > 0) {
    walk_named<in_order>(repeated, count * (type.size() / repeated.size()), visit);
  }
}

template <typename Visit>
void for_each_named(const Datatype& type, std::size_t count, Visit&& visit) {
  walk_named<true>(type, count, visit);
}
template <typename Visit>
void count_named(const Datatype& type, std::size_t count, Visit&& visit) {
  walk_named<false>(type, count, visit);
}

}  // namespace datatype
}  // namespace weft::mpi_shim
