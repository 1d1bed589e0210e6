// Reads the events of one worker from a file, one after the other, however many there are.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "trace/decode.hpp"

namespace weft::trace {

class Source {
 public:
  // The file holds the contents of a Buffer; its names get their numbers in `names`, which must outlive this. Throws
  // Error when it cannot be read.
  Source(const std::string& file, Names& names);
  // False at the end. Throws Error where the file is damaged.
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
