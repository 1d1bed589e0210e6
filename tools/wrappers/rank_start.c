/* Linked into every program that the wrappers build. Makes the program directly runnable, since its entry point
   executes weftrun with it, and shows its main to the image loader whatever main's visibility is. Never runs inside a
   rank. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

extern int main() __attribute__((weak)); /* a shared library that is linked with the same flags has none */
extern int* weft_errno(void);            /* an address inside libmpi_abi */

__attribute__((visibility("default"), used)) int (*const weft_main)() = main;

/* The kernel starts a program that is linked as a shared object only if it names an interpreter. */
__attribute__((section(".interp"), used)) static const char interpreter[] = "/lib64/ld-linux-x86-64.so.2";

static void say(const char* text) {
  if (write(2, text, strlen(text)) < 0) {
    _exit(127);
  }
}

static char own_path[PATH_MAX];
static char launcher[PATH_MAX + 32];

/* Starts `<directory of file, length bytes>/<rest>`; returns if it cannot. */
static void try_launcher(const char* directory, size_t length, const char* rest, char** arguments, char** environment) {
  if (length + strlen(rest) + 1 > sizeof launcher) {
    return;
  }
  memcpy(launcher, directory, length);
  strcpy(launcher + length, rest);
  execve(launcher, arguments, environment);
}

static const char* variable(char** environment, const char* name) {
  const size_t length = strlen(name);
  for (; *environment != NULL; ++environment) {
    if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') {
      return *environment + length + 1;
    }
  }
  return NULL;
}

static void search_path(const char* path, char** arguments, char** environment) {
  while (path != NULL && *path != '\0') {
    const size_t length = strcspn(path, ":");
    if (length > 0) {
      try_launcher(path, length, "/weftrun", arguments, environment);
    }
    path += length + (path[length] == ':');
  }
}

/* Searches WEFT_HOME, then the folder of the library that the program is linked with, then PATH. */
static void find_launcher(char** arguments, char** environment) {
  const char* home = variable(environment, "WEFT_HOME");
  if (home != NULL) {
    try_launcher(home, strlen(home), "/bin/weftrun", arguments, environment);
  }
  Dl_info library;
  if (dladdr((void*)weft_errno, &library) != 0) {
    const char* slash = strrchr(library.dli_fname, '/');
    if (slash != NULL) {
      try_launcher(library.dli_fname, (size_t)(slash - library.dli_fname), "/../bin/weftrun", arguments, environment);
    }
  }
  search_path(variable(environment, "PATH"), arguments, environment);
}

/* Uses the path that the kernel was given if /proc is not mounted. */
static void find_own_path(void) {
  const ssize_t length = readlink("/proc/self/exe", own_path, sizeof own_path - 1);
  const char* const given = (const char*)getauxval(AT_EXECFN);
  if (length >= 0) {
    own_path[length] = '\0';
  } else if (given != NULL) {
    strncpy(own_path, given, sizeof own_path - 1);
  }
}

/* `top` is the stack as the kernel left it: argc, argv, 0, environment, 0. The arguments become
   weftrun --direct <this file> <argv...>. */
__attribute__((used, noreturn)) static void weft_start_with(long* top) {
  const size_t count = (size_t)top[0];
  char** argv = (char**)(top + 1);
  char** environment = argv + count + 1;
  char* arguments[count + 5];
  find_own_path();
  arguments[0] = (char*)"weftrun";
  arguments[1] = (char*)"--direct";
  arguments[2] = own_path;
  arguments[3] = (char*)"--";
  memcpy(arguments + 4, argv, (count + 1) * sizeof *argv);
  find_launcher(arguments, environment);
  say(own_path);
  say(": this MPI program runs on Weft and weftrun was not found: set WEFT_HOME to Weft's folder, or put its bin in "
      "PATH\n");
  _exit(127);
}

/* The entry: no frame above, the stack aligned as a function's caller leaves it. */
__asm__(
    ".text\n"
    ".globl weft_start\n"
    ".hidden weft_start\n"
    ".type weft_start, @function\n"
    "weft_start:\n"
    "  .cfi_startproc\n"
    "  .cfi_undefined rip\n"
    "  xor %ebp, %ebp\n"
    "  mov %rsp, %rdi\n"
    "  and $-16, %rsp\n"
    "  call weft_start_with\n"
    "  hlt\n"
    "  .cfi_endproc\n"
    ".size weft_start, .-weft_start\n");
