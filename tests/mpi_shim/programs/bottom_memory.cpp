// Windows and files.
#include <unistd.h>
#include <initializer_list>
#include <vector>

#include "bottom.hpp"

namespace {

int mine(int b, int k) { return value(rank, b, k); }

// One block of the right neighbour's, in a dynamic window: by its displacement, or by a type from displacement
// MPI_BOTTOM on.
struct Target {
  Target(MPI_Aint address, int stride, bool by_type)
      : displacement(by_type ? 0 : address), type(by_type ? address : 0, stride) {}
  const int neighbour = (rank + 1) % size;
  const MPI_Aint displacement;
  const Type type;
};

class Window {
 public:
  Window() {
    MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win_);
    MPI_Win_attach(win_, memory.block(0), kPage);
    MPI_Win_lock_all(0, win_);
    std::vector<MPI_Aint> all(static_cast<std::size_t>(size));
    const MPI_Aint address = memory.address();
    MPI_Allgather(&address, 1, MPI_AINT, all.data(), 1, MPI_AINT, world);
    neighbours_ = all[static_cast<std::size_t>((rank + 1) % size)];
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window() {
    MPI_Win_unlock_all(win_);
    MPI_Win_detach(win_, memory.block(0));
    MPI_Win_free(&win_);
  }
  // Runs `operate` on an area that holds this rank's values and one that is to get some; `wanted` are what the memory
  // and the two areas hold at the end.
  template <typename Operate, typename InMemory, typename InOrigin, typename InResult>
  void run(const char* call, Operate&& operate, InMemory&& in_memory, InOrigin&& in_origin, InResult&& in_result) {
    for (const bool by_type : {false, true}) {
      Area origin(1), result(1);
      origin.fill([](int, int k) { return value(rank, 1, k); });
      memory.fill(mine);
      const Type from(origin), into(result);
      const Target target(neighbours_, memory.stride(), by_type);
      MPI_Win_sync(win_);
      MPI_Barrier(world);
      MPI_Request request = MPI_REQUEST_NULL;
      operate(from, into, target, win_, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Win_flush_all(win_);
      MPI_Barrier(world);
      MPI_Win_sync(win_);
      memory.expect(call, in_memory);
      origin.expect(call, in_origin);
      result.expect(call, in_result);
      MPI_Barrier(world);
    }
  }

  Area memory{1};

 private:
  MPI_Win win_ = MPI_WIN_NULL;
  MPI_Aint neighbours_ = 0;
};

int written(int, int k) { return value((rank + size - 1) % size, 1, k); }
int added(int b, int k) { return mine(b, k) + written(b, k); }
int kept(int, int k) { return value(rank, 1, k); }
int read_from_right(int b, int k) { return value((rank + 1) % size, b, k); }
int nothing(int, int) { return kUntouched; }

#define WEFT_OPERATION [](MPI_Datatype from, MPI_Datatype into, const Target& to, MPI_Win win, MPI_Request* request)

template <typename N>
void operations(Window& window) {
  window.run(
      "MPI_Put",
      WEFT_OPERATION {
        WEFT_WIDTH(MPI_Put, MPI_BOTTOM, 1, from, to.neighbour, to.displacement, 1, to.type, win)
        (void)into, (void)request;
      },
      written, kept, nothing);
  window.run(
      "MPI_Rput",
      WEFT_OPERATION {
        WEFT_WIDTH(MPI_Rput, MPI_BOTTOM, 1, from, to.neighbour, to.displacement, 1, to.type, win, request)
        (void)into;
      },
      written, kept, nothing);
  window.run(
      "MPI_Get",
      WEFT_OPERATION {
        WEFT_WIDTH(MPI_Get, MPI_BOTTOM, 1, into, to.neighbour, to.displacement, 1, to.type, win)
        (void)from, (void)request;
      },
      mine, kept, read_from_right);
  window.run(
      "MPI_Rget",
      WEFT_OPERATION {
        WEFT_WIDTH(MPI_Rget, MPI_BOTTOM, 1, into, to.neighbour, to.displacement, 1, to.type, win, request)
        (void)from;
      },
      mine, kept, read_from_right);
  window.run(
      "MPI_Accumulate",
      WEFT_OPERATION {
        WEFT_WIDTH(MPI_Accumulate, MPI_BOTTOM, 1, from, to.neighbour, to.displacement, 1, to.type, MPI_SUM, win)
        (void)into, (void)request;
      },
      added, kept, nothing);
  window.run(
      "MPI_Raccumulate",
      WEFT_OPERATION {
        WEFT_WIDTH(MPI_Raccumulate, MPI_BOTTOM, 1, from, to.neighbour, to.displacement, 1, to.type, MPI_SUM, win,
                   request)
        (void)into;
      },
      added, kept, nothing);
  window.run(
      "MPI_Get_accumulate",
      WEFT_OPERATION {
        WEFT_WIDTH(MPI_Get_accumulate, MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, into, to.neighbour, to.displacement, 1,
                   to.type, MPI_SUM, win)
        (void)request;
      },
      added, kept, read_from_right);
  window.run("MPI_Rget_accumulate",
             WEFT_OPERATION{WEFT_WIDTH(MPI_Rget_accumulate, MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, into, to.neighbour,
                                       to.displacement, 1, to.type, MPI_SUM, win, request)},
             added, kept, read_from_right);
}

// --- files ---

class File {
 public:
  // Each rank's own if `alone`, else one of all.
  explicit File(bool alone) {
    char name[] = "/tmp/weft-bottom-XXXXXX";
    if (alone || rank == 0) {
      close(mkstemp(name));
    }
    const MPI_Comm comm = alone ? MPI_COMM_SELF : world;
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, comm);
    MPI_File_open(comm, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &handle_);
    MPI_File_set_errhandler(handle_, MPI_ERRORS_ARE_FATAL);
    offset_ = alone ? 0 : rank * kBytes;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { MPI_File_close(&handle_); }

