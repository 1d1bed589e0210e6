// Hosts with their slots as a text, and what a call throws.
#pragma once

#include <string>
#include <vector>

#include "base/options.hpp"
#include "runtime/placement/host_slots.hpp"

namespace weft::placement::test {

inline std::string text_of(const std::vector<HostSlots>& hosts) {
  std::string text;
  for (const HostSlots& host : hosts) {
    text += (text.empty() ? "" : " ") + host.host + (host.slots ? ":" + std::to_string(*host.slots) : "");
  }
  return text;
}

template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const base::OptionError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace weft::placement::test
