// What --check says of leaks, and that one line stands for many of a kind.
#include "mpi_shim/state/leak_report.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pup/pup.hpp"

namespace weft::mpi_shim {
namespace {

// Addresses are lines of one file.
class LinesOfAFile final : public CallSites {
 public:
  std::uintptr_t caller() const override { return 0; }
  std::string name(std::uintptr_t caller) override { return "main+" + std::to_string(caller); }
  std::vector<std::string> lines(const std::vector<std::string>& names) override {
    std::vector<std::string> lines;
    for (const std::string& name : names) {
      lines.push_back(name == "main+7" ? "solver.c:70" : name);
    }
    return lines;
  }
  std::vector<std::string> calls_of(std::span<const runtime::Rank* const> suspended) override {
    return std::vector<std::string>(suspended.size());
  }
};

Leak request_at(std::uintptr_t caller, int peer, int tag) {
  return {"request never completed", {"MPI_Irecv", caller}, "", {{4, peer, tag, false}}};
}

TEST(LeakReport, OneLineForWhatOnePlaceHasMade) {
  LinesOfAFile sites;
  LeakReport report;
  for (int rank = 15; rank >= 0; --rank) {
    std::vector<Leak> leaks;
    for (int tag = 0; tag < 9; ++tag) {
      leaks.push_back(request_at(7, 15 - rank, tag));
    }
    report.add(rank, leaks, &sites);
  }
  report.add(16, {request_at(8, 3, 5)}, &sites);
  EXPECT_EQ(report.text(),
            "weft: ranks 0-15: request never completed: MPI_Irecv at main+7, 4 bytes from ranks 0-15, tags 0-8 "
            "(9 on each rank, 144 in all)\n"
            "weft: rank 16: request never completed: MPI_Irecv at main+8, 4 bytes from rank 3, tag 5\n");
  report.find_lines(sites);
  EXPECT_NE(report.text().find("MPI_Irecv at solver.c:70, "), std::string::npos);
  EXPECT_NE(report.text().find("MPI_Irecv at main+8, "), std::string::npos);
}

TEST(LeakReport, OrderIsThatOfTheFirstRank) {
  LeakReport report;
  report.add(5, {{"window never freed"}, {"datatype never freed", {"MPI_Type_vector"}}}, nullptr);
  report.add(2, {{"datatype never freed", {"MPI_Type_vector"}}}, nullptr);
  report.add(1, {{"info object never freed"}}, nullptr);
  EXPECT_EQ(report.text(),
            "weft: rank 1: info object never freed\nweft: ranks 2, 5: datatype never freed: MPI_Type_vector\n"
            "weft: rank 5: window never freed\n");
}

TEST(LeakReport, NamesAndCountsOfOneRank) {
  LeakReport report;
  std::vector<Leak> leaks;
  for (const char* const name : {"rows", "columns", "rows", "planes", "blocks"}) {
    leaks.push_back({"communicator never freed", {"MPI_Comm_split"}, name});
  }
  report.add(3, leaks, nullptr);
  EXPECT_EQ(report.text(),
            "weft: rank 3: communicator never freed: MPI_Comm_split, blocks, columns, planes and 1 more (5 in all)\n");
}

TEST(LeakReport, AnyRankAnyTagAndManyRanges) {
  LeakReport report;
  std::vector<Leak> leaks{{"request never completed", {"MPI_Irecv"}, "", {{8, -1, -1, false}}}};
  for (int i = 0; i < 20; ++i) {
    leaks.push_back(
        {"request never completed", {"MPI_Isend"}, "", {{static_cast<std::uint64_t>(8 + i), 2 * i, 1, true}}});
  }
  report.add(0, leaks, nullptr);
  EXPECT_EQ(report.text(),
            "weft: rank 0: request never completed: MPI_Irecv, 8 bytes from any rank, any tag\n"
            "weft: rank 0: request never completed: MPI_Isend, 8-27 bytes to ranks 0, 2, 4, 6, 8, 10, 12, 14, ..., 38, "
            "tag 1 (20 in all)\n");
}

TEST(LeakReport, ProcessesReportsMakeOne) {
  LeakReport first;
  LeakReport second;
  first.add(0, {request_at(7, 1, 0), {"window never freed"}}, nullptr);
  second.add(1, {request_at(7, 0, 0), request_at(7, 0, 1)}, nullptr);
  LeakReport came;
  pup::unpack(pup::pack(second), came);
  EXPECT_EQ(came.text(), second.text());
  first.merge(std::move(came));
  EXPECT_EQ(first.text(),
            "weft: ranks 0-1: request never completed: MPI_Irecv, 4 bytes from ranks 0-1, tags 0-1 (3 in all)\n"
            "weft: rank 0: window never freed\n");
}

TEST(LeakReport, EmptyWithoutLeaks) {
  LeakReport report;
  report.add(0, {}, nullptr);
  EXPECT_EQ(report.text(), "");
}

}  // namespace
}  // namespace weft::mpi_shim
