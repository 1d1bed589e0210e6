// Starts itself as often as asked; each start reserves the region. Exit code 0 if all could.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "runtime/image/load_error.hpp"
#include "runtime/image/region.hpp"

namespace {

int reserve_once() {
  try {
    const weft::image::Region region(1000);
    return 0;
  } catch (const weft::image::LoadError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    return reserve_once();
  }
  for (int i = std::atoi(argv[1]); i > 0; --i) {
    const pid_t child = vfork();
    if (child == 0) {
      execl("/proc/self/exe", argv[0], static_cast<char*>(nullptr));
      _exit(125);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      return 1;
    }
  }
  return 0;
}
