// AMPI's functions: hints, requested workers, callbacks around moves, registered pup functions.
#include <cstdlib>
#include <vector>

#include "mpi_shim/ampi/migration.hpp"
#include "mpi_shim/ampi/puper.hpp"
#include "mpi_shim/state/state.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class AmpiTest : public MpiTest {
 protected:
  static bool balances() { return GetParam().lb != "none"; }
};

INSTANTIATE_TEST_SUITE_P(Settings, AmpiTest, kPlainSettings, name_of);

MPI_Info hints(const char* key, const char* value) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  return info;
}

int attribute_of_world(int keyval) {
  int* value = nullptr;
  int flag = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, static_cast<void*>(&value), &flag);
  EXPECT_EQ(flag, 1);
  return flag != 0 ? *value : -1;
}

TEST_P(AmpiTest, MigratesAsTheHintsSay) {
  run(8, [](int, int) {
    const int before = weft_worker();
    const bool moves = balances() && weft_worker_count() > 1;
    EXPECT_EQ(AMPI_Migrate(MPI_INFO_NULL), MPI_SUCCESS);
    EXPECT_EQ(weft_worker(), before);
    EXPECT_EQ(AMPI_Migrate(AMPI_INFO_LB_SYNC), MPI_SUCCESS);
    EXPECT_EQ(weft_worker() != before, moves);
    for (const char* value : {"sync", "async", "false"}) {
      const int here = weft_worker();
      MPI_Info info = hints("ampi_load_balance", value);
      EXPECT_EQ(AMPI_Migrate(info), MPI_SUCCESS);
      EXPECT_EQ(weft_worker() != here, moves && value != std::string("false")) << value;
      MPI_Info_free(&info);
    }
  });
}

TEST_P(AmpiTest, RefusesHintsThatItDoesNotKnow) {
  run(2, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info balance = hints("ampi_load_balance", "sometimes");
    EXPECT_EQ(class_of(AMPI_Migrate(balance)), MPI_ERR_INFO_VALUE);
    MPI_Info checkpoint = hints("ampi_checkpoint", "to_moon");
    EXPECT_EQ(class_of(AMPI_Migrate(checkpoint)), MPI_ERR_INFO_VALUE);
    MPI_Info memory = hints("ampi_checkpoint", "in_memory");
    EXPECT_EQ(class_of(AMPI_Migrate(memory)), MPI_ERR_UNSUPPORTED_OPERATION);
    EXPECT_EQ(class_of(AMPI_Migrate(AMPI_INFO_CHKPT_IN_MEMORY)), MPI_ERR_UNSUPPORTED_OPERATION);
    EXPECT_EQ(class_of(MPI_MemCheckpoint()), MPI_ERR_UNSUPPORTED_OPERATION);
    EXPECT_EQ(class_of(MPI_Checkpoint(nullptr)), MPI_ERR_ARG);
    EXPECT_EQ(class_of(MPI_Checkpoint("")), MPI_ERR_ARG);
    EXPECT_EQ(class_of(AMPI_Migrate_to_pe(weft_worker_count())), MPI_ERR_ARG);
    EXPECT_EQ(class_of(AMPI_Migrate_to_pe(-1)), MPI_ERR_ARG);
    EXPECT_EQ(class_of(AMPI_Load_set_value(-1)), MPI_ERR_ARG);
    EXPECT_EQ(class_of(AMPI_Register_pup(nullptr, nullptr, nullptr)), MPI_ERR_ARG);
    for (MPI_Info info : {balance, checkpoint, memory}) {
      MPI_Info_free(&info);
    }
  });
}

TEST_P(AmpiTest, SaysWhereARankIs) {
  run(5, [](int, int) {
    const int home = weft_worker();
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(attribute_of_world(AMPI_MY_WTH), weft_worker());
      EXPECT_EQ(attribute_of_world(AMPI_NUM_WTHS), weft_worker_count());
      EXPECT_EQ(attribute_of_world(AMPI_MY_PROCESS), 0);
      EXPECT_EQ(attribute_of_world(AMPI_NUM_PROCESSES), 1);
      EXPECT_EQ(attribute_of_world(AMPI_MY_HOME_WTH), home);
      MPI_Migrate();
    }
  });
}

