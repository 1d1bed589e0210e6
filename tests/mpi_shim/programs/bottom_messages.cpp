// Messages between two ranks, partitions, and packing.
#include "bottom.hpp"

namespace {

constexpr int kTag = 7;

int right() { return (rank + 1) % size; }
int left() { return (rank + size - 1) % size; }
int mine(int b, int k) { return value(rank, b, k); }
int from_left(int b, int k) { return value(left(), b, k); }

// Two blocks to the right neighbour and two from the left one.
constexpr int kBlocks = 2;
struct Exchange {
  Exchange() { out.fill(mine); }
  Area out{kBlocks}, in{kBlocks};
  Type from{out}, into{in};
};

// Ends what the call has begun, if anything.
void finish(MPI_Request& request, bool persistent = false) {
  if (persistent) {
    MPI_Start(&request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (persistent) {
    MPI_Request_free(&request);
  }
}

// Begins receives, then sends; a ready send finds its receive posted by the barrier's end.
template <typename N, typename Send>
void send(const char* call, bool persistent, Send&& send_from) {
  Exchange data;
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  WEFT_WIDTH(MPI_Irecv, MPI_BOTTOM, kBlocks, data.into, left(), kTag, world, &receive)
  MPI_Barrier(world);
  send_from(data.from, request);
  finish(request, persistent);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  data.in.expect(call, from_left);
}

// The sends of one mode, in all forms.
#define WEFT_SENDS(name, small)                                                              \
  send<N>("MPI_" #name, false, [](MPI_Datatype type, MPI_Request&) {                         \
    WEFT_WIDTH(MPI_##name, MPI_BOTTOM, kBlocks, type, right(), kTag, world)                  \
  });                                                                                        \
  send<N>("MPI_I" #small, false, [](MPI_Datatype type, MPI_Request& request) {               \
    WEFT_WIDTH(MPI_I##small, MPI_BOTTOM, kBlocks, type, right(), kTag, world, &request)      \
  });                                                                                        \
  send<N>("MPI_" #name "_init", true, [](MPI_Datatype type, MPI_Request& request) {          \
    WEFT_WIDTH(MPI_##name##_init, MPI_BOTTOM, kBlocks, type, right(), kTag, world, &request) \
  });

template <typename N>
void sends() {
  WEFT_SENDS(Send, send)
  WEFT_SENDS(Bsend, bsend)
  WEFT_SENDS(Ssend, ssend)
  WEFT_SENDS(Rsend, rsend)
}

// What each kind of receive does, between a send that has begun and its end.
template <typename N, typename Receive>
void receive(const char* call, Receive&& receive_into) {
  Exchange data;
  MPI_Request send = MPI_REQUEST_NULL;
  WEFT_WIDTH(MPI_Isend, MPI_BOTTOM, kBlocks, data.from, right(), kTag, world, &send)
  receive_into(data.into);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  data.in.expect(call, from_left);
}

template <typename N>
void receives() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  receive<N>("MPI_Recv", [&](MPI_Datatype type) {
    WEFT_WIDTH(MPI_Recv, MPI_BOTTOM, kBlocks, type, left(), kTag, world, MPI_STATUS_IGNORE)
  });
  receive<N>("MPI_Recv_init", [&](MPI_Datatype type) {
    WEFT_WIDTH(MPI_Recv_init, MPI_BOTTOM, kBlocks, type, left(), kTag, world, &request)
    finish(request, true);
  });
  receive<N>("MPI_Mrecv", [&](MPI_Datatype type) {
    MPI_Mprobe(left(), kTag, world, &message, MPI_STATUS_IGNORE);
    WEFT_WIDTH(MPI_Mrecv, MPI_BOTTOM, kBlocks, type, &message, MPI_STATUS_IGNORE)
  });
  receive<N>("MPI_Imrecv", [&](MPI_Datatype type) {
    MPI_Mprobe(left(), kTag, world, &message, MPI_STATUS_IGNORE);
    WEFT_WIDTH(MPI_Imrecv, MPI_BOTTOM, kBlocks, type, &message, &request)
    finish(request);
  });
}

template <typename N>
void both_ways() {
  MPI_Request request = MPI_REQUEST_NULL;
  Exchange now, begun, replaced, replacing;
  WEFT_WIDTH(MPI_Sendrecv, MPI_BOTTOM, kBlocks, now.from, right(), kTag, MPI_BOTTOM, kBlocks, now.into, left(), kTag,
             world, MPI_STATUS_IGNORE)
  now.in.expect("MPI_Sendrecv", from_left);
  WEFT_WIDTH(MPI_Isendrecv, MPI_BOTTOM, kBlocks, begun.from, right(), kTag, MPI_BOTTOM, kBlocks, begun.into, left(),
             kTag, world, &request)
  finish(request);
  begun.in.expect("MPI_Isendrecv", from_left);
  WEFT_WIDTH(MPI_Sendrecv_replace, MPI_BOTTOM, kBlocks, replaced.from, right(), kTag, left(), kTag, world,
             MPI_STATUS_IGNORE)
  replaced.out.expect("MPI_Sendrecv_replace", from_left);
  WEFT_WIDTH(MPI_Isendrecv_replace, MPI_BOTTOM, kBlocks, replacing.from, right(), kTag, left(), kTag, world, &request)
  finish(request);
  replacing.out.expect("MPI_Isendrecv_replace", from_left);
}

template <typename N>
void partitions() {
  Exchange data;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  WEFT_WIDTH(MPI_Psend_init, MPI_BOTTOM, kBlocks, 1, data.from, right(), kTag, world, MPI_INFO_NULL, &requests[0])
  WEFT_WIDTH(MPI_Precv_init, MPI_BOTTOM, kBlocks, 1, data.into, left(), kTag, world, MPI_INFO_NULL, &requests[1])
  MPI_Startall(2, requests);
  for (int partition = kBlocks - 1; partition >= 0; --partition) {
    MPI_Pready(partition, requests[0]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  data.in.expect("MPI_Psend_init and MPI_Precv_init", from_left);
}

template <typename N>
void packing() {
  constexpr int kRoom = 256;
  char packed[kRoom];
  Exchange data, external;
  N at = 0;
  WEFT_WIDTH(MPI_Pack, MPI_BOTTOM, kBlocks, data.from, packed, kRoom, &at, world)
  at = 0;
  WEFT_WIDTH(MPI_Unpack, packed, kRoom, &at, MPI_BOTTOM, kBlocks, data.into, world)
  data.in.expect("MPI_Unpack", mine);
  std::conditional_t<std::is_same_v<N, int>, MPI_Aint, MPI_Count> place = 0;
  WEFT_WIDTH(MPI_Pack_external, "external32", MPI_BOTTOM, kBlocks, external.from, packed, kRoom, &place)
  place = 0;
  WEFT_WIDTH(MPI_Unpack_external, "external32", packed, kRoom, &place, MPI_BOTTOM, kBlocks, external.into)
  external.in.expect("MPI_Unpack_external", mine);
}

template <typename N>
void call_all() {
  sends<N>();
  receives<N>();
  both_ways<N>();
  partitions<N>();
  packing<N>();
}

}  // namespace

void send_messages() {
  static char room[4096];
  MPI_Buffer_attach(room, sizeof room);
  call_all<int>();
  call_all<MPI_Count>();
  void* detached = nullptr;
  int bytes = 0;
  MPI_Buffer_detach(&detached, &bytes);
}
