/* Standard streams of children that a rank forks: what the child or the rank has redirected also holds for programs
   that the child executes, and for nothing else. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int wrong;
static void expect(int holds, const char* what) {
  if (!holds) {
    printf("WRONG: %s\n", what);
    wrong = 1;
  }
}

static int end_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void run(const char* command) {
  execl("/bin/sh", "sh", "-c", command, (char*)NULL);
  _exit(99);
}

static void by_program(void) { run("echo word"); }
static void by_grandchild(void) {
  const pid_t child = vfork();
  if (child == 0) {
    run("echo word");
  }
  _exit(end_of(child));
}
static void by_printf(void) {
  printf("word\n");
  fflush(stdout);
  _exit(0);
}

/* What a child prints that has the end of a pipe as its standard output. */
static void expect_word_in_pipe(void (*print)(void), const char* what) {
  int ends[2];
  expect(pipe(ends) == 0, "a pipe");
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
    print();
  }
  close(ends[1]);
  char text[16] = "";
  size_t length = 0;
  for (ssize_t n; length + 1 < sizeof text && (n = read(ends[0], text + length, sizeof text - 1 - length)) > 0;) {
    length += (size_t)n;
  }
  close(ends[0]);
  expect(end_of(child) == 0 && strcmp(text, "word\n") == 0, what);
}

static void expect_input_from_pipe(void) {
  int ends[2];
  expect(pipe(ends) == 0, "a pipe");
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[0], 0);
    close(ends[0]);
    close(ends[1]);
    run("read number; exit $number");
  }
  close(ends[0]);
  expect(write(ends[1], "8\n", 2) == 2, "written to a pipe");
  close(ends[1]);
  expect(end_of(child) == 8, "a program that reads a pipe as its standard input");
}

static char path[] = "child_streams.XXXXXX";

static void expect_word_in_file(const char* what) {
  char text[16] = "";
  const int file = open(path, O_RDONLY);
  expect(file >= 0 && read(file, text, sizeof text - 1) == 5 && strcmp(text, "word\n") == 0, what);
  close(file);
  expect(truncate(path, 0) == 0, "a file that is emptied");
}

static void close_and_open(void) {
  close(1);
  open(path, O_WRONLY);
}
static void close_and_reopen(void) {
  close(1);
  if (freopen(path, "w", stdout) == NULL) {
    _exit(98);
  }
}
static void reopen(void) {
  if (freopen(path, "w", stdout) == NULL) {
    _exit(98);
  }
}

static void expect_word_of_child(void (*redirect)(void), const char* what) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    redirect();
    run("echo word");
  }
  expect(end_of(child) == 0, what);
  expect_word_in_file(what);
}

/* The rank's own redirection, of streams that others of its process still have. A child's child inherits it, too. */
static void expect_input_of_redirected_rank(void) {
  FILE* const file = fopen(path, "w");
  fputs("8\n", file);
  fclose(file);
  const int before = dup(0);
  const int input = open(path, O_RDONLY);
  dup2(input, 0);
  close(input);
  const pid_t child = fork();
  if (child == 0) {
    const pid_t its_child = fork();
    if (its_child == 0) {
      run("read number; exit $number");
    }
    _exit(end_of(its_child));
  }
  expect(end_of(child) == 8, "a program that reads the redirected input of its rank");
  dup2(before, 0);
  close(before);
  expect(truncate(path, 0) == 0, "a file that is emptied");
}

static void expect_word_of_redirected_rank(void) {
  const int before = dup(2);
  const int file = open(path, O_WRONLY);
  dup2(file, 2);
  close(file);
  const pid_t child = fork();
  if (child == 0) {
    run("echo word >&2");
  }
  expect(end_of(child) == 0, "a child of a redirected rank");
  dup2(before, 2);
  close(before);
  expect_word_in_file("what a child of a redirected rank prints");
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  close(mkstemp(path));
  expect_word_in_pipe(by_program, "what a program prints to a pipe");
  expect_word_in_pipe(by_printf, "what a child prints to a pipe");
  expect_word_in_pipe(by_grandchild, "what a child's child prints to a pipe");
  expect_input_from_pipe();
  expect_word_of_child(close_and_open, "what a program prints after close() and open()");
  expect_word_of_child(reopen, "what a program prints after freopen()");
  expect_word_of_child(close_and_reopen, "what a program prints after close() and freopen()");
  expect_input_of_redirected_rank();
  expect_word_of_redirected_rank();
  expect_word_in_pipe(by_program, "what a program prints to a pipe at last");
  unlink(path);
  int any = 0;
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && !any) {
    puts("all streams were right");
  }
  MPI_Finalize();
  return any;
}
