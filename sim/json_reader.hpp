// Reads JSON strictly: each missing, invalid or unknown value becomes an error line with its place in the file.
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

// The errors found in one file.
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

// One JSON object. The destructor reports every key that was not read as a mistake.
class JsonObject {
 public:
  // If the value is not an object, reports a mistake and reads as an empty object.
  JsonObject(const nlohmann::json& json, std::string place, JsonMistakes& mistakes);
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;
  ~JsonObject();

  [[nodiscard]] const std::string& place() const { return place_; }
  // These leave `to` unchanged if the key is missing; need() reports a missing key.
  void number(std::string_view key, double& to, Limits limits = {});
  void count(std::string_view key, std::uint32_t& to, Limits limits = {0, 1e9});
  void count(std::string_view key, std::uint64_t& to, Limits limits = {0, 1e15});
  void flag(std::string_view key, bool& to);
  void text(std::string_view key, std::string& to);
  // Convert microseconds to seconds, and 10^6 bytes per second to seconds per byte. A bandwidth of 0 means no limit.
  void microseconds(std::string_view key, double& to);
  void bandwidth(std::string_view key, double& to);
  void need(std::string_view key);
  [[nodiscard]] bool has(std::string_view key) const { return json_->contains(key); }
  // Calls `visit(JsonObject&)` unless the key is missing.
  template <typename Visit>
  void object(std::string_view key, const Visit& visit) {
    if (const nlohmann::json* const found = find(key)) {
      JsonObject inner(*found, inside(key), mistakes_);
      visit(inner);
    }
  }
  // Calls `visit(JsonObject&)` for each element of an array of objects.
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
