// The profile of a recorded run (weftrun --record): the sums that predictions need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/collective_share.hpp"

namespace weft::predict {

// Point-to-point messages between two ranks.
struct PeerTraffic {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// Seconds and bytes. "All": the sum over all ranks.
struct Profile {
  std::string name{};     // of the recording's folder
  std::string program{};  // its file name, without a folder
  int exit_code = 0;
  std::uint32_t ranks = 0;
  std::uint32_t workers = 0;
  std::uint32_t hosts = 0;
  double time = 0.0;                     // from the first event of a rank to the last
  double waiting = 0.0;                  // mean time of a rank in MPI calls; other ranks of its worker may compute then
  std::vector<double> rank_computing{};  // CPU time between MPI calls, by rank
  std::uint64_t messages = 0;            // all; without those of collective calls
  std::uint64_t message_bytes = 0;
  std::uint64_t collectives = 0;  // calls, all
  std::vector<CollectiveCalls> collective_calls{};
  double collective_messages = 0.0;  // messages that they count as, all
  double collective_bytes = 0.0;
  std::uint64_t bytes_to_move = 0;     // largest of any rank in any call of MPI_Migrate; 0: no such call
  std::vector<PeerTraffic> traffic{};  // sorted by from, then to

  [[nodiscard]] double computing() const;  // all
  // Means of a rank, with the messages that collective calls count as.
  [[nodiscard]] double sends_per_rank() const;
  [[nodiscard]] double bytes_per_send() const;  // 0 where nothing is sent
  // The mean time in which a worker had no rank that computes, if it got `quota` of its core while there was one. With
  // a core for each rank this is a rank's mean time in MPI.
  [[nodiscard]] double idle_of_worker(double quota = 1.0) const;
};

// Throws trace::Error, one line, if the folder does not hold a complete recording.
Profile read_profile(const std::string& folder);

}  // namespace weft::predict
