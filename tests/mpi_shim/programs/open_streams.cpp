// Streams of C++ that stay open while ranks move, compared at the end: open_streams <beginning of a folder's name>
// [moves] With "moves" every rank must have come to another process.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "mpi.h"
#include "weft.h"

namespace {

int faults = 0;

void check(bool holds, const char* what, const std::string& found = "") {
  if (!holds) {
    ++faults;
    std::fprintf(stderr, "%s: '%s'\n", what, found.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int job = getpid();
  MPI_Bcast(&job, 1, MPI_INT, 0, MPI_COMM_WORLD);
  const std::string folder = argv[1] + ("." + std::to_string(job));
  std::filesystem::create_directories(folder);
  const std::string base = folder + "/" + std::to_string(rank);

  std::ofstream(base + ".in") << "some words to be read one after the other by a rank";
  std::string expected;
  std::string read;
  int moves = 0;
  {
    std::ofstream out(base + ".out");
    std::ifstream in(base + ".in");
    std::fstream both(base + ".both", std::ios::in | std::ios::out | std::ios::trunc);
    for (int round = 0; round < 12; ++round) {
      std::ostringstream line;
      line << "round " << round << " of rank " << rank << '\n';
      expected += line.str();
      out << line.str();
      both.seekp(0, std::ios::end);
      both << line.str();
      if (round % 3 == 0) {
        out.flush();
      }
      std::string word;
      in >> word;
      read += word;
      const pid_t before = getpid();
      MPI_Migrate();
      moves += before != getpid() ? 1 : 0;
      both.seekg(0);
      std::string first;
      std::getline(both, first);
      check(first == "round 0 of rank " + std::to_string(rank), "the first line", first);
    }
    check(out.good() && both.good(), "a stream is not good");
  }
  check(argc < 3 || moves > 0, "the rank has not moved");
  check(read == "somewordstobereadoneaftertheotherbyarank", "what was read", read);
  for (const char* name : {".out", ".both"}) {
    std::stringstream found;
    found << std::ifstream(base + name).rdbuf();
    check(found.str() == expected, name, found.str());
  }
  int all = 0;
  MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    std::filesystem::remove_all(folder);
    std::printf("%d faults\n", all);
  }
  MPI_Finalize();
  return all;
}
