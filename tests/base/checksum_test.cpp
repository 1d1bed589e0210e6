// Checksums of memory and files.
#include "base/checksum.hpp"

#include <unistd.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace weft::base {
namespace {

std::uint32_t checksum_of(const std::string& text) { return checksum(std::as_bytes(std::span(text))); }

TEST(Checksum, DependsOnEachByte) {
  std::string text(1000, 'a');
  const std::uint32_t whole = checksum_of(text);
  for (char& byte : text) {
    byte ^= 1;
    EXPECT_NE(checksum_of(text), whole) << &byte - text.data();
    byte ^= 1;
  }
  EXPECT_EQ(checksum_of(text), whole);
  EXPECT_NE(checksum_of(text + 'a'), whole);
}

TEST(Checksum, OfAFileIsThatOfItsPieces) {
  const std::string file = testing::TempDir() + "checksum_" + std::to_string(getpid());
  const std::string piece(kChecksumPiece, 'a');
  const std::string rest = "some bytes more";
  std::ofstream(file, std::ios::binary) << piece << rest;
  Checksum sum;
  sum.add(std::as_bytes(std::span(piece)));
  sum.add(std::as_bytes(std::span(rest)));
  EXPECT_EQ(checksum_of_file(file), sum.value());
  std::filesystem::remove(file);
  EXPECT_EQ(checksum_of_file(file), std::nullopt);
}

}  // namespace
}  // namespace weft::base
