// Moves bytes between the processes of a job. Knows processes, not ranks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.hpp"

namespace weft::net {

// Receives messages. One call at a time for each transport, on any thread that polls; must not block.
class Sink {
 public:
  virtual ~Sink() = default;
  // `message` is what one send() was given: head, then body. It is 8-byte aligned and valid until the call returns.
  virtual void arrived(ProcessId from, std::span<const std::byte> message) = 0;
};

// A copy from another process's memory. The caller keeps it in place until `finished` is called, from within read() or
// from a poll() of any thread.
struct Read {
  ProcessId from{};
  const void* address = nullptr;  // in that process; readable there until the read is over
  std::span<std::byte> into;      // any length
  void (*finished)(Read& read) = nullptr;
  bool lost = false;                    // when it has finished: the other process has died, nothing was read
  bool helped = true;                   // an idle worker of the other process may do a part of it
  std::atomic<std::uint64_t> left = 0;  // used by the transport: bytes still to come
};

// Wakes a sleeping worker; lies in memory that the processes of a node share. The worker sets `asleep`, looks once
// more, and waits (futex, not private) while `word` keeps the value that it read before. The thread that wakes it
// clears `asleep`, adds one to `word` and wakes the futex.
struct alignas(64) Doorbell {
  std::atomic<std::uint32_t> word = 0;
  std::atomic<std::uint32_t> asleep = 0;
};

// Connects this process with some or all others. Messages from one process to another arrive exactly once, in the order
// of their send() calls as far as these are ordered. Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;

  // Most bytes of head and body together.
  virtual std::size_t longest_message() const = 0;
  // Copies head and body, or passes them on, before it returns. Never waits for the receiver: a message that finds no
  // room is kept in this process's memory and sent by later calls of send() and poll().
  virtual void send(ProcessId to, std::span<const std::byte> head, std::span<const std::byte> body) = 0;
  // Starts the read; may finish it before it returns.
  virtual void read(Read& read) = 0;
  // Passes arrived messages to the sink and makes progress. Returns at once when another thread polls. True when
  // something was done.
  virtual bool poll() = 0;
  // Does a part of a copy that another process waits for, if one has asked. For workers that have nothing else to do.
  // True when something was done.
  virtual bool help() { return false; }

  // Worker `worker`'s doorbell. Null where the transport needs none because its own thread polls when necessary. Before
  // it sleeps a worker sets `asleep` and then calls may_sleep(); it may sleep only if that returns true.
  virtual Doorbell* doorbell(std::uint32_t /*worker*/) { return nullptr; }
  virtual bool may_sleep() { return true; }

  // The process has died: messages to it are dropped from now on, and what it has sent still arrives. For transports
  // between processes that may die (SharedMemoryOptions::peers_may_die); all others ignore the call. Any thread.
  virtual void lose(ProcessId /*peer*/) {}

  // False: a device may write arriving data into this process's memory without the kernel noticing (WriteTracker).
  virtual bool writes_are_seen() const { return true; }

  // True when this process has nothing left to send or read.
  virtual bool is_drained() const = 0;
};

}  // namespace weft::net
