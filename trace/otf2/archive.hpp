// The files of an OTF2 archive.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string>

namespace weft::trace::otf2 {

// Throws Error if libotf2 reports an error. `what`: the action that failed, for the message.
void must(OTF2_ErrorCode code, const char* what);
template <typename Pointer>
Pointer* must(Pointer* made, const char* what) {
  must(made == nullptr ? OTF2_ERROR_MEM_ALLOC_FAILED : OTF2_SUCCESS, what);
  return made;
}

// An archive that one process writes.
class Archive {
 public:
  explicit Archive(const std::string& folder);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  OTF2_EvtWriter* open_events(OTF2_LocationRef location);
  // Returns the number of events in the file.
  std::uint64_t close_events(OTF2_EvtWriter* writer);
  OTF2_MarkerWriter* markers() { return markers_; }
  // To be called when all events are written: begins the definitions, for this many locations.
  OTF2_GlobalDefWriter* definitions(std::uint64_t locations);
  // Throws Error if something could not be written.
  void close();

 private:
  OTF2_Archive* archive_;
  OTF2_MarkerWriter* markers_ = nullptr;
};

// The only kind of marker.
inline constexpr OTF2_MarkerRef kMoveMarker = 0;

}  // namespace weft::trace::otf2
