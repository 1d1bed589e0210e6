// A rank's datatypes, communicators, operations, attributes and error handlers survive its moves.
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/mpi_shim/mpi_fixture.hpp"
#include "weft.h"

namespace weft::mpi_shim {
namespace {

class CarryObjects : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, CarryObjects,
                         testing::Values(Setting{2, "rotate"}, Setting{2, "rotate", false, 1, true},
                                         Setting{3, "rotate", true, 1, true}, Setting{2, "rotate", false, 2}),
                         name_of);

void move() {
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(MPI_Migrate(), MPI_SUCCESS);
  }
}

// One type of every constructor, some nested, some by the large-count forms; none committed.
std::vector<MPI_Datatype> make_types() {
  std::vector<MPI_Datatype> types(14);
  const int lengths[] = {2, 1, 3};
  const int places[] = {0, 4, 6};
  const MPI_Aint offsets[] = {0, 24, 48};
  const MPI_Count long_lengths[] = {1, 2};
  const MPI_Count long_offsets[] = {8, 40};
  MPI_Type_contiguous(3, MPI_INT, &types[0]);
  MPI_Type_vector(3, 2, 4, MPI_INT, &types[1]);
  MPI_Type_create_hvector(2, 1, 20, types[1], &types[2]);
  MPI_Type_indexed(3, lengths, places, MPI_SHORT, &types[3]);
  MPI_Type_create_hindexed(3, lengths, offsets, MPI_INT, &types[4]);
  MPI_Type_create_indexed_block(3, 2, places, types[0], &types[5]);
  MPI_Type_create_hindexed_block(3, 2, offsets, MPI_CHAR, &types[6]);
  const MPI_Datatype members[] = {MPI_CHAR, types[1], types[3]};
  MPI_Type_create_struct(3, lengths, offsets, members, &types[7]);
  MPI_Type_create_resized(types[7], -8, 400, &types[8]);
  const int sizes[] = {4, 5}, subsizes[] = {2, 3}, starts[] = {1, 1};
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_FLOAT, &types[9]);
  const int distribs[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
  const int dargs[] = {2, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 1};
  MPI_Type_create_darray(2, 1, 2, sizes, distribs, dargs, grid, MPI_ORDER_C, types[0], &types[10]);
  MPI_Type_dup(types[8], &types[11]);
  MPI_Type_create_hindexed_c(2, long_lengths, long_offsets, MPI_SHORT_INT, &types[12]);
  MPI_Type_vector_c(100, 1, 3, types[6], &types[13]);
  return types;
}

std::vector<char> packed(MPI_Datatype type) {
  std::vector<char> memory(60000);
  std::iota(memory.begin(), memory.end(), '\1');
  int size = 0;
  MPI_Pack_size(2, type, MPI_COMM_WORLD, &size);
  std::vector<char> out(static_cast<std::size_t>(size));
  int position = 0;
  MPI_Pack(memory.data() + 1000, 2, type, out.data(), size, &position, MPI_COMM_WORLD);
  out.resize(static_cast<std::size_t>(position));
  return out;
}

// The recipe of a type and of all it is made of, and its bounds.
std::vector<MPI_Count> described(MPI_Datatype type) {
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0, lower = 0, extent = 0;
  int combiner = 0;
  MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
  MPI_Type_get_extent_c(type, &lower, &extent);
  std::vector<MPI_Count> all{combiner, lower, extent};
  if (combiner == MPI_COMBINER_NAMED) {
    all.push_back(static_cast<MPI_Count>(handle_value(type)));
    return all;
  }
  std::vector<int> some_integers(static_cast<std::size_t>(integers));
  std::vector<MPI_Aint> some_addresses(static_cast<std::size_t>(addresses));
  std::vector<MPI_Count> some_counts(static_cast<std::size_t>(counts));
  std::vector<MPI_Datatype> some_types(static_cast<std::size_t>(types));
  MPI_Type_get_contents_c(type, integers, addresses, counts, types, some_integers.data(), some_addresses.data(),
                          some_counts.data(), some_types.data());
  all.insert(all.end(), some_integers.begin(), some_integers.end());
  all.insert(all.end(), some_addresses.begin(), some_addresses.end());
  all.insert(all.end(), some_counts.begin(), some_counts.end());
  for (MPI_Datatype& part : some_types) {
    const std::vector<MPI_Count> inner = described(part);
    all.insert(all.end(), inner.begin(), inner.end());
    if (handle_value(part) >= kFirstUserHandle) {
      MPI_Type_free(&part);
    }
  }
  return all;
}

