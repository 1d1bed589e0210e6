// The values that --lb, --lb-when and --lb-model of weftrun and weftsim can have, from the tables of lb.
#pragma once

#include <string>
#include <vector>

#include "lb/load_model.hpp"
#include "lb/strategy.hpp"
#include "lb/when.hpp"
#include "tools/completion/completion.hpp"

namespace weft::tools {

template <typename Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    names.emplace_back(row.name);
  }
  return names;
}

inline ChoicesOfOptions balancing_choices() {
  return {{"lb", names_of(lb::strategies())},
          {"lb-when", names_of(lb::when_rules())},
          {"lb-model", names_of(lb::load_models())}};
}

}  // namespace weft::tools
