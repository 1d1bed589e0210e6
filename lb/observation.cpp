#include "lb/observation.hpp"

#include <algorithm>

namespace weft::lb {

Observation::Observation(std::size_t ranks, std::size_t workers) : intervals(workers), wanted(ranks, kAnyWorker) {
  measured.ranks.resize(ranks);
  measured.workers.resize(workers);
}

void Observation::add_worker(WorkerId worker, const trace::WorkerInterval& interval, const Place& place) {
  intervals[number(worker)] = interval;
  measured.workers[number(worker)] = {
      .speed = interval.speed, .background_seconds = interval.contended, .place = place};
}

void Observation::add_rank(const RankInterval& rank) {
  // Seconds at the speed of the rank's worker.
  measured.ranks[number(rank.rank)] = {.rank = rank.rank,
                                       .home = rank.home,
                                       .seconds = rank.work / measured.workers[number(rank.home)].speed,
                                       .bytes = rank.bytes,
                                       .may_move = rank.may_leave};
  wanted[number(rank.rank)] = rank.wanted;
  if (rank.is_declared) {
    declared.push_back(rank.rank);
  }
}

void Observation::add_superstep(std::size_t t, RankId rank, const RankSuperstep& superstep) {
  supersteps.resize(std::max(supersteps.size(), t + 1));
  Superstep& all = supersteps[t];
  all.seconds.resize(measured.ranks.size());
  const WorkerId home = measured.ranks[number(rank)].home;
  all.seconds[number(rank)] = superstep.work / measured.workers[number(home)].speed;
  all.edges.insert(all.edges.end(), superstep.sent.begin(), superstep.sent.end());
}

}  // namespace weft::lb
