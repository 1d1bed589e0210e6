// The predefined types that an element of a datatype consists of, in the order of its packed bytes.
#pragma once

#include <cstddef>

#include "mpi_shim/datatype.hpp"
#include "mpi_shim/datatype_recipe.hpp"

namespace weft::mpi_shim {

// Calls visit(predefined type, how many in a row) along `count` elements of `type`.
template <typename Visit>
void for_each_named(const Datatype& type, std::size_t count, Visit&& visit) {
  const DatatypeRecipe* const recipe = type.recipe();
  if (recipe == nullptr || recipe->types.empty()) {
    visit(type, count);
  } else if (recipe->combiner == MPI_COMBINER_STRUCT) {
    // Its recipe begins with the number of blocks and their lengths, in the large-count form among the counts.
    for (std::size_t element = 0; element < count; ++element) {
      for (std::size_t block = 0; block < recipe->types.size(); ++block) {
        const auto length = recipe->counts.empty() ? static_cast<std::size_t>(recipe->integers[1 + block])
                                                   : static_cast<std::size_t>(recipe->counts[1 + block]);
        for_each_named(*recipe->types[block], length, visit);
      }
    }
  } else if (const Datatype& repeated = *recipe->types.front(); repeated.size() > 0) {
    for_each_named(repeated, count * (type.size() / repeated.size()), visit);
  }
}

}  // namespace weft::mpi_shim