TEST_P(AmpiTest, SendsARankWhereItAsksToGo) {
  run(6, [](int rank, int) {
    for (int step = 0; step < 4 && balances(); ++step) {
      const int wanted = (rank + 2 * step) % weft_worker_count();
      EXPECT_EQ(AMPI_Migrate_to_pe(wanted), MPI_SUCCESS);
      AMPI_Migrate(AMPI_INFO_LB_SYNC);
      EXPECT_EQ(weft_worker(), wanted);
    }
  });
}

TEST_P(AmpiTest, LeavesARankThatIsNotMigratable) {
  run(6, [](int rank, int) {
    AMPI_Set_migratable(static_cast<int>(rank % 2 == 0));
    const int before = weft_worker();
    MPI_Migrate();
    EXPECT_EQ(weft_worker() != before, rank % 2 == 0 && balances() && weft_worker_count() > 1);
    AMPI_Set_migratable(1);
  });
}

// Of the rank whose callback runs. Only between two suspensions.
struct Counted {
  int before = 0;
  int after = 0;
};
std::vector<Counted> callbacks;

Counted& mine() { return callbacks[number(runtime::current_rank()->id)]; }

TEST_P(AmpiTest, CallsBackAroundEveryMove) {
  callbacks.assign(5, {});
  run(5, [](int, int) {
    AMPI_Register_about_to_migrate([] { ++mine().before; });
    AMPI_Register_just_migrated([] { ++mine().after; });
    AMPI_Register_just_migrated([] { mine().after += 100; });
    int moves = 0;
    for (int i = 0; i < 4; ++i) {
      const int before = weft_worker();
      MPI_Migrate();
      moves += static_cast<int>(weft_worker() != before);
    }
    EXPECT_EQ(mine().before, moves);
    EXPECT_EQ(mine().after, 101 * moves);
  });
}

struct Field {
  int size = 0;
  double* cells = nullptr;
  int packings = 0;
};

void pup_field(pup_er p, void* data) {
  auto& field = *static_cast<Field*>(data);
  pup_int(p, &field.size);
  if (pup_isUnpacking(p) != 0) {
    EXPECT_EQ(field.cells, nullptr);
    field.cells = new double[static_cast<std::size_t>(field.size)];
  }
  pup_doubles(p, field.cells, static_cast<std::size_t>(field.size));
  if (pup_isDeleting(p) != 0) {
    EXPECT_EQ(pup_isPacking(p), 1);
    ++field.packings;
    delete[] field.cells;
    field.cells = nullptr;
  }
}

// What a rank has registered for its moves, packed and unpacked as in a move.
struct CarriedMigration {
  RankState& me;
  void pup(pup::Puper& p) { me.part<Migration>().pup(p, me); }
};

// The steps on both sides of a move between processes, and the data that is transferred.
TEST_P(AmpiTest, PacksAndFreesWhatFunctionsNameAndBringsItBack) {
  run(3, [](int rank, int) {
    Field first{.size = 1000, .cells = new double[1000]};
    Field second{.size = 3, .cells = new double[3]{1, 2, 3}};
    for (int i = 0; i < 1000; ++i) {
      first.cells[i] = rank + i;
    }
    int index = -1;
    EXPECT_EQ(AMPI_Register_pup(pup_field, &first, &index), MPI_SUCCESS);
    EXPECT_EQ(index, 0);
    EXPECT_EQ(MPI_Register(&second, pup_field), 1);
    void* data = nullptr;
    AMPI_Get_pup_data(1, static_cast<void*>(&data));
    EXPECT_EQ(data, &second);

    RankState& me = rank_state();
    about_to_move(me, true);
    EXPECT_EQ(first.cells, nullptr);
    EXPECT_EQ(second.cells, nullptr);
    CarriedMigration carried{me};
    const std::vector<std::byte> image = pup::pack(carried);
    EXPECT_GT(image.size(), 1003 * sizeof(double));
    me.parts[static_cast<std::size_t>(Migration::kRankPart)] = std::make_unique<Migration>();
    pup::unpack(image, carried);
    just_moved(me, true);
    EXPECT_EQ(first.packings, 1);
    for (int i = 0; i < 1000; ++i) {
      EXPECT_EQ(first.cells[i], rank + i);
    }
    EXPECT_EQ(second.cells[2], 3);

    for (int i = 0; i < 2; ++i) {
      MPI_Migrate();  // inside the process nothing is packed
    }
    EXPECT_EQ(first.packings, 1);
    delete[] first.cells;
    delete[] second.cells;
  });
}

