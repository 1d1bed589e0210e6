// Datatypes against the plain oracle: bounds, sizes, packing in parts, messages; and what can be asked of them.
#include <cstddef>
#include <cstring>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "mpi_shim/state/state.hpp"
#include "tests/mpi_shim/datatype/datatype_random.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using DatatypeTest = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, DatatypeTest, testing::Values(Setting{1, "none"}, Setting{2, "rotate"}), name_of);

// Memory that `count` elements of a type may touch.
class Arena {
 public:
  Arena(const Oracle& oracle, MPI_Aint count, unsigned seed) {
    const MPI_Aint reach = (count - 1) * oracle.extent();
    const MPI_Aint low = oracle.true_lower() + std::min<MPI_Aint>(reach, 0);
    const MPI_Aint high = oracle.true_upper() + std::max<MPI_Aint>(reach, 0);
    memory.resize(static_cast<std::size_t>(high - low) + 1);
    std::mt19937 random(seed);
    for (std::byte& value : memory) {
      value = static_cast<std::byte>(random());
    }
    shift_ = -low;
  }
  std::byte* base() { return memory.data() + shift_; }

  std::vector<std::byte> memory;

 private:
  MPI_Aint shift_ = 0;
};

void check_bounds(const MadeType& made) {
  const Oracle& oracle = made.oracle;
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  int size = 0;
  MPI_Type_size(made.type, &size);
  EXPECT_EQ(static_cast<std::size_t>(size), oracle.size());
  MPI_Type_get_extent(made.type, &lower, &extent);
  EXPECT_EQ(lower, oracle.lower);
  EXPECT_EQ(extent, oracle.extent());
  if (!oracle.elements.empty()) {
    MPI_Type_get_true_extent(made.type, &lower, &extent);
    EXPECT_EQ(lower, oracle.true_lower());
    EXPECT_EQ(extent, oracle.true_upper() - oracle.true_lower());
  }
}

void check_packing(const MadeType& made, MPI_Aint count, unsigned seed) {
  Arena arena(made.oracle, count, seed);
  const std::vector<std::byte> expected = made.oracle.pack(arena.base(), count);
  std::vector<std::byte> packed(expected.size());
  int position = 0;
  const int size = static_cast<int>(packed.size());
  MPI_Pack(arena.base(), static_cast<int>(count), made.type, packed.data(), size, &position, MPI_COMM_SELF);
  EXPECT_EQ(position, size);
  EXPECT_EQ(packed, expected);

  Arena target(made.oracle, count, seed + 1);
  Arena naive = target;
  naive.memory = target.memory;
  made.oracle.unpack(naive.base(), count, packed);
  position = 0;
  MPI_Unpack(packed.data(), size, &position, target.base(), static_cast<int>(count), made.type, MPI_COMM_SELF);
  EXPECT_EQ(target.memory, naive.memory);
}

// Parts of the packed bytes, as a message that is cut anywhere needs them.
void check_parts(const MadeType& made, std::size_t count, RandomTypes& random) {
  const Datatype& type = *find_datatype(rank_state(), made.type);
  Arena arena(made.oracle, static_cast<MPI_Aint>(count), 5);
  const std::vector<std::byte> whole = made.oracle.pack(arena.base(), static_cast<MPI_Aint>(count));
  for (int i = 0; i < 8 && !whole.empty(); ++i) {
    const auto skip = static_cast<std::size_t>(random.below(static_cast<int>(whole.size())));
    const auto length = static_cast<std::size_t>(random.between(0, static_cast<int>(whole.size() - skip)));
    std::vector<std::byte> part(length);
    type.pack(arena.base(), count, skip, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(skip)))
        << skip << " " << length;
  }
  Arena target(made.oracle, static_cast<MPI_Aint>(count), 6);
  Arena naive = target;
  made.oracle.unpack(naive.base(), static_cast<MPI_Aint>(count), whole);
  std::size_t done = 0;
  while (done < whole.size()) {
    const auto length = static_cast<std::size_t>(random.between(1, static_cast<int>(whole.size() - done)));
    type.unpack(target.base(), count, done, std::span(whole).subspan(done, length));
    done += length;
  }
  EXPECT_EQ(target.memory, naive.memory);
}

