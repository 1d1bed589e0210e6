// The categories of MPI_T. They never change.
#include <array>
#include <vector>

#include "mpi_shim/tool/tool.hpp"

using namespace weft::mpi_shim;

namespace {

struct Description {
  std::string_view name;
  std::string_view description;
};

// By Category. The first contains the others.
constexpr std::array<Description, 4> kCategories{{
    {"weft", "The job, and how it was started."},
    {"weft_messages", "Messages and requests."},
    {"weft_balancing", "Where ranks are, and what decides it."},
    {"weft_work", "What ranks do with their time."},
}};
constexpr std::size_t kRoot = static_cast<std::size_t>(Category::weft);

std::vector<std::size_t> members(std::size_t category, std::size_t count, std::size_t (*category_of)(std::size_t)) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < count; ++i) {
    if (category_of(i) == category) {
      found.push_back(i);
    }
  }
  return found;
}
std::vector<std::size_t> control_variables(std::size_t category) {
  return members(category, control_variable_count(), &category_of_control_variable);
}
std::vector<std::size_t> performance_variables(std::size_t category) {
  return members(category, performance_variable_count(), &category_of_performance_variable);
}
std::vector<std::size_t> categories(std::size_t category) {
  return category == kRoot ? std::vector<std::size_t>{1, 2, 3} : std::vector<std::size_t>{};
}
std::vector<std::size_t> events(std::size_t /*category*/) { return {}; }

// MPI_SUCCESS if the category exists.
int check(const Entry& entry, int index) {
  if (find_tool(entry) == nullptr) {
    return MPI_T_ERR_NOT_INITIALIZED;
  }
  const bool exists = index >= 0 && static_cast<std::size_t>(index) < kCategories.size();
  return exists ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;
}

// Stores the first `len` indices of what the category contains.
int list(const Entry& entry, int index, int len, int* indices, std::vector<std::size_t> (*of)(std::size_t)) {
  if (const int error = check(entry, index); error != MPI_SUCCESS) {
    return error;
  }
  const std::vector<std::size_t> all = of(static_cast<std::size_t>(index));
  if (len < 0 || (len > 0 && indices == nullptr)) {
    return MPI_T_ERR_INVALID;
  }
  for (std::size_t i = 0; i < all.size() && i < static_cast<std::size_t>(len); ++i) {
    indices[i] = static_cast<int>(all[i]);
  }
  return MPI_SUCCESS;
}

int t_category_get_num(const Entry&, int* num_cat) {
  *num_cat = static_cast<int>(kCategories.size());
  return MPI_SUCCESS;
}

int t_category_get_info(const Entry& entry, int cat_index, char* name, int* name_len, char* desc, int* desc_len,
                        int* num_cvars, int* num_pvars, int* num_categories) {
  if (const int error = check(entry, cat_index); error != MPI_SUCCESS) {
    return error;
  }
  const auto index = static_cast<std::size_t>(cat_index);
  copy_text_out(kCategories[index].name, name, name_len);
  copy_text_out(kCategories[index].description, desc, desc_len);
  store_unless_null(num_cvars, control_variables(index).size());
  store_unless_null(num_pvars, performance_variables(index).size());
  store_unless_null(num_categories, categories(index).size());
  return MPI_SUCCESS;
}

int t_category_get_index(const Entry&, const char* name, int* cat_index) {
  if (name == nullptr || cat_index == nullptr) {
    return MPI_T_ERR_INVALID;
  }
  const std::size_t index = index_of(kCategories, name);
  if (index == kCategories.size()) {
    return MPI_T_ERR_INVALID_NAME;
  }
  *cat_index = static_cast<int>(index);
  return MPI_SUCCESS;
}

int t_category_get_num_events(const Entry& entry, int cat_index, int* num_events) {
  if (const int error = check(entry, cat_index); error != MPI_SUCCESS) {
    return error;
  }
  store_unless_null(num_events, 0);
  return MPI_SUCCESS;
}

int t_category_changed(const Entry&, int* update_number) {
  *update_number = 0;
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/tool/categories.inc"
