// Files as a whole: modes, sizes, views, error handlers and what is wrong with a call.
#include <cstring>

#include "tests/mpi_shim/io/io_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class IoFile : public IoTest {};
INSTANTIATE_TEST_SUITE_P(Settings, IoFile,
                         testing::Values(Setting{1, "none"}, Setting{2, "none"}, Setting{2, "none", true},
                                         Setting{1, "none", false, 2}),
                         name_of);

TEST_P(IoFile, ModesDecideWhatAFileMayBe) {
  run(3, [&](int rank, int) {
    MPI_File file = MPI_FILE_NULL;
    const auto open_class = [&](int amode) {
      return class_of(MPI_File_open(MPI_COMM_WORLD, path(), amode, MPI_INFO_NULL, &file));
    };
    EXPECT_EQ(open_class(MPI_MODE_RDWR), MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(file, MPI_FILE_NULL);
    EXPECT_EQ(open_class(MPI_MODE_CREATE), MPI_ERR_AMODE);
    EXPECT_EQ(open_class(MPI_MODE_RDONLY | MPI_MODE_CREATE), MPI_ERR_AMODE);
    EXPECT_EQ(open_class(MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL), MPI_ERR_AMODE);
    EXPECT_EQ(open_class(rank == 1 ? MPI_MODE_RDWR : MPI_MODE_WRONLY), MPI_ERR_NOT_SAME);
    EXPECT_EQ(class_of(MPI_File_open(MPI_COMM_WORLD, folder().c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file)),
              MPI_ERR_BAD_FILE);
    const std::string long_name(5000, 'x');
    EXPECT_EQ(class_of(MPI_File_open(MPI_COMM_WORLD, long_name.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file)),
              MPI_ERR_BAD_FILE);
    ASSERT_EQ(open_class(MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL), MPI_SUCCESS);
    int value = rank;
    EXPECT_EQ(class_of(MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE)), MPI_ERR_ACCESS);
    ASSERT_EQ(MPI_File_write_at_all(file, MPI_Offset{4} * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_File_close(&file);
    EXPECT_EQ(open_class(MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL), MPI_ERR_FILE_EXISTS);
    ASSERT_EQ(open_class(MPI_MODE_RDONLY), MPI_SUCCESS);
    EXPECT_EQ(class_of(MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE)), MPI_ERR_READ_ONLY);
    EXPECT_EQ(class_of(MPI_File_set_size(file, 5)), MPI_ERR_READ_ONLY);
    MPI_File_close(&file);
    ASSERT_EQ(open_class(MPI_MODE_RDWR | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE), MPI_SUCCESS);
    MPI_Offset position = 0;
    MPI_File_get_position(file, &position);
    EXPECT_EQ(position, 12);
    MPI_File_get_position_shared(file, &position);
    EXPECT_EQ(position, 12);
    MPI_File_close(&file);
    EXPECT_EQ(open_class(MPI_MODE_RDONLY), MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(class_of(MPI_File_delete(path(), MPI_INFO_NULL)), MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(class_of(MPI_File_close(&file)), MPI_ERR_FILE);
  });
}

TEST_P(IoFile, SequentialFilesHaveASharedPointerOnly) {
  run(2, [&](int rank, int) {
    MPI_File file = open(MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_SEQUENTIAL);
    EXPECT_EQ(class_of(MPI_File_write_at(file, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE)),
              MPI_ERR_UNSUPPORTED_OPERATION);
    EXPECT_EQ(class_of(MPI_File_seek(file, 0, MPI_SEEK_SET)), MPI_ERR_UNSUPPORTED_OPERATION);
    ASSERT_EQ(MPI_File_write_ordered(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    ASSERT_EQ(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
              MPI_SUCCESS);
    const int more = rank + 2;
    ASSERT_EQ(MPI_File_write_ordered(file, &more, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_File_close(&file);
  });
  EXPECT_EQ(ints(), count_from(0, 4));
}

TEST_P(IoFile, SizesGroupsAndViews) {
  run(4, [&](int rank, int) {
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_File file = MPI_FILE_NULL;
    const std::string own = folder() + (rank % 2 == 0 ? "/even" : "/odd");
    ASSERT_EQ(MPI_File_open(half, own.c_str(), MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                            MPI_INFO_NULL, &file),
              MPI_SUCCESS);
    MPI_Group group;
    int members = 0, amode = 0;
    MPI_File_get_group(file, &group);
    MPI_Group_size(group, &members);
    MPI_Group_free(&group);
    EXPECT_EQ(members, 2);
    MPI_File_get_amode(file, &amode);
    EXPECT_EQ(amode, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Offset bytes = 0, at = 0;
    ASSERT_EQ(MPI_File_preallocate(file, 4096), MPI_SUCCESS);
    MPI_File_get_size(file, &bytes);
    EXPECT_EQ(bytes, 4096);
    ASSERT_EQ(MPI_File_set_size(file, 100), MPI_SUCCESS);
    EXPECT_EQ(class_of(MPI_File_set_size(file, 100 + rank / 2)), MPI_ERR_NOT_SAME);

    MPI_Datatype pairs;
    MPI_Type_vector(3, 2, 5, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    ASSERT_EQ(MPI_File_set_view(file, 8, MPI_INT, pairs, "native", MPI_INFO_NULL), MPI_SUCCESS);
    MPI_Type_free(&pairs);
    MPI_File_get_byte_offset(file, 3, &at);
    EXPECT_EQ(at, 8 + (5 + 1) * 4);
    ASSERT_EQ(MPI_File_seek(file, 0, MPI_SEEK_END),
              MPI_SUCCESS);  // 100 bytes: ints 2, 3, 7, 8, 12, 13, 14, 15, 19, 20, 24
    MPI_File_get_position(file, &at);
    EXPECT_EQ(at, 11);
    MPI_Datatype etype, filetype;
    char name[MPI_MAX_DATAREP_STRING];
    ASSERT_EQ(MPI_File_get_view(file, &at, &etype, &filetype, name), MPI_SUCCESS);
    EXPECT_EQ(at, 8);
    EXPECT_EQ(etype, MPI_INT);
    EXPECT_STREQ(name, "native");
    int size = 0;
    MPI_Type_size(filetype, &size);
    EXPECT_EQ(size, 24);
    MPI_Type_free(&filetype);
    MPI_Aint extent = 0;
    MPI_File_get_type_extent(file, MPI_DOUBLE_INT, &extent);
    EXPECT_EQ(extent, 16);
    MPI_File_close(&file);
    MPI_Comm_free(&half);
  });
}

TEST_P(IoFile, WrongViewsAndBuffersAreRefused) {
  run(2, [&](int rank, int) {
    MPI_File file = open();
    const auto view_class = [&](MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep) {
      return class_of(MPI_File_set_view(file, disp, etype, filetype, datarep, MPI_INFO_NULL));
    };
    MPI_Datatype falling, open_type;
    const int lengths[] = {1, 1}, places[] = {3, 0};
    MPI_Type_indexed(2, lengths, places, MPI_INT, &falling);
    MPI_Type_dup(falling, &open_type);
    MPI_Type_commit(&falling);
    EXPECT_EQ(view_class(0, MPI_INT, falling, "native"), MPI_ERR_IO);
    EXPECT_EQ(view_class(0, MPI_INT, open_type, "native"), MPI_ERR_TYPE);
    EXPECT_EQ(view_class(0, MPI_DOUBLE, MPI_INT, "native"), MPI_ERR_ARG);
    EXPECT_EQ(view_class(-4, MPI_INT, MPI_INT, "native"), MPI_ERR_ARG);
    EXPECT_EQ(view_class(0, MPI_INT, MPI_INT, "martian"), MPI_ERR_UNSUPPORTED_DATAREP);
    EXPECT_EQ(view_class(0, MPI_INT, MPI_INT, rank == 0 ? "native" : "internal"), MPI_ERR_NOT_SAME);
    EXPECT_EQ(view_class(0, MPI_INT, MPI_INT, "internal"), MPI_SUCCESS);
    MPI_Type_free(&falling);
    MPI_Type_free(&open_type);
    const int value = 0;
    EXPECT_EQ(class_of(MPI_File_write_at(file, -1, &value, 1, MPI_INT, MPI_STATUS_IGNORE)), MPI_ERR_ARG);
    EXPECT_EQ(class_of(MPI_File_write_at(file, 0, &value, -1, MPI_INT, MPI_STATUS_IGNORE)), MPI_ERR_COUNT);
    EXPECT_EQ(class_of(MPI_File_write_at(file, 0, &value, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE)), MPI_ERR_TYPE);
    EXPECT_EQ(class_of(MPI_File_write_at(file, 0, &value, 1, MPI_CHAR, MPI_STATUS_IGNORE)), MPI_ERR_IO);
    // One member's mistake is its own: the others go on.
    const MPI_Datatype type = rank == 0 ? MPI_DATATYPE_NULL : MPI_INT;
    EXPECT_EQ(class_of(MPI_File_write_at_all(file, rank, &value, 1, type, MPI_STATUS_IGNORE)),
              rank == 0 ? MPI_ERR_TYPE : MPI_SUCCESS);
    MPI_File_close(&file);
  });
}

int calls = 0;
MPI_File failed = MPI_FILE_NULL;
void note_error(MPI_File* file, int* code, ...) {
  ++calls;
  failed = *file;
  EXPECT_EQ(class_of(*code), *file == MPI_FILE_NULL ? MPI_ERR_NO_SUCH_FILE : MPI_ERR_ARG);
}

TEST_P(IoFile, ErrorHandlersBelongToFiles) {
  run(1, [&](int, int) {
    MPI_Errhandler handler, found;
    MPI_File_get_errhandler(MPI_FILE_NULL, &found);
    EXPECT_EQ(found, MPI_ERRORS_RETURN);
    calls = 0;
    MPI_File_create_errhandler(note_error, &handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler);
    MPI_File file = MPI_FILE_NULL;
    EXPECT_EQ(class_of(MPI_File_open(MPI_COMM_SELF, path(), MPI_MODE_RDWR, MPI_INFO_NULL, &file)),
              MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(calls, 1);
    file = open(MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_COMM_SELF);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
    MPI_File_seek(file, -1, MPI_SEEK_SET);
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(failed, file);
    MPI_File_call_errhandler(file, MPI_ERR_ARG);
    EXPECT_EQ(calls, 3);
    MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
    MPI_File_seek(file, -1, MPI_SEEK_SET);
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(MPI_File_f2c(MPI_File_c2f(file)), file);
    MPI_File_close(&file);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
