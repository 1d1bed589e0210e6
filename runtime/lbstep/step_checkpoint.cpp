#include "runtime/lbstep/step_checkpoint.hpp"

#include <exception>
#include <memory>
#include <utility>

#include "runtime/control/cluster.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/lbstep/checkpoint.hpp"
#include "runtime/lbstep/migration_image.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/setup/program.hpp"
#include "runtime/setup/upper_layer.hpp"

namespace weft::runtime {
inline namespace lbstep {

bool StepCheckpoint::add(Rank& rank) {
  ranks_.push_back(&rank);
  return ranks_.size() == job_.ranks.live.load();
}

CheckpointPart StepCheckpoint::write(const std::string& folder, std::uint64_t step) {
  CheckpointPart part;
  std::unique_ptr<CheckpointWriter> writer;
  const auto attempt = [&](const auto& action) {
    try {
      if (part.failure.empty()) {
        action();
      }
    } catch (const std::exception& error) {
      part.failure = error.what();
    }
  };
  attempt([&] { writer = std::make_unique<CheckpointWriter>(folder, step, number(job_.cluster.self()), ram_files_); });
  for (Rank* const rank : std::exchange(ranks_, {})) {
    Worker& home = *rank->worker.load(std::memory_order_relaxed);
    MigrationImage image = pack_rank(job_, *rank, true);
    attempt([&] { part.entries.push_back(writer->add(image.rank, pup::pack(image), spans_of(image.memory))); });
    resume_rank(job_, *rank, image.state, home);
  }
  attempt([&] { writer->close(); });
  if (job_.config.flush_output && CheckpointFiles::are_in_memory(folder)) {
    job_.config.flush_output();
  }
  part.first_context = job_.upper_layer == nullptr ? 0 : job_.upper_layer->contexts_used(job_.job);
  return part;
}

CheckpointReader StepCheckpoint::open() const {
  try {
    return CheckpointReader(job_.config.restart);
  } catch (const std::exception& error) {
    job_.abort(1, std::string("weftrun: ") + error.what());
    throw;
  }
}

void StepCheckpoint::read(const CheckpointReader& reader) const {
  try {
    if (job_.upper_layer != nullptr) {
      job_.upper_layer->skip_contexts(job_.job, reader.index().first_context);
    }
    for (std::uint32_t r = 0; r < job_.ranks.at_start(); ++r) {
      if (Rank& rank = job_.ranks[r]; rank.worker.load(std::memory_order_relaxed) != nullptr) {
        read_rank(reader, rank);
      }
    }
  } catch (const std::exception& error) {
    job_.abort(1, std::string("weftrun: ") + error.what());
  }
}

void StepCheckpoint::read_rank(const CheckpointReader& reader, Rank& rank) const {
  Worker& home = *rank.worker.load(std::memory_order_relaxed);
  const CheckpointEntry& entry = reader.entry(number(rank.id));
  MigrationImage image;
  pup::unpack(reader.image(entry), image);
  job_.program.make_room(rank.id);
  reader.memory(entry, spans_of(image.memory));
  job_.program.arrived(rank.id);
  rank.worker.store(nullptr, std::memory_order_relaxed);
  resume_rank(job_, rank, image.state, home);
}

}  // namespace lbstep
}  // namespace weft::runtime
