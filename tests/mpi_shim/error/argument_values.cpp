#include "tests/mpi_shim/error/argument_values.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace weft::mpi_shim::fuzz {

namespace {

const std::string kTexts[] = {"",
                              "a",
                              "key",
                              "a",
                              "key",
                              "host",
                              "soft",
                              "path",
                              "0:9:-1",
                              "1",
                              "-1",
                              "99999999999999999999",
                              "true",
                              "native",
                              "external32",
                              "internal",
                              "mpi://WORLD",
                              "mpi://SELF",
                              "access_style",
                              "cb_buffer_size",
                              "striping_unit",
                              "alloc_shared_noncontig",
                              "no_locks",
                              "mpi_assert_no_any_tag",
                              "%s%n%d",
                              "\xc3\xa4\xff\x01",
                              " x ",
                              "a,b:c",
                              std::string(35, 'k'),
                              std::string(300, 'l'),
                              std::string(1024, 'v'),
                              std::string(5000, 'w')};
const std::string kFiles[] = {"a", "b", "c", "a", "", "none/c", "", std::string(300, 'f')};

}  // namespace

Arguments::Arguments(std::uint32_t seed, bool show, std::string folder)
    : random_(seed), show_(show), holdings_(std::move(folder)), scratch_(std::size_t{1} << 16) {}

Arguments::~Arguments() = default;

void Arguments::begin(const char* call) {
  memory_.clear();
  after_.clear();
  notes_ = {};
  call_ = call;
  line_ = fmt::format("{}(", call);
}

bool Arguments::may_call(Guard guard, bool asynchronous) {
  if (!notes_.may_call(guard, holdings_)) {
    return false;
  }
  if (asynchronous) {
    std::ranges::move(memory_, std::back_inserter(kept_));
    memory_.clear();
  }
  if (show_) {
    std::fprintf(stderr, "%s)\n", line_.c_str());
    line_.clear();
  }
  return true;
}

void Arguments::finish(int code) {
  for (const auto& settle_one : after_) {
    settle_one(code);
  }
  after_.clear();
  holdings_.settle_late_comms();
  if (show_) {
    std::fprintf(stderr, "  %d%s\n", code, line_.c_str());
  }
}

std::uintptr_t Arguments::strange_handle() {
  constexpr std::uintptr_t kStrange[] = {0, 1, 7, 0x3fe, 0x2ff, 0x12345, UINTPTR_MAX, INTPTR_MAX, 0xffffffff};
  const int dice = below(random_, 16);
  if (dice < 8) {
    return recent_[dice];  // of another type, most often
  }
  if (dice < 12) {  // in a table, but far from given out: others may be what the library itself holds
    return (static_cast<std::uintptr_t>(below(random_, 16)) << 26) + 100000 +
           static_cast<std::uintptr_t>(below(random_, 500));
  }
  return pick(kStrange);
}

bool Arguments::null(const char* name) {
  const bool is_null = one_in(random_, 20);
  if (is_null) {
    say(name, "null");
  }
  return is_null;
}

void* Arguments::buffer(const char* name, bool or_in_place) {
  notes_.note_data();
  const int dice = below(random_, 30);
  if (dice == 0) {
    notes_.note_null_data();
    say(name, "null");
    return nullptr;
  }
  if (dice <= 2 && or_in_place) {
    say(name, "MPI_IN_PLACE");
    return MPI_IN_PLACE;
  }
  const std::size_t arena = next_arena_++ % Holdings::kArenas;
  const int offset = 16 * below(random_, 4);
  say(name, "buffer {} + {}", arena, offset);
  return holdings_.data(arena) + offset;
}

void* Arguments::room(const char* name) {
  say(name, "room");
  return scratch_.data() + std::ptrdiff_t{64} * below(random_, 4);
}

void* Arguments::attachable(const char* name) {
  const int dice = below(random_, 8);
  if (dice < 2) {
    say(name, "{}", dice == 0 ? "null" : "MPI_BUFFER_AUTOMATIC");
    return dice == 0 ? nullptr : MPI_BUFFER_AUTOMATIC;
  }
  kept_.push_back(std::make_unique<std::byte[]>(Holdings::kRoom));
  say(name, "memory of its own");
  return kept_.back().get();
}

void* Arguments::allocated(const char* name) {
  std::vector<void*>& allocated = holdings_.allocated();
  if (allocated.empty() || null(name)) {
    return nullptr;
  }
  void* const memory = pick(allocated);
  say(name, "{}", memory);
  after_.push_back([this, memory](int code) {
    if (code == MPI_SUCCESS) {
      std::erase(holdings_.allocated(), memory);
    }
  });
  return memory;
}

void* Arguments::pointer_slot(const char* name, bool allocates) {
  void** const slot = room_for<void*>(1);
  say(name, "&…");
  if (allocates) {
    after_.push_back([this, slot](int code) {
      if (code == MPI_SUCCESS && *slot != nullptr) {
        holdings_.allocated().push_back(*slot);
      }
    });
  }
  return slot;
}

const char* Arguments::text(const char* name) {
  if (null(name)) {
    return nullptr;
  }
  const std::string chosen = std::string_view(name) == "filename" ? holdings_.folder() + pick(kFiles) : pick(kTexts);
  char* const copy = room_for<char>(static_cast<int>(chosen.size()) + 1);
  std::memcpy(copy, chosen.c_str(), chosen.size() + 1);
  say(name, "\"{}\"", chosen.substr(0, 60));
  return copy;
}

char* Arguments::text_room(const char* /*name*/) { return room_for<char>(Holdings::kRoom); }

MPI_Status* Arguments::status_slot(const char* name, bool or_ignore) {
  if (or_ignore && null(name)) {  // MPI_STATUS_IGNORE
    return MPI_STATUS_IGNORE;
  }
  auto* const made = room_for<MPI_Status>(1);
  *made = {};
  if (one_in(random_, 2)) {
    MPI_Status_set_elements_c(made, MPI_BYTE, choose_number(Numbers::count));
  }
  return made;
}

MPI_Status* Arguments::status_slots(const char* name) {
  return null(name) ? MPI_STATUSES_IGNORE : room_for<MPI_Status>(kArray);
}

char** Arguments::words(const char* /*name*/) {
  char** const array = room_for<char*>(kArray);
  for (int i = 0; i < kLongArray; ++i) {
    const char* const word = text("word");
    array[i] = const_cast<char*>(word == nullptr ? "" : word);
  }
  return array;
}

char*** Arguments::word_lists(const char* /*name*/) {
  char*** const array = room_for<char**>(kArray);
  for (int i = 0; i < kLongArray; ++i) {
    array[i] = words("list");
  }
  return array;
}

int (*Arguments::ranges(const char* name))[3] {
  auto* const array = room_for<int[3]>(kArray);
  for (int i = 0; i < kLongArray; ++i) {
    for (int k = 0; k < 3; ++k) {
      array[i][k] = static_cast<int>(one_in(random_, 3) ? choose_number(Numbers::any) : below(random_, 2));
    }
  }
  say(name, "[[{}, {}, {}], …]", array[0][0], array[0][1], array[0][2]);
  return array;
}

}  // namespace weft::mpi_shim::fuzz
