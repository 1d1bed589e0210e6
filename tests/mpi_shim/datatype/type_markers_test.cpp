// MPI_LB and MPI_UB, which MPI-3.0 removed: bounds of structures. Programs get their handles from mpif.h.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mpi_shim/datatype/datatype_builder.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

const auto kLb = reinterpret_cast<MPI_Datatype>(kLowerMarker);
const auto kUb = reinterpret_cast<MPI_Datatype>(kUpperMarker);

using TypeMarkersTest = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, TypeMarkersTest, testing::Values(Setting{2, "rotate"}), name_of);

struct Member {
  MPI_Datatype type;
  MPI_Aint place;
  int length = 1;
};

MPI_Datatype structure(const std::vector<Member>& members) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
  for (const Member& member : members) {
    lengths.push_back(member.length);
    places.push_back(member.place);
    types.push_back(member.type);
  }
  MPI_Datatype type;
  MPI_Type_create_struct(static_cast<int>(members.size()), lengths.data(), places.data(), types.data(), &type);
  return type;
}

void expect_bounds(const std::vector<Member>& members, MPI_Aint lower, MPI_Aint extent) {
  MPI_Datatype type = structure(members);
  MPI_Aint found[2];
  MPI_Type_get_extent(type, &found[0], &found[1]);
  EXPECT_EQ(found[0], lower);
  EXPECT_EQ(found[1], extent);
  MPI_Type_free(&type);
}

TEST_P(TypeMarkersTest, SetTheBoundsOfAStructure) {
  run(1, [](int, int) {
    expect_bounds({{MPI_INT, 4}, {kUb, 16}}, 4, 12);
    expect_bounds({{MPI_INT, 0}, {kUb, 2}}, 0, 2);
    expect_bounds({{MPI_INT, 4}, {kLb, 8}}, 8, 0);
    expect_bounds({{kLb, -3}, {MPI_INT, 0}, {kUb, 6}}, -3, 9);
    expect_bounds({{MPI_DOUBLE, 0}, {MPI_INT, 8}, {kUb, 12}}, 0, 12);
    expect_bounds({{kUb, 40}}, 0, 40);
    expect_bounds({{MPI_INT, 0}, {kUb, 40, 0}}, 0, 4);
    expect_bounds({{kUb, 24}, {MPI_INT, 0}, {kUb, 8}, {kLb, -1}, {kLb, -5}}, -5, 29);
  });
}

TEST_P(TypeMarkersTest, SpaceTheElementsOfAMessage) {
  run(1, [](int, int) {
    MPI_Datatype sparse = structure({{MPI_INT, 0}, {kUb, 3 * sizeof(int)}});
    MPI_Type_commit(&sparse);
    const int from[] = {1, 2, 3, 4, 5, 6, 7};
    int to[3] = {};
    MPI_Sendrecv(from, 3, sparse, 0, 0, to, 3, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    EXPECT_EQ(to[0], 1);
    EXPECT_EQ(to[1], 4);
    EXPECT_EQ(to[2], 7);
    MPI_Type_free(&sparse);
  });
}

TEST_P(TypeMarkersTest, AreTypesOfNoBytesThatCanBeAskedFor) {
  run(1, [](int, int) {
    int size = -1;
    MPI_Type_size(kUb, &size);
    EXPECT_EQ(size, 0);
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    MPI_Type_get_name(kLb, name, &length);
    EXPECT_EQ(std::string(name), "MPI_LB");
    MPI_Datatype type = structure({{MPI_INT, 0}, {kUb, 16}});
    int lengths[3];
    MPI_Aint places[2];
    MPI_Datatype types[2];
    MPI_Type_get_contents(type, 3, 2, 2, lengths, places, types);
    EXPECT_EQ(types[1], kUb);
    EXPECT_EQ(places[1], 16);
    MPI_Type_free(&type);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