  // Writes this rank's values and reads them back.
  template <typename Write, typename Read>
  void run(const char* call, Write&& write, Read&& read) {
    Area out(1), in(1);
    out.fill(mine);
    const Type from(out), into(in);
    rewind();
    write(handle_, offset_, from);
    rewind();
    read(handle_, offset_, into);
    in.expect(call, mine);
  }

 private:
  static constexpr MPI_Offset kBytes = kValues * sizeof(int);
  void rewind() {
    MPI_File_seek(handle_, offset_, MPI_SEEK_SET);
    MPI_File_seek_shared(handle_, 0, MPI_SEEK_SET);
  }

  MPI_File handle_ = MPI_FILE_NULL;
  MPI_Offset offset_ = 0;
};

#define WEFT_TRANSFER(...)                                                   \
  [](MPI_File file, [[maybe_unused]] MPI_Offset offset, MPI_Datatype type) { \
    [[maybe_unused]] MPI_Request request = MPI_REQUEST_NULL;                 \
    __VA_ARGS__                                                              \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                   \
  }
// A writing call and the reading one of the same name, in its forms. Arguments before the buffer stand at the end.
#define WEFT_NOW(kind, ...)                                                                                     \
  file.run("MPI_File_read" #kind,                                                                               \
           WEFT_TRANSFER(WEFT_WIDTH(MPI_File_write##kind, file __VA_OPT__(, ) __VA_ARGS__, MPI_BOTTOM, 1, type, \
                                    MPI_STATUS_IGNORE)),                                                        \
           WEFT_TRANSFER(WEFT_WIDTH(MPI_File_read##kind, file __VA_OPT__(, ) __VA_ARGS__, MPI_BOTTOM, 1, type,  \
                                    MPI_STATUS_IGNORE)));
#define WEFT_BEGUN(kind, ...)                                                                                      \
  file.run("MPI_File_iread" #kind,                                                                                 \
           WEFT_TRANSFER(                                                                                          \
               WEFT_WIDTH(MPI_File_iwrite##kind, file __VA_OPT__(, ) __VA_ARGS__, MPI_BOTTOM, 1, type, &request)), \
           WEFT_TRANSFER(                                                                                          \
               WEFT_WIDTH(MPI_File_iread##kind, file __VA_OPT__(, ) __VA_ARGS__, MPI_BOTTOM, 1, type, &request)));
#define WEFT_SPLIT(kind, ...)                                                                                          \
  file.run("MPI_File_read" #kind "_begin",                                                                             \
           WEFT_TRANSFER(WEFT_WIDTH(MPI_File_write##kind##_begin, file __VA_OPT__(, ) __VA_ARGS__, MPI_BOTTOM, 1,      \
                                    type) MPI_File_write##kind##_end(file, MPI_BOTTOM, MPI_STATUS_IGNORE);),           \
           WEFT_TRANSFER(WEFT_WIDTH(MPI_File_read##kind##_begin, file __VA_OPT__(, ) __VA_ARGS__, MPI_BOTTOM, 1, type) \
                             MPI_File_read##kind##_end(file, MPI_BOTTOM, MPI_STATUS_IGNORE);));

template <typename N>
void transfers(File& file) {
  WEFT_NOW(, )
  WEFT_NOW(_all)
  WEFT_NOW(_at, offset)
  WEFT_NOW(_at_all, offset)
  WEFT_NOW(_ordered)
  WEFT_BEGUN(, )
  WEFT_BEGUN(_all)
  WEFT_BEGUN(_at, offset)
  WEFT_BEGUN(_at_all, offset)
  WEFT_SPLIT(_all)
  WEFT_SPLIT(_at_all, offset)
  WEFT_SPLIT(_ordered)
}

template <typename N>
void transfers_at_shared_pointer(File& file) {
  WEFT_NOW(_shared)
  WEFT_BEGUN(_shared)
}

}  // namespace

void access_windows() {
  Window window;
  operations<int>(window);
  operations<MPI_Count>(window);
}

void access_files() {
  File of_all(false);
  transfers<int>(of_all);
  transfers<MPI_Count>(of_all);
  File own(true);
  transfers_at_shared_pointer<int>(own);
  transfers_at_shared_pointer<MPI_Count>(own);
}