TEST_P(CarryObjects, KeepsDatatypes) {
  run(4, [](int, int) {
    std::vector<MPI_Datatype> types = make_types();
    MPI_Type_set_name(types[3], "mine");
    MPI_Type_set_name(MPI_DOUBLE, "real");
    MPI_Type_free(&types[5]);  // its handle is the next type's
    std::vector<std::vector<char>> bytes;
    std::vector<std::vector<MPI_Count>> recipes;
    for (MPI_Datatype& type : types) {
      if (type != MPI_DATATYPE_NULL) {
        MPI_Type_commit(&type);
        bytes.push_back(packed(type));
        recipes.push_back(described(type));
      }
    }
    MPI_Type_free(&types[1]);  // still part of two others
    bytes.erase(bytes.begin() + 1);
    recipes.erase(recipes.begin() + 1);
    move();
    std::size_t i = 0;
    for (MPI_Datatype& type : types) {
      if (type != MPI_DATATYPE_NULL) {
        EXPECT_EQ(packed(type), bytes[i]) << i;
        EXPECT_EQ(described(type), recipes[i]) << i;
        ++i;
      }
    }
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    MPI_Type_get_name(types[3], name, &length);
    EXPECT_STREQ(name, "mine");
    MPI_Type_get_name(MPI_DOUBLE, name, &length);
    EXPECT_STREQ(name, "real");
    for (MPI_Datatype& type : types) {
      if (type != MPI_DATATYPE_NULL) {
        MPI_Type_free(&type);
      }
    }
  });
}

// What the callbacks of one rank have done.
struct Calls {
  int copied = 0, deleted = 0, errors = 0, migrated = MPI_SUCCESS;
};

int copy_value(MPI_Comm, int, void* calls, void* in, void* out, int* flag) {
  ++static_cast<Calls*>(calls)->copied;
  std::memcpy(out, &in, sizeof in);
  *flag = 1;
  return MPI_SUCCESS;
}

int delete_value(MPI_Comm, int, void*, void* calls) {
  ++static_cast<Calls*>(calls)->deleted;
  static_cast<Calls*>(calls)->migrated = MPI_Migrate();
  return MPI_SUCCESS;
}

Calls* handler_calls[4];

void note_error(MPI_Comm*, int*, ...) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ++handler_calls[rank]->errors;
}

TEST_P(CarryObjects, KeepsCallbacksAndRefusesToMoveInsideOne) {
  run(4, [](int rank, int) {
    Calls calls;
    handler_calls[rank] = &calls;
    MPI_Comm comm = MPI_COMM_NULL, twin = MPI_COMM_NULL;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int keyval = 0, kept = 5, own_class = 0, own_code = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(copy_value, delete_value, &keyval, &calls);
    MPI_Comm_set_attr(comm, keyval, &kept);
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    MPI_Add_error_class(&own_class);
    MPI_Add_error_code(own_class, &own_code);
    MPI_Add_error_string(own_code, "ours");
    move();
    void* value = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(comm, keyval, &value, &flag);
    EXPECT_EQ(value, &kept);
    MPI_Comm_dup(comm, &twin);
    EXPECT_EQ(calls.copied, 1);
    EXPECT_EQ(MPI_Send(&kept, 1, MPI_INT, 99, 0, twin), MPI_ERR_RANK);
    EXPECT_EQ(calls.errors, 1);
    char text[MPI_MAX_ERROR_STRING];
    int length = 0, known = 0;
    MPI_Error_string(own_code, text, &length);
    EXPECT_STREQ(text, "ours");
    MPI_Error_class(own_code, &known);
    EXPECT_EQ(known, own_class);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    move();
    MPI_Comm_free(&twin);
    EXPECT_EQ(calls.deleted, 1);
    EXPECT_EQ(calls.migrated, MPI_ERR_OTHER);
    MPI_Comm_free(&comm);
    EXPECT_EQ(calls.deleted, 2);
    MPI_Comm_free_keyval(&keyval);
  });
}

void add_twice(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    static_cast<int*>(inout)[i] += 2 * static_cast<int*>(in)[i];
  }
}

int reduced(MPI_Comm comm, int value, MPI_Op op) {
  int result = 0;
  MPI_Allreduce(&value, &result, 1, MPI_INT, op, comm);
  return result;
}

