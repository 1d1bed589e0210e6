// Shared by the datatype constructors: they record their arguments in a recipe and return the new type.
#pragma once

#include <span>
#include <utility>

#include "mpi_shim/datatype/datatype_builder.hpp"
#include "mpi_shim/datatype/datatype_recipe.hpp"
#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

// The old type of a constructor; null after its error was raised into `error`.
const Datatype* old_type(const Entry& entry, MPI_Datatype handle, int& error);

int raise_negative(const Entry& entry, const char* what, MPI_Count value);

// Stores a handle of the new type in *newtype. A null type means that it would be out of range: that error is raised.
int return_new_type(const Entry& entry, std::shared_ptr<Datatype> type, DatatypeRecipe recipe, MPI_Datatype* newtype);
MPI_Datatype add_datatype(RankState& me, std::shared_ptr<Datatype> type);

// Collects a constructor's arguments in a recipe: the int forms put counts among the integers and displacements in
// bytes among the addresses, the large-count forms put both among the counts.
template <typename Number>
class RecipeWriter {
 public:
  static constexpr bool kLarge = sizeof(Number) > sizeof(int);

  RecipeWriter(int combiner, std::initializer_list<const Datatype*> types) {
    recipe_.combiner = combiner;
    for (const Datatype* type : types) {
      recipe_.types.push_back(shared(*type));
    }
  }
  RecipeWriter& number(Number value) {
    if constexpr (kLarge) {
      recipe_.counts.push_back(value);
    } else {
      recipe_.integers.push_back(value);
    }
    return *this;
  }
  RecipeWriter& numbers(const Number* values, Number count) {
    for (Number i = 0; i < count; ++i) {
      number(values[i]);
    }
    return *this;
  }
  RecipeWriter& integers(const int* values, int count) {
    recipe_.integers.insert(recipe_.integers.end(), values, values + count);
    return *this;
  }
  template <typename Offset>
  RecipeWriter& address(Offset value) {
    if constexpr (kLarge) {
      recipe_.counts.push_back(value);
    } else {
      recipe_.addresses.push_back(value);
    }
    return *this;
  }
  template <typename Offset>
  RecipeWriter& addresses(const Offset* values, Number count) {
    for (Number i = 0; i < count; ++i) {
      address(values[i]);
    }
    return *this;
  }
  DatatypeRecipe done() { return std::move(recipe_); }

 private:
  DatatypeRecipe recipe_;
};

}  // namespace datatype
}  // namespace weft::mpi_shim
