// Files of images go from one host to another: both are objects of this process.
#include "runtime/bootstrap/host_images.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/bootstrap/signs_of_life.hpp"

namespace weft::bootstrap {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void write(int file, const std::string& text) {
  ASSERT_EQ(::ftruncate(file, 0), 0);
  ASSERT_EQ(::pwrite(file, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
}

std::string text_of(int file) {
  struct stat its {};
  ::fstat(file, &its);
  std::string text(static_cast<std::size_t>(its.st_size), '\0');
  return ::pread(file, text.data(), text.size(), 0) == its.st_size ? text : "unread";
}

// Serves both hosts until an order of the first one is over.
HostImages::Outcome outcome(HostImages& from, HostImages& to) {
  for (;;) {
    to.serve();
    if (const auto over = from.serve(); !over.empty()) {
      return over.front();
    }
    std::vector<pollfd> watched;
    from.watch(watched);
    to.watch(watched);
    ::poll(watched.data(), watched.size(), 1);  // the end of a child comes as a signal, which nobody takes here
  }
}

// Where nothing is to come there is no event to wait for.
void serve_for_a_while(HostImages& host) {
  for (int i = 0; i < 50; ++i) {
    host.serve();
    ::poll(nullptr, 0, 1);
  }
}

TEST(HostImages, GoToAnotherHostWholeAndInPlaceOfWhatWasThere) {
  HostImages from(0);
  HostImages to(3);
  from.files().make_room(2);
  to.files().make_room(2);
  const std::string large(std::size_t{5} << 20, 'x');
  write(from.files().descriptor(1, 0), "the index");
  write(from.files().descriptor(1, 2), large);
  write(to.files().descriptor(1, 0), "something longer that was there before");
  write(to.files().descriptor(1, 1), "not asked for");
  const CopyOrder order{.image = 1, .files = {0, 2}, .to = 3};
  from.send(order, to.port());
  const auto over = outcome(from, to);
  EXPECT_TRUE(over.is_whole);
  EXPECT_EQ(over.order, order);
  EXPECT_EQ(text_of(to.files().descriptor(1, 0)), "the index");
  EXPECT_EQ(text_of(to.files().descriptor(1, 2)), large);
  EXPECT_EQ(text_of(to.files().descriptor(1, 1)), "not asked for");
  EXPECT_EQ(text_of(to.files().descriptor(0, 0)), "");
}

TEST(HostImages, GoToAHostThatHasNeverHadSuchFiles) {
  HostImages from(0);
  HostImages to(1);
  from.files().make_room(4);
  write(from.files().descriptor(0, 4), "of process 3");
  from.send({.image = 0, .files = {4}, .to = 1}, to.port());
  EXPECT_TRUE(outcome(from, to).is_whole);
  EXPECT_EQ(text_of(to.files().descriptor(0, 4)), "of process 3");
}

TEST(HostImages, AreNotWholeWhereTheyAreMissing) {
  HostImages from(0);
  HostImages to(1);
  from.send({.image = 0, .files = {4}, .to = 1}, to.port());
  EXPECT_FALSE(outcome(from, to).is_whole);
}

TEST(HostImages, AreNotWaitedForOnceTheHostIsLost) {
  HostImages from(0);
  HostImages to(1);
  from.files().make_room(1);
  to.files().make_room(1);
  from.send({.image = 0, .files = {0}, .to = 1}, to.port());
  from.drop_host(1);
  EXPECT_THAT(from.serve(), IsEmpty());
  // Nor does anything come from it any more.
  write(to.files().descriptor(0, 1), "late");
  to.send({.image = 0, .files = {1}, .to = 0}, from.port());
  serve_for_a_while(from);
  EXPECT_EQ(text_of(from.files().descriptor(0, 1)), "");
}

TEST(HostImages, TakeNothingFromStrangers) {
  HostImages from(0);
  HostImages to(1);
  from.files().make_room(1);
  to.files().make_room(1);
  write(from.files().descriptor(0, 0), "forged");
  LauncherPort port = to.port();
  port.secret.back() = port.secret.back() == '0' ? '1' : '0';
  from.send({.image = 0, .files = {0}, .to = 1}, port);
  serve_for_a_while(to);
  EXPECT_EQ(text_of(to.files().descriptor(0, 0)), "");
}

TEST(FilesOfAnOrder, AreNumbersWithCommas) {
  EXPECT_THAT(parse_files("1,2,30"), ElementsAre(1, 2, 30));
  EXPECT_THAT(parse_files(""), IsEmpty());
  EXPECT_THROW(parse_files("1,x"), std::runtime_error);
}

TEST(LauncherWatch, StandsStillOnceWhileTheLauncherIsSilent) {
  using std::chrono::milliseconds;
  LauncherWatch watch(milliseconds(1));
  EXPECT_TRUE(watch.sign_is_due());
  while (!watch.has_fallen_silent()) {
  }
  EXPECT_FALSE(watch.has_fallen_silent()) << "said once";
  EXPECT_TRUE(watch.heard());
  EXPECT_FALSE(watch.heard());
  LauncherWatch patient(std::chrono::hours(1));
  EXPECT_TRUE(patient.sign_is_due());
  EXPECT_FALSE(patient.sign_is_due());
  EXPECT_FALSE(patient.has_fallen_silent());
  EXPECT_GT(patient.milliseconds_left(), 1000);
}

}  // namespace
}  // namespace weft::bootstrap
