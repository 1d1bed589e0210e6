#include "sim/json_reader.hpp"

#include <cmath>

#include <fmt/format.h>

namespace weft::sim {
namespace {

std::string found(const nlohmann::json& value) {
  constexpr std::size_t kShort = 40;
  const std::string text = value.dump();
  return text.size() <= kShort ? text : text.substr(0, kShort) + " ...";
}

const nlohmann::json kEmptyObject = nlohmann::json::object();

}  // namespace

void JsonMistakes::add(const std::string& place, std::string_view what) {
  lines_.push_back(fmt::format("{}: {}{}{}", file_, place, place.empty() ? "" : ": ", what));
}

std::string JsonMistakes::text() const { return fmt::format("{}", fmt::join(lines_, "\n")); }

JsonObject::JsonObject(const nlohmann::json& json, std::string place, JsonMistakes& mistakes)
    : json_(&json), place_(std::move(place)), mistakes_(mistakes) {
  if (!json.is_object()) {
    mistakes_.add(place_, "expected an object, found " + found(json));
    json_ = &kEmptyObject;
  }
}

JsonObject::~JsonObject() {
  for (const auto& item : json_->items()) {
    if (!asked_.contains(item.key())) {
      mistakes_.add(inside(item.key()), fmt::format("no such key here; there are {}", fmt::join(asked_, ", ")));
    }
  }
}

std::string JsonObject::inside(std::string_view key) const {
  return place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key);
}

const nlohmann::json* JsonObject::find(std::string_view key) {
  asked_.emplace(key);
  const auto at = json_->find(key);
  return at == json_->end() ? nullptr : &*at;
}

const nlohmann::json* JsonObject::array(std::string_view key) {
  const nlohmann::json* const value = find(key);
  if (value != nullptr && !value->is_array()) {
    mistake(key, "expected an array, found " + found(*value));
    return nullptr;
  }
  return value;
}

void JsonObject::need(std::string_view key) {
  if (!has(key)) {
    mistake(key, "is missing");
  }
}

void JsonObject::number(std::string_view key, double& to, Limits limits) {
  const nlohmann::json* const value = find(key);
  if (value == nullptr) {
    return;
  }
  const double number = value->is_number() ? value->get<double>() : std::nan("");
  if (number >= limits.low && number <= limits.high) {
    to = number;
  } else {
    mistake(key, fmt::format("expected a number from {} to {}, found {}", limits.low, limits.high, found(*value)));
  }
}

template <typename T>
void JsonObject::whole(std::string_view key, T& to, Limits limits) {
  const nlohmann::json* const value = find(key);
  if (value == nullptr) {
    return;
  }
  const double number = value->is_number() ? value->get<double>() : std::nan("");
  if (number >= limits.low && number <= limits.high && number == std::floor(number)) {
    to = static_cast<T>(number);
  } else {
    mistake(key,
            fmt::format("expected a whole number from {} to {}, found {}", limits.low, limits.high, found(*value)));
  }
}
void JsonObject::count(std::string_view key, std::uint32_t& to, Limits limits) { whole(key, to, limits); }
void JsonObject::count(std::string_view key, std::uint64_t& to, Limits limits) { whole(key, to, limits); }

void JsonObject::flag(std::string_view key, bool& to) {
  const nlohmann::json* const value = find(key);
  if (value != nullptr && value->is_boolean()) {
    to = value->get<bool>();
  } else if (value != nullptr) {
    mistake(key, "expected true or false, found " + found(*value));
  }
}

void JsonObject::text(std::string_view key, std::string& to) {
  const nlohmann::json* const value = find(key);
  if (value != nullptr && value->is_string()) {
    to = value->get<std::string>();
  } else if (value != nullptr) {
    mistake(key, "expected a text, found " + found(*value));
  }
}

std::vector<std::string> JsonObject::texts(std::string_view key) {
  std::vector<std::string> all;
  const nlohmann::json* const values = array(key);
  for (std::size_t i = 0; values != nullptr && i < values->size(); ++i) {
    if ((*values)[i].is_string()) {
      all.push_back((*values)[i].get<std::string>());
    } else {
      mistake(key, "expected texts, found " + found((*values)[i]));
    }
  }
  return all;
}

void JsonObject::microseconds(std::string_view key, double& to) {
  double value = to * 1e6;
  number(key, value);
  to = has(key) ? value * 1e-6 : to;
}

void JsonObject::bandwidth(std::string_view key, double& to) {
  double megabytes = 0.0;
  number(key, megabytes);
  if (has(key)) {
    to = megabytes > 0.0 ? 1e-6 / megabytes : 0.0;
  }
}

}  // namespace weft::sim
