// The names of a trace and their numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft::trace {

class Names {
 public:
  std::uint32_t intern(std::string_view text) {
    const auto [place, is_new] = numbers_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
    if (is_new) {
      texts_.emplace_back(text);
    }
    return place->second;
  }
  // By number.
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> texts_;
};

}  // namespace weft::trace
