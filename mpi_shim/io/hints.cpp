#include "mpi_shim/io/hints.hpp"

#include <charconv>
#include <cstring>
#include <string>

namespace weft::mpi_shim::io {

namespace {

enum class Values { number, choice, any };

struct Known {
  const char* key;
  Values values;
};

constexpr Known kKnown[] = {
    {"cb_buffer_size", Values::number},
    {"cb_nodes", Values::number},
    {"romio_cb_read", Values::choice},
    {"romio_cb_write", Values::choice},
    {"ind_rd_buffer_size", Values::number},
    {"romio_ds_read", Values::choice},
    {"striping_factor", Values::number},
    {"striping_unit", Values::number},
    {"access_style", Values::any},
    {"collective_buffering", Values::any},
    {"nb_proc", Values::number},
    {"filename", Values::any},
    {"file_perm", Values::any},
    {"io_node_list", Values::any},
    {"num_io_nodes", Values::number},
};

bool is_valid_hint(Values values, const std::string& text) {
  if (values == Values::choice) {
    return text == "enable" || text == "disable" || text == "automatic";
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return values == Values::any || (error == std::errc() && end == text.data() + text.size() && number > 0);
}

}  // namespace

Info default_hints(int aggregators) {
  return {{{"cb_buffer_size", std::to_string(kSieveBytes)},
           {"romio_cb_read", "automatic"},
           {"romio_cb_write", "automatic"},
           {"cb_nodes", std::to_string(aggregators)},
           {"ind_rd_buffer_size", std::to_string(kSieveBytes)},
           {"romio_ds_read", "automatic"},
           {"romio_ds_write", "disable"}}};
}

Info merged_hints(const Info& before, const Info* asked) {
  Info hints = before;
  for (const Known& known : kKnown) {
    const std::string* const value = asked == nullptr ? nullptr : asked->find(known.key);
    if (value != nullptr && is_valid_hint(known.values, *value)) {
      hints.set(known.key, *value);
    }
  }
  return hints;
}

std::size_t number_of(const Info& hints, const char* key, std::size_t otherwise) {
  const std::string* const text = hints.find(key);
  std::size_t number = otherwise;
  if (text != nullptr) {
    std::from_chars(text->data(), text->data() + text->size(), number);
  }
  return number > 0 ? number : otherwise;
}

bool hint_is(const Info& hints, const char* key, const char* value) {
  const std::string* const text = hints.find(key);
  return text != nullptr && *text == value;
}

}  // namespace weft::mpi_shim::io
