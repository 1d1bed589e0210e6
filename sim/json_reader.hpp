// Reads JSON strictly: each value that is missing, wrong or unknown becomes a line that names its place.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace weft::sim {

struct Limits {
  double low = 0.0;
  double high = 1e18;
};

// The mistakes of one file.
class JsonMistakes {
 public:
  explicit JsonMistakes(std::string file) : file_(std::move(file)) {}
  void add(const std::string& place, std::string_view what);
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  [[nodiscard]] std::string text() const;

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

// One object. Keys that nobody asked for are mistakes when it goes.
class JsonObject {
 public:
  // Anything but an object is a mistake, and reads as an empty one.
  JsonObject(const nlohmann::json& json, std::string place, JsonMistakes& mistakes);
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;
  ~JsonObject();

  [[nodiscard]] const std::string& place() const { return place_; }
  // Leaves `to` as it is where the key is missing; need() makes that a mistake.
  void number(std::string_view key, double& to, Limits limits = {});
  void count(std::string_view key, std::uint32_t& to, Limits limits = {0, 1e9});
  void count(std::string_view key, std::uint64_t& to, Limits limits = {0, 1e15});
  void flag(std::string_view key, bool& to);
  void text(std::string_view key, std::string& to);
  // Microseconds become seconds, 10^6 bytes a second seconds a byte; a bandwidth of 0 is one without end.
  void microseconds(std::string_view key, double& to);
  void bandwidth(std::string_view key, double& to);
  void need(std::string_view key);
  [[nodiscard]] bool has(std::string_view key) const { return json_->contains(key); }
  // `visit(JsonObject&)`; nothing where the key is missing.
  template <typename Visit>
  void object(std::string_view key, const Visit& visit) {
    if (const nlohmann::json* const found = find(key)) {
      JsonObject inner(*found, inside(key), mistakes_);
      visit(inner);
    }
  }
  // For each element of an array of objects.
  template <typename Visit>
  void objects(std::string_view key, const Visit& visit) {
    const nlohmann::json* const found = array(key);
    for (std::size_t i = 0; found != nullptr && i < found->size(); ++i) {
      JsonObject inner((*found)[i], inside(key) + "[" + std::to_string(i) + "]", mistakes_);
      visit(inner);
    }
  }
  std::vector<std::string> texts(std::string_view key);
  void mistake(std::string_view key, std::string_view what) { mistakes_.add(inside(key), what); }

 private:
  const nlohmann::json* find(std::string_view key);
  const nlohmann::json* array(std::string_view key);
  [[nodiscard]] std::string inside(std::string_view key) const;
  template <typename T>
  void whole(std::string_view key, T& to, Limits limits);

  const nlohmann::json* json_;
  std::string place_;
  JsonMistakes& mistakes_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace weft::sim
