// Replaces the archive's writer if libotf2 was not found when Weft was built.
#include "trace/otf2/write.hpp"

namespace weft::trace {

bool has_otf2() { return false; }
std::string otf2_anchor(const std::string& folder) { return folder + "/traces.otf2"; }
void write_otf2(const std::string& /*folder*/, const std::vector<ProcessFiles>& /*parts*/) {
  throw Error("Weft was built without libotf2");
}

}  // namespace weft::trace
