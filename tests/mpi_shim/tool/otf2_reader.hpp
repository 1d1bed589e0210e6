// Reads an OTF2 archive with its own library, and says what is wrong with it.
#pragma once

#include <otf2/otf2.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace weft::mpi_shim {

// Who, to whom (ranks in the job), communicator, tag, bytes.
using Otf2Message = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t, std::uint64_t>;

struct Otf2Collective {
  OTF2_CollectiveOp operation;
  OTF2_CommRef comm;
  std::uint32_t root;
  std::uint64_t sent;
  std::uint64_t received;
  bool operator==(const Otf2Collective&) const = default;
};

struct Otf2Location {
  std::string name;
  std::uint64_t declared = 0;  // events, by the definitions
  std::uint64_t events = 0;
  OTF2_TimeStamp last = 0;
  std::vector<OTF2_RegionRef> open;
  std::map<std::string, std::uint64_t> calls;
  std::map<std::uint64_t, Otf2Message> sends;  // under way, by request
  std::map<std::uint64_t, bool> receives;      // the same
  std::map<std::uint64_t, bool> collectives;   // the same
  std::vector<Otf2Collective> ended;           // collective calls
  std::vector<std::int64_t> metrics;
  bool in_collective = false;
};

struct Otf2Archive {
  std::map<OTF2_StringRef, std::string> texts;
  std::map<OTF2_RegionRef, std::string> regions;
  std::map<OTF2_GroupRef, std::vector<std::uint64_t>> groups;
  std::map<OTF2_CommRef, std::vector<OTF2_GroupRef>> comms;
  std::map<OTF2_LocationRef, Otf2Location> locations;
  std::vector<Otf2Message> sent;
  std::vector<Otf2Message> received;
  std::vector<std::string> wrong;
  std::uint64_t markers = 0;

  explicit Otf2Archive(const std::string& folder);

  // The rank in the job that this number means to the location's rank.
  std::uint64_t member(OTF2_CommRef comm, OTF2_LocationRef me, std::uint32_t number) {
    if (!comms.contains(comm)) {
      wrong.push_back("an undefined communicator");
      return UINT64_MAX;
    }
    const std::vector<OTF2_GroupRef>& both = comms[comm];
    const std::vector<std::uint64_t>& first = groups[both[0]];
    const bool other = both.size() > 1 && std::ranges::find(first, me) != first.end();
    const std::vector<std::uint64_t>& peers = other ? groups[both[1]] : first;
    return number < peers.size() ? peers[number] : comm == 0 && number == 0 ? me : UINT64_MAX;
  }

  Otf2Location& at(OTF2_LocationRef location, OTF2_TimeStamp time) {
    Otf2Location& found = locations[location];
    ++found.events;
    if (time < found.last) {
      wrong.push_back("time goes back");
    }
    found.last = time;
    return found;
  }

 private:
  void read_definitions(OTF2_Reader* reader);
  void read_events(OTF2_Reader* reader);
};

