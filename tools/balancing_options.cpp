#include "tools/balancing_options.hpp"

#include <cstdio>
#include <string>

#include "lb/links.hpp"
#include "lb/load_model.hpp"
#include "lb/strategy.hpp"
#include "lb/when.hpp"

namespace weft::tools {
namespace {

using base::OptionError;
using base::OptionValues;

// Prints the table of rules or models.
template <typename Table>
void print_names(const Table& table) {
  for (const auto& row : table) {
    const std::string name = std::string(row.name) + (row.argument.empty() ? "" : ":" + std::string(row.argument));
    std::printf("%-14s %.*s\n", name.c_str(), static_cast<int>(row.help.size()), row.help.data());
  }
}

// Prints two lines for each: what it does, where it comes from.
void print_strategies() {
  for (const auto& strategy : lb::strategies()) {
    const auto argument = strategy.argument.empty() ? "" : ":" + std::string(strategy.argument);
    std::printf("%-26s %.*s\n%-26s From: %.*s\n", (std::string(strategy.name) + argument).c_str(),
                static_cast<int>(strategy.help.size()), strategy.help.data(), "",
                static_cast<int>(strategy.source.size()), strategy.source.data());
  }
}

}  // namespace

void check_balancing(const OptionValues& values) {
  const auto check = [](const std::string& option, const std::string& what_else, const auto& make) {
    try {
      make();
    } catch (const OptionError& error) {
      throw OptionError(option + ": " + error.what() + what_else);
    }
  };
  check("--lb", " (--lb help lists all)", [&] { lb::make_strategy(values.text("lb")); });
  check("--lb-when", " (--lb-when help lists all)", [&] { lb::make_when(values.text("lb-when")); });
  check("--lb-model", " (--lb-model help lists all)", [&] { lb::make_load_model(values.text("lb-model")); });
  if (const std::string links = values.text("lb-links"); links != "measured" && links != "usual") {
    check("--lb-links", ", measured or usual", [&] { lb::parse_links(links); });
  }
  if (values.given("lb-period") && values.text("lb-when") != "every") {
    throw OptionError("--lb-period goes with --lb-when every, not with '" + values.text("lb-when") + "'");
  }
}

std::string unused_balancing(const OptionValues& values) {
  if (values.text("lb") != "none") {
    return {};
  }
  for (const std::string name : {"lb-period", "lb-when", "lb-model", "lb-links"}) {
    if (values.given(name)) {
      return "--" + name + " has no effect without --lb NAME";
    }
  }
  const bool has_other_steps =
      !values.text("checkpoint").empty() || !values.text("survive").empty() || !values.text("record").empty();
  return values.given("migrate-at") && !has_other_steps ? "--migrate-at balances nothing without --lb NAME"
                                                        : std::string();
}

bool print_balancing_help(const OptionValues& values) {
  if (values.text("lb") == "help") {
    print_strategies();
  } else if (values.text("lb-when") == "help") {
    print_names(lb::when_rules());
  } else if (values.text("lb-model") == "help") {
    print_names(lb::load_models());
  } else {
    return false;
  }
  return true;
}

}  // namespace weft::tools
