/* Every way to write to the standard streams, and how a rank ends. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#include "shim_check.h"

extern void weft_shim_arrived(void);

static void forked(void) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    printf("from the child\n");
    fflush(stdout);
    _exit(7);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

/* What it has buffered is written at its end. */
static void forked_with_file(void) {
  char path[] = "/tmp/weft-shim-output-XXXXXX";
  close(mkstemp(path));
  const pid_t child = fork();
  if (child == 0) {
    fputs("of the child", fopen(path, "w"));
    exit(0);
  }
  char text[32] = "";
  CHECK(waitpid(child, NULL, 0) == child);
  FILE* const file = fopen(path, "r");
  CHECK(fgets(text, sizeof text, file) == text && strcmp(text, "of the child") == 0);
  fclose(file);
  unlink(path);
}

/* The process's descriptors stay open, after fclose() and after the rank's end. */
static void opened_again(void) {
  FILE* const again = fdopen(1, "w");
  CHECK(again != NULL && fputs("by another stream\n", again) > 0 && fclose(again) == 0);
  CHECK(fputs("left open\n", fdopen(1, "w")) > 0);
  CHECK(fdopen(1, "no mode") == NULL && errno == EINVAL);
}

/* One write, as a pipe of packets shows. */
static void redirected_parts(void) {
  int ends[2];
  char text[16];
  CHECK(pipe2(ends, O_DIRECT) == 0 && dup2(ends[1], 1) == 1);
  struct iovec parts[] = {{"in ", 3}, {"parts", 5}};
  CHECK(writev(1, parts, 2) == 8 && read(ends[0], text, sizeof text) == 8);
  close(1);
  close(ends[0]);
  close(ends[1]);
}

static void first(void) { puts("atexit: registered first, runs last"); }
static void second(void) { puts("atexit: registered second"); }
static void with_status(int status, void* text) { printf("on_exit: %d %s\n", status, (char*)text); }

static void redirected(const char* path) {
  FILE* before = stdout;
  CHECK(freopen(path, "w", stdout) == before && stdout == before);
  printf("into the file by printf\n");
  CHECK(write(1, "", 0) == 0 && fflush(stdout) == 0);
  CHECK(dprintf(1, "into the file by descriptor\n") > 0);
}

static void redirected_input(const char* path) {
  FILE* file = fopen(path, "w");
  fputs("12 word\nxyz\nline\nleft", file);
  fclose(file);
  CHECK(freopen(path, "r", stdin) == stdin);
  int number = 0;
  char text[32] = "";
  CHECK(scanf("%d %31s", &number, text) == 2 && number == 12 && strcmp(text, "word") == 0);
  CHECK(getchar() == '\n' && getchar() == 'x' && getwchar() == L'y');
  CHECK(ungetwc(L'y', stdin) == L'y' && getc(stdin) == 'y');
  wchar_t wide[8];
  CHECK(fgetws(wide, 8, stdin) == wide && wcscmp(wide, L"z\n") == 0);
  char* line = NULL;
  size_t size = 0;
  CHECK(getline(&line, &size, stdin) == 5 && strcmp(line, "line\n") == 0);
  free(line);
  CHECK(fgets(text, 32, stdin) == text && strcmp(text, "left") == 0 && getchar() == EOF);
  CHECK(read(0, text, 2) == 0);
  unlink(path);
}

static void content(const char* path) {
  char text[128] = "";
  FILE* file = fopen(path, "r");
  CHECK(file != NULL && fread(text, 1, sizeof text - 1, file) > 0);
  CHECK(strcmp(text, "into the file by printf\ninto the file by descriptor\n") == 0);
  fclose(file);
  unlink(path);
}

int main(void) {
  const char* which = getenv("SHIM_TEST_CASE");
  atexit(first);
  on_exit(with_status, "text");
  atexit(second);
  if (strcmp(which, "lines") == 0) {
    printf("printf %d\n", 1);
    puts("puts");
    putchar('p');
    weft_shim_arrived(); /* as after a move: the streams and what is buffered stay */
    putc('c', stdout);
    fputs("fputs\n", stdout);
    fwrite("fwrite\n", 1, 7, stdout);
    fflush(stdout);
    CHECK(write(1, "write\n", 6) == 6);
    struct iovec parts[] = {{"wri", 3}, {"tev\n", 4}};
    CHECK(writev(1, parts, 2) == 7);
    dprintf(1, "dprintf\n");
    wprintf(L"wprintf %ls\n", L"wide");
    putwchar(L'w');
    fputws(L"ide\n", stdout);
    errno = ENOENT;
    perror("perror");
    warnx("warnx %d", 1);
    fprintf(stderr, "fileno %d %d %d\n", fileno(stdin), fileno(stdout), fileno(stderr));
    CHECK(getchar() == EOF && feof(stdin));
    static char buffer[4096];
    CHECK(setvbuf(stdout, buffer, _IOFBF, sizeof buffer) == 0);
    printf("buffered to the end");
    fputs("\n", stdout);
  } else if (strcmp(which, "redirect") == 0) {
    char path[] = "/tmp/weft-shim-output-XXXXXX";
    close(mkstemp(path));
    redirected(path);
    const int saved = dup(2);
    CHECK(dup2(2, 1) == 1);
    content(path);
    printf("to stderr\n");
    close(saved);
    redirected_input(path);
    redirected_parts();
    CHECK(dup2(2, 1) == 1);
  } else if (strcmp(which, "open again") == 0) {
    opened_again();
  } else if (strcmp(which, "exit") == 0) {
    printf("unfinished line");
    exit(3);
  } else if (strcmp(which, "_exit") == 0) {
    printf("a line\nlost");
    _exit(4);
  } else if (strcmp(which, "fork") == 0) {
    forked();
    forked_with_file();
    printf("from the parent\n");
  } else if (strcmp(which, "quick_exit") == 0) {
    quick_exit(5);
  }
  return failures;
}