namespace otf2_callbacks {

inline Otf2Archive& archive(void* data) { return *static_cast<Otf2Archive*>(data); }

inline OTF2_CallbackCode text(void* data, OTF2_StringRef self, const char* text) {
  archive(data).texts[self] = text;
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode region(void* data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
                                OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t,
                                std::uint32_t) {
  archive(data).regions[self] = archive(data).texts[name];
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode location(void* data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType,
                                  std::uint64_t events, OTF2_LocationGroupRef) {
  archive(data).locations[self].name = archive(data).texts[name];
  archive(data).locations[self].declared = events;
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode group(void* data, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType, OTF2_Paradigm,
                               OTF2_GroupFlag, std::uint32_t n, const std::uint64_t* members) {
  archive(data).groups[self].assign(members, members + n);
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode comm(void* data, OTF2_CommRef self, OTF2_StringRef, OTF2_GroupRef group, OTF2_CommRef,
                              OTF2_CommFlag) {
  archive(data).comms[self] = {group};
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode inter_comm(void* data, OTF2_CommRef self, OTF2_StringRef, OTF2_GroupRef a, OTF2_GroupRef b,
                                    OTF2_CommRef, OTF2_CommFlag) {
  archive(data).comms[self] = {a, b};
  return OTF2_CALLBACK_SUCCESS;
}

inline OTF2_CallbackCode enter(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                               OTF2_RegionRef region) {
  Otf2Location& here = archive(data).at(at, time);
  here.open.push_back(region);
  ++here.calls[archive(data).regions.contains(region) ? archive(data).regions[region] : "?"];
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode leave(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                               OTF2_RegionRef region) {
  Otf2Location& here = archive(data).at(at, time);
  if (here.open.empty() || here.open.back() != region) {
    archive(data).wrong.push_back("left what was not entered last");
    return OTF2_CALLBACK_SUCCESS;
  }
  here.open.pop_back();
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode send(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                              std::uint32_t to, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
  archive(data).at(at, time);
  archive(data).sent.emplace_back(at, archive(data).member(comm, at, to), comm, tag, bytes);
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode receive(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                                 std::uint32_t from, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
  archive(data).at(at, time);
  archive(data).received.emplace_back(archive(data).member(comm, at, from), at, comm, tag, bytes);
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode isend(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                               std::uint32_t to, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                               std::uint64_t request) {
  const Otf2Message message{at, archive(data).member(comm, at, to), comm, tag, bytes};
  archive(data).sent.push_back(message);
  if (!archive(data).at(at, time).sends.try_emplace(request, message).second) {
    archive(data).wrong.push_back("two sends with one request");
  }
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode isend_complete(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                                        std::uint64_t request) {
  if (archive(data).at(at, time).sends.erase(request) == 0) {
    archive(data).wrong.push_back("the end of no send");
  }
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode irecv_request(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                                       std::uint64_t request) {
  archive(data).at(at, time).receives[request] = true;
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode cancelled(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                                   std::uint64_t request) {
  if (archive(data).at(at, time).receives.erase(request) == 0) {
    archive(data).wrong.push_back("the end of no receive");
  }
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode irecv(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList* attributes,
                               std::uint32_t from, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                               std::uint64_t request) {
  cancelled(at, time, data, attributes, request);
  archive(data).received.emplace_back(archive(data).member(comm, at, from), at, comm, tag, bytes);
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode collective_begin(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList*) {
  Otf2Location& here = archive(data).at(at, time);
  if (std::exchange(here.in_collective, true)) {
    archive(data).wrong.push_back("a collective call in another");
  }
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode collective_end(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                                        OTF2_CollectiveOp operation, OTF2_CommRef comm, std::uint32_t root,
                                        std::uint64_t sent, std::uint64_t received) {
  Otf2Location& here = archive(data).at(at, time);
  if (!std::exchange(here.in_collective, false)) {
    archive(data).wrong.push_back("the end of no collective call");
  }
  here.ended.push_back({operation, comm, root, sent, received});
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode collective_request(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                                            std::uint64_t request) {
  archive(data).at(at, time).collectives[request] = true;
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode collective_complete(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                                             OTF2_CollectiveOp operation, OTF2_CommRef comm, std::uint32_t root,
                                             std::uint64_t sent, std::uint64_t received, std::uint64_t request) {
  Otf2Location& here = archive(data).at(at, time);
  if (here.collectives.erase(request) == 0) {
    archive(data).wrong.push_back("the end of no collective request");
  }
  here.ended.push_back({operation, comm, root, sent, received});
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode metric(OTF2_LocationRef at, OTF2_TimeStamp time, void* data, OTF2_AttributeList*,
                                OTF2_MetricRef, std::uint8_t n, const OTF2_Type*, const OTF2_MetricValue* values) {
  Otf2Location& here = archive(data).at(at, time);
  for (std::uint8_t i = 0; i < n; ++i) {
    here.metrics.push_back(values[i].signed_int);
  }
  return OTF2_CALLBACK_SUCCESS;
}
inline OTF2_CallbackCode marker(void* data, OTF2_TimeStamp, OTF2_TimeStamp, OTF2_MarkerRef, OTF2_MarkerScope,
                                std::uint64_t, const char*) {
  ++archive(data).markers;
  return OTF2_CALLBACK_SUCCESS;
}

}  // namespace otf2_callbacks

inline Otf2Archive::Otf2Archive(const std::string& folder) {
  OTF2_Reader* const reader = OTF2_Reader_Open((folder + "/traces.otf2").c_str());
  if (reader == nullptr) {
    wrong.push_back("there is no archive in " + folder);
    return;
  }
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  read_definitions(reader);
  read_events(reader);
  OTF2_Reader_Close(reader);
  for (const auto& [number, location] : locations) {
    if (location.events != location.declared) {
      wrong.push_back(location.name + " has other events than its definition says");
    }
    if (!location.open.empty() || location.in_collective) {
      wrong.push_back(location.name + " ends inside a call");
    }
  }
}

inline void Otf2Archive::read_definitions(OTF2_Reader* reader) {
  using namespace otf2_callbacks;
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* const callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, text);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, region);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, location);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, otf2_callbacks::group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, otf2_callbacks::comm);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, inter_comm);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, this);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  std::uint64_t n = 0;
  if (OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n) != OTF2_SUCCESS) {
    wrong.push_back("definitions cannot be read");
  }
  OTF2_MarkerReader* const markers_reader = OTF2_Reader_GetMarkerReader(reader);
  OTF2_MarkerReaderCallbacks* const marker_callbacks = OTF2_MarkerReaderCallbacks_New();
  OTF2_MarkerReaderCallbacks_SetMarkerCallback(marker_callbacks, marker);
  OTF2_Reader_RegisterMarkerCallbacks(reader, markers_reader, marker_callbacks, this);
  OTF2_MarkerReaderCallbacks_Delete(marker_callbacks);
  OTF2_Reader_ReadAllMarkers(reader, markers_reader, &n);
  OTF2_Reader_CloseMarkerReader(reader, markers_reader);
}

inline void Otf2Archive::read_events(OTF2_Reader* reader) {
  using namespace otf2_callbacks;
  for (const auto& [number, location] : locations) {
    OTF2_Reader_SelectLocation(reader, number);
  }
  OTF2_Reader_OpenDefFiles(reader);
  OTF2_Reader_OpenEvtFiles(reader);
  for (const auto& [number, location] : locations) {
    OTF2_DefReader* const local = OTF2_Reader_GetDefReader(reader, number);
    std::uint64_t n = 0;
    OTF2_Reader_ReadAllLocalDefinitions(reader, local, &n);
    OTF2_Reader_CloseDefReader(reader, local);
    OTF2_Reader_GetEvtReader(reader, number);
  }
  OTF2_Reader_CloseDefFiles(reader);
  OTF2_GlobalEvtReader* const events = OTF2_Reader_GetGlobalEvtReader(reader);
  OTF2_GlobalEvtReaderCallbacks* const callbacks = OTF2_GlobalEvtReaderCallbacks_New();
  OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(callbacks, enter);
  OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(callbacks, leave);
  OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(callbacks, send);
  OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(callbacks, receive);
  OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(callbacks, isend);
  OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, isend_complete);
  OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, irecv_request);
  OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(callbacks, irecv);
  OTF2_GlobalEvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, cancelled);
  OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveBeginCallback(callbacks, collective_begin);
  OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, collective_end);
  OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(callbacks, collective_request);
  OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks, collective_complete);
  OTF2_GlobalEvtReaderCallbacks_SetMetricCallback(callbacks, metric);
  OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, callbacks, this);
  OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
  std::uint64_t n = 0;
  if (OTF2_Reader_ReadAllGlobalEvents(reader, events, &n) != OTF2_SUCCESS) {
    wrong.push_back("events cannot be read");
  }
  OTF2_Reader_CloseGlobalEvtReader(reader, events);
  OTF2_Reader_CloseEvtFiles(reader);
}

}  // namespace weft::mpi_shim
