// Ghost cells from the neighbouring ranks, without any global step.
#pragma once

#include <mpi.h>

#include <vector>

#include "parallel/decomposition.hpp"
#include "physics/packing.hpp"
#include "physics/state.hpp"

namespace ondes3d {

template <typename Real>
[[nodiscard]] MPI_Datatype mpi_type() {
  return sizeof(Real) == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE;
}

// One exchange of a fixed set of fields of a state.
template <typename Real>
class Halo {
 public:
  enum class Of { kStress, kVelocity };
  Halo(MPI_Comm comm, const Decomposition& columns, int rank, const State<Real>& state, Of what);

  // Sends the rim; the fields may be read but not written until finish().
  void start(const State<Real>& state);
  // Waits for the neighbours and fills the ghost cells.
  void finish(State<Real>& state);

  // Between finish() and start(): what the buffers hold is of no use then.
  template <typename Puper>
  void pup(Puper& p) {
    for (Link& link : links_) {
      pup_size(p, link.outgoing);
      pup_size(p, link.incoming);
    }
  }

 private:
  struct Link {
    int peer = 0;
    int send_tag = 0;
    int receive_tag = 0;
    Box send;
    Box receive;
    std::vector<std::size_t> fields;  // of State::all()
    std::vector<Real> outgoing;
    std::vector<Real> incoming;
  };
  void connect(const Decomposition& columns, int rank, Of what, Index3 direction);

  MPI_Comm comm_;
  Layout layout_;
  std::vector<Link> links_;
  std::vector<MPI_Request> requests_;
};

extern template class Halo<float>;
extern template class Halo<double>;

}  // namespace ondes3d
