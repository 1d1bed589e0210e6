// A job's trace as an OTF2 archive, for Vampir, Scalasca, otf2-print and other tools. Where Weft was built without
// libotf2 there is none.
#pragma once

#include <string>
#include <vector>

#include "trace/sequence.hpp"

namespace weft::trace {

bool has_otf2();
// The file that opens an archive in this folder.
std::string otf2_anchor(const std::string& folder);
// Writes the archive; each rank of the job is one location. Throws Error. REQUIRES: has_otf2(), a part.
void write_otf2(const std::string& folder, const std::vector<PartFiles>& parts);

}  // namespace weft::trace
