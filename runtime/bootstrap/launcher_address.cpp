#include "runtime/bootstrap/launcher_address.hpp"

#include <fmt/format.h>

#include "runtime/bootstrap/address_words.hpp"

namespace weft::bootstrap {

std::string to_text(const LauncherAddress& launcher) {
  return fmt::format("{}:{}:{}:{}", launcher.process, launcher.processes, launcher.fd, launcher.notices_fd);
}

LauncherAddress parse_launcher_address(std::string_view text) {
  LauncherAddress launcher;
  launcher.process = next_number<std::uint32_t>(text);
  launcher.processes = next_number<std::uint32_t>(text);
  launcher.fd = next_number<int>(text);
  launcher.notices_fd = next_number<int>(text);
  return launcher;
}

}  // namespace weft::bootstrap
