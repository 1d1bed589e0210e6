// The dynamic section: symbols, versions, relocations, initialisers, needed libraries.
#pragma once

#include "runtime/image/elf_file.hpp"

namespace weft::image {

// Fills the parts of `elf` that the dynamic section describes. REQUIRES: its segments have been read. Throws LoadError.
void read_dynamic(ElfFile& elf, const Bytes& section);

}  // namespace weft::image
