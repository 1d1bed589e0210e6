// Writes a job's trace as an OTF2 archive, for Vampir, Scalasca, otf2-print and other tools. Not available if Weft was
// built without libotf2.
#pragma once

#include <string>
#include <vector>

#include "trace/sequence.hpp"

namespace weft::trace {

bool has_otf2();
// The anchor file of an archive in this folder.
std::string otf2_anchor(const std::string& folder);
// Writes the archive; each rank of the job is one location. Throws Error. REQUIRES: has_otf2(); files of at least one
// process.
void write_otf2(const std::string& folder, const std::vector<ProcessFiles>& parts);

}  // namespace weft::trace
