#include "runtime/lbstep/step_checkpoint.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "runtime/control/cluster.hpp"
#include "runtime/control/control_channel.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/lbstep/checkpoint.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/setup/program.hpp"
#include "runtime/setup/upper_layer.hpp"

namespace weft::runtime {
inline namespace lbstep {

bool StepCheckpoint::add(Rank& rank) {
  ranks_.push_back(&rank);
  return ranks_.size() == job_.ranks.live.load();
}

void StepCheckpoint::forget(const Rank& rank) {
  if (images_) {
    images_->forget(number(rank.id));
  }
}

ImageContents& StepCheckpoint::images() {
  if (!images_) {
    const bool is_alone = job_.cluster.process_count() == 1;
    images_.emplace(job_.config.incremental && (is_alone || job_.cluster.transport().writes_are_seen()));
  }
  return *images_;
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
  const bool is_in_memory = CheckpointFiles::are_in_memory(folder);
  attempt([&] {
    if (is_in_memory) {
      images().begin_image();
    }
    writer = std::make_unique<CheckpointWriter>(folder, step, number(job_.cluster.self()), ram_files_,
                                                is_in_memory ? &images() : nullptr);
  });
  // In the order of their slots: neighbouring mappings stay one mapping where they are watched alike (WriteTracker).
  std::ranges::sort(ranks_, {}, [](const Rank* rank) { return number(rank->id); });
  for (Rank* const rank : std::exchange(ranks_, {})) {
    Worker& home = *rank->worker.load(std::memory_order_relaxed);
    MigrationImage image = pack_rank(job_, *rank, true);
    attempt([&] {
      const std::vector<std::span<std::byte>> memory = spans_of(image.memory);
      if (is_in_memory) {
        images().note_written(image.rank, job_.program.addresses_of(rank->id), memory);
      }
      writer->add(image.rank, pup::pack(image), memory);
    });
    resume_rank(job_, *rank, image.state, home);
  }
  attempt([&] { part.entries = writer->close(); });
  if (job_.config.flush_output && is_in_memory) {
    job_.config.flush_output();
  }
  part.first_context = job_.upper_layer == nullptr ? 0 : job_.upper_layer->first_unused_context(job_.job);
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
    std::vector<Arrival> arrivals = make_room(reader);
    read_memory(reader, arrivals);
    for (Arrival& arrival : arrivals) {
      if (const ProcessId home = arrival.rank->process; home == job_.cluster.self()) {
        resume(arrival);
      } else {
        job_.control.send_control(home, std::move(arrival.image));
      }
    }
  } catch (const std::exception& error) {
    job_.abort(1, std::string("weftrun: ") + error.what());
  }
}

// With several hosts a rank may not know the latest length of a file that it shares with ranks elsewhere.
void StepCheckpoint::truncate_files() const {
  try {
    for (std::uint32_t r = 0; r < job_.ranks.at_start(); ++r) {
      if (Rank& rank = job_.ranks[r]; RankTable::lives_here(rank)) {
        job_.program.truncate_files(rank.id);
        if (job_.upper_layer != nullptr) {
          if (const std::string wrong = job_.upper_layer->roll_back(rank, !job_.config.has_several_hosts());
              !wrong.empty()) {
            throw std::runtime_error(fmt::format("rank {}: {}", number(rank.id), wrong));
          }
        }
      }
    }
  } catch (const std::exception& error) {
    job_.abort(1, std::string("weftrun: ") + error.what());
  }
}

// In a job on several hosts each host has its own files only. If the rank is to live on another host, a process that
// can read its file reads it and sends it there.
ProcessId StepCheckpoint::reader_of(const Rank& rank, const CheckpointEntry& entry) const {
  if (job_.config.file_readers.empty()) {
    return rank.process;
  }
  const std::uint32_t reader = job_.config.file_readers.at(entry.file);
  const bool is_near = job_.config.named_host_of(reader) == job_.config.named_host_of(number(rank.process));
  return is_near ? rank.process : ProcessId{reader};
}

// A rank that comes from another process has no worker until it is here.
std::uint32_t StepCheckpoint::begin_reading(const CheckpointReader& reader) const {
  const ProcessId self = job_.cluster.self();
  std::uint32_t going = 0;
  for (std::uint32_t r = 0; r < job_.ranks.at_start(); ++r) {
    Rank& rank = job_.ranks[r];
    const ProcessId its = reader_of(rank, reader.entry(r));
    if (rank.process == self && its != self) {
      rank.worker.store(nullptr, std::memory_order_relaxed);
    }
    going += rank.process != self && its == self ? 1 : 0;
  }
  return going;
}

// Prepares all ranks that are read here.
std::vector<StepCheckpoint::Arrival> StepCheckpoint::make_room(const CheckpointReader& reader) const {
  std::vector<Arrival> arrivals;
  for (std::uint32_t r = 0; r < job_.ranks.at_start(); ++r) {
    Rank& rank = job_.ranks[r];
    if (reader_of(rank, reader.entry(r)) == job_.cluster.self()) {
      Arrival& arrival = arrivals.emplace_back(Arrival{.rank = &rank, .entry = &reader.entry(r), .image = {}});
      pup::unpack(reader.image(*arrival.entry), arrival.image);
      job_.program.make_room(rank.id);
    }
  }
  return arrivals;
}

// The workers are still idle, so as many threads as there are workers read, each one rank after the other. Rethrows the
// first exception of any of them.
void StepCheckpoint::read_memory(const CheckpointReader& reader, const std::vector<Arrival>& arrivals) const {
  std::atomic<std::size_t> next = 0;
  std::atomic_flag failed;
  std::exception_ptr failure;
  const auto read_some = [&] {
    try {
      for (std::size_t i = next++; i < arrivals.size(); i = next++) {
        const std::vector<MemoryRange>& memory = arrivals[i].image.memory;
        const std::vector<std::span<std::byte>> spans = spans_of(memory);
        std::ranges::for_each(memory, prefer_huge_pages);
        std::ranges::for_each(spans, make_present);
        reader.memory(*arrivals[i].entry, spans);
      }
    } catch (...) {
      if (!failed.test_and_set()) {
        failure = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    try {
      for (std::size_t t = 1; t < std::min(job_.workers.size(), arrivals.size()); ++t) {
        helpers.emplace_back(read_some);
      }
    } catch (const std::system_error&) {
      // no thread to spare: fewer read
    }
    read_some();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

void StepCheckpoint::resume(const Arrival& arrival) const {
  Rank& rank = *arrival.rank;
  Worker& home = *rank.worker.load(std::memory_order_relaxed);
  job_.program.finish_arrival(rank.id, true);
  rank.worker.store(nullptr, std::memory_order_relaxed);
  resume_rank(job_, rank, arrival.image.state, home);
}

}  // namespace lbstep
}  // namespace weft::runtime
