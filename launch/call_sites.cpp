#include "launch/call_sites.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "launch/backtrace.hpp"
#include "runtime/image/describe.hpp"

namespace weft::launch {

std::uintptr_t ProgramCallSites::caller() const { return calling_program(); }

std::string ProgramCallSites::name(std::uintptr_t caller) {
  const std::uintptr_t address = caller - 1;  // a return address belongs to the call before it
  std::array<char, 512> text{};
  const std::string name = image::describe(reinterpret_cast<const void*>(address), text.data(), text.size());
  const std::lock_guard lock(mutex_);
  places_.try_emplace(name, code_place(address));
  return name;
}

std::vector<std::string> ProgramCallSites::lines(const std::vector<std::string>& names) {
  std::vector<CodePlace> places;
  for (const std::string& name : names) {
    const auto found = places_.find(name);
    places.push_back(found == places_.end() ? CodePlace{} : found->second);
  }
  for (std::size_t i = 0; i < places.size(); i += kMostCodePlaces) {
    read_source_lines(std::span(places).subspan(i, std::min(kMostCodePlaces, places.size() - i)));
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < names.size(); ++i) {
    lines.push_back(places[i].line[0] == '\0' ? names[i] : places[i].line.data());
  }
  return lines;
}

}  // namespace weft::launch
