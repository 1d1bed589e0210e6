#include "inspect/messages.hpp"

namespace weft::inspect {

std::string_view name_of(Activity activity) {
  switch (activity) {
    case Activity::waits:
      return "waits";
    case Activity::ready:
      return "ready";
    case Activity::computes:
      return "computes";
    case Activity::blocked:
      return "blocked";
    case Activity::begins:
      return "begins";
    case Activity::moves:
      return "moves";
    default:
      return "unknown";
  }
}

}  // namespace weft::inspect