// Communicators of every kind that a rank may hold while it moves, in a world of four.
struct HeldComms {
  HeldComms(int rank, int size) : me(rank), left((rank + size - 1) % size), right((rank + 1) % size) {
    const int dims[] = {2, 2}, periods[] = {1, 0}, index[] = {1, 2, 3, 4}, edges[] = {1, 0, 3, 2};
    const int weight = 10 + rank;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0, &circle);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 == 0 ? 3 : 2, 9, &between);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
  }
  void free() {
    for (MPI_Comm* const comm : {&grid, &graph, &circle, &half, &between, &alone}) {
      MPI_Comm_free(comm);
    }
  }

  int me, left, right;
  MPI_Comm grid = MPI_COMM_NULL, graph = MPI_COMM_NULL, circle = MPI_COMM_NULL;  // with topologies
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL, alone = MPI_COMM_NULL;
};

void expect_topologies(const HeldComms& comms) {
  int coordinates[2], dims[2], periods[2];
  MPI_Cart_get(comms.grid, 2, dims, periods, coordinates);
  EXPECT_EQ(coordinates[0] * 2 + coordinates[1], comms.me);
  EXPECT_EQ(periods[0], 1);
  int neighbour = -1, source = -1, source_weight = 0, destination = -1, destination_weight = 0;
  MPI_Graph_neighbors(comms.graph, comms.me, 1, &neighbour);
  EXPECT_EQ(neighbour, comms.me ^ 1);
  MPI_Dist_graph_neighbors(comms.circle, 1, &source, &source_weight, 1, &destination, &destination_weight);
  EXPECT_EQ(source, comms.left);
  EXPECT_EQ(source_weight, 10 + comms.me);
  EXPECT_EQ(destination, comms.right);
}

void expect_messages(const HeldComms& comms) {
  int remote = 0, in_half = 0, neighbour = -1, source = -1;
  MPI_Comm_remote_size(comms.between, &remote);
  EXPECT_EQ(remote, 2);
  MPI_Comm_rank(comms.half, &in_half);
  EXPECT_EQ(in_half, 1 - comms.me / 2);
  MPI_Sendrecv(&comms.me, 1, MPI_INT, in_half, 0, &neighbour, 1, MPI_INT, in_half, 0, comms.between, MPI_STATUS_IGNORE);
  EXPECT_EQ(neighbour, comms.me ^ 1);
  EXPECT_EQ(reduced(comms.between, 1, MPI_SUM), 2);
  EXPECT_EQ(reduced(comms.alone, comms.me, MPI_SUM), comms.me);
  MPI_Neighbor_allgather(&comms.me, 1, MPI_INT, &source, 1, MPI_INT, comms.circle);
  EXPECT_EQ(source, comms.left);
}

TEST_P(CarryObjects, KeepsCommunicators) {
  run(4, [](int rank, int size) {
    HeldComms comms(rank, size);
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(add_twice, 0, &op);
    const int before = reduced(comms.half, rank, op);
    move();
    EXPECT_EQ(reduced(comms.half, rank, op), before);
    expect_topologies(comms);
    expect_messages(comms);
    MPI_Comm more = MPI_COMM_NULL;
    MPI_Comm_dup(comms.between, &more);
    move();
    EXPECT_EQ(reduced(more, 1, MPI_SUM), 2);
    MPI_Comm_free(&more);
    MPI_Op_free(&op);
    comms.free();
  });
}

TEST_P(CarryObjects, KeepsNamesHintsAndGroups) {
  run(4, [](int rank, int size) {
    HeldComms comms(rank, size);
    MPI_Comm_set_name(comms.half, "halves");
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    MPI_Comm_set_info(comms.grid, info);
    MPI_Group group = MPI_GROUP_NULL, other = MPI_GROUP_NULL;
    MPI_Comm_group(comms.half, &group);
    move();
    MPI_Comm_group(comms.half, &other);
    int equal = 0;
    MPI_Group_compare(group, other, &equal);
    EXPECT_EQ(equal, MPI_IDENT);
    char text[MPI_MAX_OBJECT_NAME];
    int length = 0, flag = 0;
    MPI_Comm_get_name(comms.half, text, &length);
    EXPECT_STREQ(text, "halves");
    MPI_Info_free(&info);
    MPI_Comm_get_info(comms.grid, &info);
    length = sizeof text;
    MPI_Info_get_string(info, "key", &length, text, &flag);
    EXPECT_STREQ(text, "value");
    MPI_Info_free(&info);
    MPI_Group_free(&group);
    MPI_Group_free(&other);
    comms.free();
  });
}

}  // namespace
}  // namespace weft::mpi_shim
