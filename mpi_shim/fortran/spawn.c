// MPI_COMM_SPAWN and MPI_COMM_SPAWN_MULTIPLE: commands and arguments are arrays of blank-padded strings.
#include "convert.h"

// Strings of a Fortran array: string i begins `stride` strings after string i - 1.
typedef struct {
  const char* first;
  size_t length, stride;
} Strings;

static int is_blank(const char* text, size_t length) {
  while (length > 0 && text[length - 1] == ' ') --length;
  return length == 0;
}

// Null-terminated array of copies of the strings, without the blanks around them. It ends before the first blank string
// if `most` is SIZE_MAX, else after `most` strings.
static char** strings_in(Strings strings, size_t most) {
  size_t count = 0;
  while (count < most &&
         (most != SIZE_MAX || !is_blank(strings.first + count * strings.stride * strings.length, strings.length))) {
    ++count;
  }
  char** copies = malloc((count + 1) * sizeof *copies);
  for (size_t i = 0; i < count; ++i) {
    copies[i] = weft_string_in(strings.first + i * strings.stride * strings.length, strings.length);
  }
  copies[count] = NULL;
  return copies;
}

static void strings_free(char** strings) {
  if (strings == NULL) return;
  for (char** string = strings; *string != NULL; ++string) free(*string);
  free(strings);
}

static int is_root(MPI_Fint comm, MPI_Fint root) {
  int rank = -1, inter = 1;
  return MPI_Comm_test_inter(WEFT_HANDLE(MPI_Comm, comm), &inter) == MPI_SUCCESS && !inter &&
         MPI_Comm_rank(WEFT_HANDLE(MPI_Comm, comm), &rank) == MPI_SUCCESS && rank == root;
}

// Arguments that are significant at the root only are not read elsewhere.
WEFT_FORTRAN(void, comm_spawn,
             (char* command, char* argv, MPI_Fint* maxprocs, MPI_Fint* info, MPI_Fint* root, MPI_Fint* comm,
              MPI_Fint* intercomm, MPI_Fint* errcodes, MPI_Fint* ierror, size_t command_length, size_t argv_length)) {
  const int at_root = is_root(*comm, *root);
  char* c_command = at_root ? weft_string_in(command, command_length) : NULL;
  char** c_argv =
      !at_root || argv == &weft_mpi_argv_null_ ? NULL : strings_in((Strings){argv, argv_length, 1}, SIZE_MAX);
  MPI_Comm c_intercomm = MPI_COMM_NULL;
  weft_report(ierror, MPI_Comm_spawn(c_command, c_argv, at_root ? *maxprocs : 0, WEFT_HANDLE(MPI_Info, *info), *root,
                                     WEFT_HANDLE(MPI_Comm, *comm), &c_intercomm, weft_errcodes(errcodes)));
  *intercomm = WEFT_INTEGER(c_intercomm);
  strings_free(c_argv);
  free(c_command);
}

// The arguments of command i are row i of a matrix with `count` rows.
static char*** argvs_in(const char* argvs, size_t length, size_t count) {
  char*** copies = malloc((count + 1) * sizeof *copies);
  for (size_t i = 0; i < count; ++i) {
    copies[i] = strings_in((Strings){argvs + i * length, length, count}, SIZE_MAX);
  }
  copies[count] = NULL;
  return copies;
}

static void argvs_free(char*** argvs) {
  if (argvs == NULL) return;
  for (char*** argv = argvs; *argv != NULL; ++argv) strings_free(*argv);
  free(argvs);
}

WEFT_FORTRAN(void, comm_spawn_multiple,
             (MPI_Fint * count, char* commands, char* argvs, MPI_Fint* maxprocs, MPI_Fint* infos, MPI_Fint* root,
              MPI_Fint* comm, MPI_Fint* intercomm, MPI_Fint* errcodes, MPI_Fint* ierror, size_t commands_length,
              size_t argvs_length)) {
  const int at_root = is_root(*comm, *root);
  const size_t programs = at_root && *count > 0 ? (size_t)*count : 0;
  char** c_commands = strings_in((Strings){commands, commands_length, 1}, programs);
  char*** c_argvs = argvs == &weft_mpi_argvs_null_ ? NULL : argvs_in(argvs, argvs_length, programs);
  weft_handles c_infos;
  weft_handles_in(&c_infos, infos, (int)programs);
  MPI_Comm c_intercomm = MPI_COMM_NULL;
  weft_report(ierror,
              MPI_Comm_spawn_multiple((int)programs, c_commands, c_argvs, maxprocs, (MPI_Info*)c_infos.values, *root,
                                      WEFT_HANDLE(MPI_Comm, *comm), &c_intercomm, weft_errcodes(errcodes)));
  *intercomm = WEFT_INTEGER(c_intercomm);
  weft_handles_free(&c_infos);
  argvs_free(c_argvs);
  strings_free(c_commands);
}
