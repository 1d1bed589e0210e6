// Processes under a launcher that speaks the wire protocol of MPICH's PMI-1: hydra's mpiexec, srun --mpi=pmi2.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/bootstrap/bootstrap.hpp"

namespace weft::bootstrap {

// REQUIRES: PMI_FD, PMI_RANK and PMI_SIZE in the environment. Throws std::runtime_error.
std::unique_ptr<Bootstrap> connect_pmi1();

// The protocol allows words of limited length without spaces and '='. A value is sent as pieces
// "<pieces>x<hexadecimal>" of at most `most` bytes; only the first has the count.
std::vector<std::string> cut_into_words(std::string_view value, std::size_t most);
// The number of pieces, read from the first one. Throws std::runtime_error.
std::size_t count_pieces(std::string_view first);
std::string join_words(const std::vector<std::string>& pieces);

}  // namespace weft::bootstrap
