// How a rank's state goes along when the rank moves: `pup(p)` of each class names what it holds, for counting, packing
// and unpacking alike. `Puper` has the operators of PUP::er; no class here knows who provides them.
#pragma once

namespace ondes3d {

// A vector's values; packing for good frees them, unpacking allocates them again.
template <typename Puper, typename Vector>
void pup_values(Puper& p, Vector& values) {
  p | values;
  if (p.isDeleting()) {
    Vector().swap(values);
  }
}

// Packs the size of a vector, not its values.
template <typename Puper, typename Vector>
void pup_size(Puper& p, Vector& values) {
  auto count = values.size();
  p | count;
  if (p.isDeleting()) {
    Vector().swap(values);
  }
  if (p.isUnpacking()) {
    values = Vector(count);
  }
}

}  // namespace ondes3d