TEST_P(AmpiTest, UsesTheLoadThatTheProgramSets) {
  run(2, [](int, int) {
    runtime::Load& load = rank_state().rank->load;
    AMPI_Load_set_value(12.5);
    EXPECT_EQ(load.take_seconds(), 12.5);
    AMPI_Load_stop_measure();
    const std::uint64_t before = load.counted();
    for (int i = 0; i < 3; ++i) {
      AMPI_Yield();
    }
    EXPECT_EQ(load.counted(), before);
    AMPI_Load_start_measure();
    AMPI_Load_reset_measure();
    EXPECT_EQ(load.counted(), 0U);
  });
}

TEST_P(AmpiTest, TellsContiguousTypes) {
  run(1, [](int, int) {
    int flag = 0;
    AMPI_Type_is_contiguous(MPI_DOUBLE, &flag);
    EXPECT_EQ(flag, 1);
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(3, 1, 4, MPI_INT, &column);
    AMPI_Type_is_contiguous(column, &flag);
    EXPECT_EQ(flag, 0);
    MPI_Type_free(&column);
  });
}

using AmpiDeathTest = AmpiTest;
INSTANTIATE_TEST_SUITE_P(OneWorker, AmpiDeathTest, testing::Values(Setting{1, "none"}), name_of);

TEST_P(AmpiDeathTest, RefusesMpiInCallbacks) {
  EXPECT_EXIT(run(1,
                  [](int, int) {
                    AMPI_Register_about_to_migrate([] { MPI_Barrier(MPI_COMM_WORLD); });
                    about_to_move(rank_state(), false);
                  }),
              testing::ExitedWithCode(1), "rank 0: MPI_Barrier: called in a pup function or a callback around a move");
}

TEST_P(AmpiDeathTest, NamesAFunctionThatDoesNotAgreeWithItself) {
  EXPECT_EXIT(run(1,
                  [](int, int) {
                    static int value = 0;
                    AMPI_Register_pup(
                        [](pup_er p, void*) {
                          if (pup_isPacking(p) != 0) {
                            pup_int(p, &value);
                          }
                        },
                        nullptr, nullptr);
                    about_to_move(rank_state(), true);
                  }),
              testing::ExitedWithCode(1), "a pup function asks for 4 bytes and 0 are left");
}

TEST(Load, LeavesOutWhatIsNotMeasured) {
  runtime::Load load;
  load.cycles = 100;
  load.stop();
  load.cycles = 150;
  EXPECT_EQ(load.counted(), 100U);
  load.start();
  load.cycles = 160;
  EXPECT_EQ(load.counted(), 110U);
  load.stop();
  load.cycles = 1000;
  load.take_seconds();
  EXPECT_EQ(load.counted(), 0U);
  load.cycles = 1010;
  EXPECT_EQ(load.counted(), 0U) << "still stopped";
  load.start();
  load.cycles = 1017;
  EXPECT_EQ(load.counted(), 7U);
  const auto image = pup::pack(load);
  runtime::Load arrived;
  pup::unpack(image, arrived);
  EXPECT_EQ(arrived.counted(), 7U);
}

}  // namespace
}  // namespace weft::mpi_shim
