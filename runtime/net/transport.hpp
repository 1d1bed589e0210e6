// How bytes get from one process of the job to another. Knows processes, not ranks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.hpp"

namespace weft::net {

// Takes what arrives. One call at a time for one transport, on whatever thread polls; must not block.
class Sink {
 public:
  virtual ~Sink() = default;
  // `message` is what one send() was given, head and body behind each other; 8-byte aligned, good until the call
  // returns.
  virtual void arrived(ProcessId from, std::span<const std::byte> message) = 0;
};

// A copy out of another process's memory. The caller keeps it in place until `finished` is called, from within read()
// or from a poll() of any thread.
struct Read {
  ProcessId from{};
  const void* address = nullptr;  // in that process; readable there until the read is over
  std::span<std::byte> into;      // any length
  void (*finished)(Read& read) = nullptr;
  bool lost = false;                    // when it has finished: the other process has died, nothing was read
  bool helped = true;                   // an idle worker of the other process may do a part of it
  std::atomic<std::uint64_t> left = 0;  // the transport's own: bytes, or pieces, still to come
};

// Where a sleeping worker is woken, in memory that the processes of a node share. The worker sets `asleep`, looks once
// more, and waits (futex, not private) while `word` keeps the value that it read before. Who wakes it clears `asleep`,
// adds one to `word` and wakes the futex.
struct alignas(64) Bell {
  std::atomic<std::uint32_t> word = 0;
  std::atomic<std::uint32_t> asleep = 0;
};

// Connects this process with some or all others. Messages from one process to another arrive in the order of their
// send() calls, as far as these are ordered, exactly once. All functions may be called by any thread.
class Transport {
 public:
  virtual ~Transport() = default;

  // Most bytes of head and body together.
  virtual std::size_t longest_message() const = 0;
  // Copies head and body, or puts them on their way, before it returns. Never waits for the receiver: what finds no
  // room is kept in this process's memory and goes out in later calls of send() and poll().
  virtual void send(ProcessId to, std::span<const std::byte> head, std::span<const std::byte> body) = 0;
  // Starts the read; may finish it before it returns.
  virtual void read(Read& read) = 0;
  // Hands what has arrived to the sink and moves on what is under way. Returns at once when another thread polls; true
  // when something was done.
  virtual bool poll() = 0;
  // Does a part of what another process waits for, where one has asked; for workers that have nothing else to do. True
  // when something was done.
  virtual bool help() { return false; }

  // Worker `worker`'s bell, null where the transport needs none because a thread of its own polls when it must. Before
  // it sleeps a worker sets `asleep` and then asks idle(); it may sleep only if that returns true.
  virtual Bell* bell(std::uint32_t /*worker*/) { return nullptr; }
  virtual bool idle() { return true; }

  // A process has died: what is sent to it from now on is dropped, and what it has sent still arrives. Only where the
  // transport was made for that; any thread.
  virtual void lose(ProcessId /*peer*/) {}

  // False: a device may write what arrives into the memory of this process, and the kernel does not notice
  // (WriteTracker).
  virtual bool writes_are_seen() const { return true; }

  // Nothing of this process's own is still to be sent or read.
  virtual bool drained() const = 0;
};

}  // namespace weft::net
