#include "trace/otf2/archive.hpp"

#include <utility>

#include "trace/event.hpp"

namespace weft::trace::otf2 {
namespace {

constexpr std::uint64_t kEventBytes = std::uint64_t{256} << 10;  // in memory for each open location
constexpr std::uint64_t kDefinitionBytes = std::uint64_t{4} << 20;

// Buffers are written out when they are full.
OTF2_FlushType flush(void* /*data*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/, void* /*caller*/,
                     bool /*final*/) {
  return OTF2_FLUSH;
}

// must() reports errors.
OTF2_ErrorCode keep_silent(void* /*data*/, const char* /*file*/, std::uint64_t /*line*/, const char* /*function*/,
                           OTF2_ErrorCode code, const char* /*format*/, va_list /*arguments*/) {
  return code;
}

}  // namespace

void must(OTF2_ErrorCode code, const char* what) {
  if (code != OTF2_SUCCESS) {
    throw Error(std::string("libotf2 could not ") + what + ": " + OTF2_Error_GetDescription(code));
  }
}

Archive::Archive(const std::string& folder) {
  OTF2_Error_RegisterCallback(keep_silent, nullptr);
  archive_ = must(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, kEventBytes, kDefinitionBytes,
                                    OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE),
                  "open the archive");
  static constexpr OTF2_FlushCallbacks kFlush{.otf2_pre_flush = flush, .otf2_post_flush = nullptr};
  must(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr), "set up the archive");
  must(OTF2_Archive_SetSerialCollectiveCallbacks(archive_), "set up the archive");
  must(OTF2_Archive_SetCreator(archive_, "Weft"), "set up the archive");
  must(OTF2_Archive_OpenEvtFiles(archive_), "open files for events");
  markers_ = must(OTF2_Archive_GetMarkerWriter(archive_), "open a file for markers");
  must(OTF2_MarkerWriter_WriteDefMarker(markers_, kMoveMarker, "Weft", "move", OTF2_SEVERITY_NONE), "write a marker");
}

Archive::~Archive() {
  if (archive_ != nullptr) {
    OTF2_Archive_Close(archive_);
  }
}

OTF2_EvtWriter* Archive::open_events(OTF2_LocationRef location) {
  return must(OTF2_Archive_GetEvtWriter(archive_, location), "open a location");
}

std::uint64_t Archive::close_events(OTF2_EvtWriter* writer) {
  std::uint64_t events = 0;
  must(OTF2_EvtWriter_GetNumberOfEvents(writer, &events), "count events");
  must(OTF2_Archive_CloseEvtWriter(archive_, writer), "write events");
  return events;
}

OTF2_GlobalDefWriter* Archive::definitions(std::uint64_t locations) {
  must(OTF2_Archive_CloseEvtFiles(archive_), "write events");
  must(OTF2_Archive_OpenDefFiles(archive_), "open files for definitions");
  for (std::uint64_t location = 0; location < locations; ++location) {
    OTF2_DefWriter* const writer = must(OTF2_Archive_GetDefWriter(archive_, location), "open a location");
    must(OTF2_Archive_CloseDefWriter(archive_, writer), "write definitions");
  }
  must(OTF2_Archive_CloseDefFiles(archive_), "write definitions");
  return must(OTF2_Archive_GetGlobalDefWriter(archive_), "open the file of definitions");
}

void Archive::close() { must(OTF2_Archive_Close(std::exchange(archive_, nullptr)), "write the archive"); }

}  // namespace weft::trace::otf2