// A message with the type at both ends, longer or shorter than an eager one, of which a part is received.
void check_message(const MadeType& made, MPI_Aint count, RandomTypes& random) {
  Arena source(made.oracle, count, 7);
  Arena target(made.oracle, count, 8);
  Arena naive = target;
  std::vector<std::byte> packed = made.oracle.pack(source.base(), count);
  const int sent = random.between(0, static_cast<int>(count));
  packed.resize(made.oracle.size() * static_cast<std::size_t>(sent));
  made.oracle.unpack(naive.base(), count, packed);
  MPI_Status status;
  MPI_Sendrecv(source.base(), sent, made.type, 0, 0, target.base(), static_cast<int>(count), made.type, 0, 0,
               MPI_COMM_SELF, &status);
  EXPECT_EQ(target.memory, naive.memory);
  int got = -1;
  MPI_Get_count(&status, made.type, &got);
  EXPECT_EQ(got, made.oracle.size() == 0 ? 0 : sent);
  MPI_Get_elements(&status, made.type, &got);
  EXPECT_EQ(got, made.oracle.elements_in(packed.size()));

  // The same bytes from a plain sender.
  Arena from_bytes(made.oracle, count, 8);
  MPI_Sendrecv(packed.data(), static_cast<int>(packed.size()), MPI_BYTE, 0, 0, from_bytes.base(),
               static_cast<int>(count), made.type, 0, 0, MPI_COMM_SELF, &status);
  EXPECT_EQ(from_bytes.memory, naive.memory);
}

void check_partial_elements(const MadeType& made, RandomTypes& random) {
  if (made.oracle.elements.empty()) {
    return;
  }
  MPI_Status status;
  for (int i = 0; i < 5; ++i) {
    const int bytes = random.below(static_cast<int>(3 * made.oracle.size()) + 1);
    MPI_Status_set_elements(&status, MPI_BYTE, bytes);
    int elements = 0;
    MPI_Get_elements(&status, made.type, &elements);
    EXPECT_EQ(elements, made.oracle.elements_in(static_cast<std::size_t>(bytes)));
    if (elements != MPI_UNDEFINED) {
      MPI_Status_set_elements(&status, made.type, elements);
      int again = 0;
      MPI_Get_count(&status, MPI_BYTE, &again);
      EXPECT_EQ(again, bytes);
    }
  }
}

TEST_P(DatatypeTest, RandomNestedTypesAreAsTheOracleSays) {
  run(1, [](int, int) {
    for (unsigned seed = 0; seed < 1500; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      RandomTypes random(seed);
      MadeType made = random.make(random.between(0, 4));
      if (made.oracle.elements.size() < 20000) {
        if (!made.to_free.empty()) {
          MPI_Type_commit(&made.type);
        }
        const int count = random.between(1, 4);
        check_bounds(made);
        check_packing(made, count, seed);
        check_parts(made, static_cast<std::size_t>(count), random);
        check_message(made, count, random);
        check_partial_elements(made, random);
      }
      for (MPI_Datatype& type : made.to_free) {
        MPI_Type_free(&type);
      }
      if (testing::Test::HasFailure()) {
        return;
      }
    }
  });
}

TEST_P(DatatypeTest, PredefinedTypesHaveTheSizesOfTheirLanguages) {
  run(1, [](int, int) {
    const auto size_of = [](MPI_Datatype type) {
      int size = -1;
      MPI_Type_size(type, &size);
      return size;
    };
    EXPECT_EQ(size_of(MPI_INT), 4);
    EXPECT_EQ(size_of(MPI_LONG_DOUBLE), 16);
    EXPECT_EQ(size_of(MPI_C_DOUBLE_COMPLEX), 16);
    EXPECT_EQ(size_of(MPI_WCHAR), 4);
    EXPECT_EQ(size_of(MPI_DOUBLE_INT), 12);
    EXPECT_EQ(size_of(MPI_SHORT_INT), 6);
    EXPECT_EQ(size_of(MPI_LONG_DOUBLE_INT), 20);
    EXPECT_EQ(size_of(MPI_DOUBLE_COMPLEX), 16);
    EXPECT_EQ(size_of(MPI_2DOUBLE_PRECISION), 16);
    MPI_Aint lower = -1;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(MPI_DOUBLE_INT, &lower, &extent);
    EXPECT_EQ(lower, 0);
    EXPECT_EQ(extent, 16);
    MPI_Type_get_extent(MPI_SHORT_INT, &lower, &extent);
    EXPECT_EQ(extent, 8);
    // The ABI's block of types of a fixed size says it in the handle: bits 3 to 5 are its logarithm.
    for (std::uintptr_t value = 0x240; value < 0x300; ++value) {
      if (const auto type = reinterpret_cast<MPI_Datatype>(value); find_datatype(rank_state(), type) != nullptr) {
        EXPECT_EQ(size_of(type), 1 << ((value >> 3) & 7)) << std::hex << value;
      }
    }
  });
}

