// Reads the events of one worker from a file, one after the other, without holding them all in memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "trace/decode.hpp"

namespace weft::trace {

class Source {
 public:
  // The file holds the contents of a Buffer. Its names are added to `names`, which must outlive this. Throws Error if
  // the file cannot be read.
  Source(const std::string& file, Names& names);
  // Returns false at the end. Throws Error if the file is damaged.
  bool next(Event& event) { return decode(cursor_, stream_, names_, event); }

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(const char* memory) const;
  };
  std::string_view text() const { return {memory_.get(), memory_.get_deleter().bytes}; }

  std::unique_ptr<const char, Unmap> memory_;
  Cursor cursor_;
  DecoderState stream_;
  Names& names_;
};

}  // namespace weft::trace