TEST_P(DatatypeTest, PairTypesLeaveTheirPaddingAlone) {
  run(1, [](int, int) {
    struct Pair {
      double value;
      int index;
      int padding;
    };
    const Pair out[2] = {{1.5, 3, 77}, {2.5, 4, 78}};
    Pair in[2] = {{0, 0, 9}, {0, 0, 9}};
    MPI_Status status;
    MPI_Sendrecv(out, 2, MPI_DOUBLE_INT, 0, 0, in, 2, MPI_DOUBLE_INT, 0, 0, MPI_COMM_SELF, &status);
    EXPECT_EQ(in[1].value, 2.5);
    EXPECT_EQ(in[1].index, 4);
    EXPECT_EQ(in[0].padding, 9);
    EXPECT_EQ(in[1].padding, 9);
    int elements = 0;
    MPI_Get_elements(&status, MPI_DOUBLE_INT, &elements);
    EXPECT_EQ(elements, 4);
  });
}

TEST_P(DatatypeTest, AbsoluteAddressesStartAtBottom) {
  run(1, [](int, int) {
    int first = 11;
    double second[2] = {1.25, 2.5};
    const int lengths[] = {1, 2};
    MPI_Aint places[2];
    MPI_Get_address(&first, &places[0]);
    MPI_Get_address(second, &places[1]);
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype absolute;
    MPI_Type_create_struct(2, lengths, places, types, &absolute);
    MPI_Type_commit(&absolute);
    char packed[20];
    MPI_Sendrecv(MPI_BOTTOM, 1, absolute, 0, 0, packed, 20, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    first = 0;
    second[1] = 0;
    MPI_Sendrecv(packed, 20, MPI_BYTE, 0, 0, MPI_BOTTOM, 1, absolute, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    EXPECT_EQ(first, 11);
    EXPECT_EQ(second[1], 2.5);
    MPI_Type_free(&absolute);
  });
}

TEST_P(DatatypeTest, FreedTypeServesThePendingReceive) {
  run(2, [](int rank, int) {
    constexpr int kCount = 10000;
    std::vector<int> data(std::size_t{2} * kCount, rank == 0 ? 5 : 0);
    MPI_Datatype every_second;
    MPI_Type_vector(kCount, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    MPI_Request request;
    if (rank == 0) {
      MPI_Isend(data.data(), 1, every_second, 1, 0, MPI_COMM_WORLD, &request);
    } else {
      MPI_Irecv(data.data(), 1, every_second, 0, 0, MPI_COMM_WORLD, &request);
    }
    MPI_Type_free(&every_second);
    EXPECT_EQ(every_second, MPI_DATATYPE_NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(data[2 * kCount - 2], 5);
    EXPECT_EQ(data[2 * kCount - 1], rank == 0 ? 5 : 0);
  });
}

TEST_P(DatatypeTest, EnvelopeAndContentsGiveBackTheCall) {
  run(1, [](int, int) {
    MPI_Datatype inner;
    MPI_Type_vector(3, 2, -4, MPI_DOUBLE, &inner);
    const int lengths[] = {1, 2};
    const MPI_Aint places[] = {-8, 160};
    const MPI_Datatype types[] = {inner, MPI_CHAR};
    MPI_Datatype outer;
    MPI_Type_create_struct(2, lengths, places, types, &outer);
    int integers = 0, addresses = 0, datatypes = 0, combiner = 0;
    MPI_Type_get_envelope(outer, &integers, &addresses, &datatypes, &combiner);
    EXPECT_EQ(combiner, MPI_COMBINER_STRUCT);
    EXPECT_EQ(integers, 3);
    EXPECT_EQ(addresses, 2);
    EXPECT_EQ(datatypes, 2);
    int got[3];
    MPI_Aint got_places[2];
    MPI_Datatype got_types[2];
    MPI_Type_get_contents(outer, 3, 2, 2, got, got_places, got_types);
    EXPECT_EQ(got[0], 2);
    EXPECT_EQ(got[2], 2);
    EXPECT_EQ(got_places[0], -8);
    EXPECT_EQ(got_types[1], MPI_CHAR);
    MPI_Type_get_envelope(got_types[0], &integers, &addresses, &datatypes, &combiner);
    EXPECT_EQ(combiner, MPI_COMBINER_VECTOR);
    int vector[3];
    MPI_Type_get_contents(got_types[0], 3, 0, 1, vector, nullptr, &got_types[1]);
    EXPECT_EQ(vector[0], 3);
    EXPECT_EQ(vector[2], -4);
    EXPECT_EQ(got_types[1], MPI_DOUBLE);
    MPI_Type_free(&got_types[0]);
    MPI_Type_free(&inner);
    MPI_Type_free(&outer);
    MPI_Type_get_envelope(MPI_INT, &integers, &addresses, &datatypes, &combiner);
    EXPECT_EQ(combiner, MPI_COMBINER_NAMED);
  });
}

TEST_P(DatatypeTest, LargeCountFormsKeepLargeCounts) {
  run(1, [](int, int) {
    constexpr MPI_Count kMany = MPI_Count{1} << 33;
    MPI_Datatype wide;
    MPI_Type_vector_c(3, kMany, kMany + 1, MPI_INT, &wide);
    MPI_Count size = 0;
    MPI_Count lower = -1;
    MPI_Count extent = 0;
    MPI_Type_size_c(wide, &size);
    EXPECT_EQ(size, 12 * kMany);
    MPI_Type_get_extent_c(wide, &lower, &extent);
    EXPECT_EQ(extent, 4 * (3 * kMany + 2));
    int narrow = 0;
    MPI_Type_size(wide, &narrow);
    EXPECT_EQ(narrow, MPI_UNDEFINED);
    MPI_Count integers = -1, addresses = -1, counts = -1, datatypes = -1;
    int combiner = 0;
    MPI_Type_get_envelope_c(wide, &integers, &addresses, &counts, &datatypes, &combiner);
    EXPECT_EQ(integers, 0);
    EXPECT_EQ(counts, 3);
    MPI_Count got[3];
    MPI_Datatype of = MPI_DATATYPE_NULL;
    MPI_Type_get_contents_c(wide, 0, 0, 3, 1, nullptr, nullptr, got, &of);
    EXPECT_EQ(got[2], kMany + 1);
    EXPECT_EQ(of, MPI_INT);
    MPI_Type_free(&wide);
  });
}

TEST_P(DatatypeTest, NamesAreTheRanksOwn) {
  run(2, [](int rank, int) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    MPI_Type_get_name(MPI_DOUBLE, name, &length);
    EXPECT_STREQ(name, "MPI_DOUBLE");
    EXPECT_EQ(length, 10);
    if (rank == 1) {
      MPI_Type_set_name(MPI_DOUBLE, "real");
      MPI_Type_get_name(MPI_DOUBLE, name, &length);
      EXPECT_STREQ(name, "real");
    }
    MPI_Datatype copy;
    MPI_Type_dup(MPI_DOUBLE, &copy);
    MPI_Type_get_name(copy, name, &length);
    EXPECT_EQ(length, 0);
    MPI_Type_set_name(copy, "copy");
    MPI_Type_get_name(copy, name, &length);
    EXPECT_STREQ(name, "copy");
    MPI_Type_free(&copy);
  });
}

TEST_P(DatatypeTest, TypesAreFoundBySize) {
  run(1, [](int, int) {
    MPI_Datatype type;
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
    EXPECT_EQ(type, MPI_REAL8);
    MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &type);
    EXPECT_EQ(type, MPI_INTEGER2);
    MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 16, &type);
    EXPECT_EQ(type, MPI_COMPLEX16);
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type);
    EXPECT_EQ(type, MPI_DOUBLE_INT);
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_FLOAT, &type);
    EXPECT_EQ(type, MPI_DATATYPE_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Type_get_value_index(MPI_DATATYPE_NULL, MPI_INT, &type), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_get_value_index(MPI_INT, MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
