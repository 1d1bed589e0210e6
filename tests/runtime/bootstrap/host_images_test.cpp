// Image files are sent from one host to another. Both hosts are objects in this process.
#include "runtime/bootstrap/host_images.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runtime/bootstrap/heartbeat.hpp"

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

// Serves the hosts until an order of `from` is finished. `to`: null for a save to disk.
HostImages::FinishedOrder outcome(HostImages& from, HostImages* to = nullptr) {
  for (;;) {
    if (to != nullptr) {
      to->serve();
    }
    if (const auto over = from.serve(); !over.empty()) {
      return over.front();
    }
    std::vector<pollfd> watched;
    from.watch(watched);
    if (to != nullptr) {
      to->watch(watched);
    }
    ::poll(watched.data(), watched.size(), 1);  // the end of a child comes as a signal, which nobody takes here
  }
}

// No event announces that nothing arrives, so this serves for a fixed time.
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
  const auto over = outcome(from, &to);
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
  EXPECT_TRUE(outcome(from, &to).is_whole);
  EXPECT_EQ(text_of(to.files().descriptor(0, 4)), "of process 3");
}

TEST(HostImages, AreNotWholeWhereTheyAreMissing) {
  HostImages from(0);
  HostImages to(1);
  from.send({.image = 0, .files = {4}, .to = 1}, to.port());
  EXPECT_FALSE(outcome(from, &to).is_whole);
}

TEST(HostImages, AreNotWaitedForOnceTheHostIsLost) {
  HostImages from(0);
  HostImages to(1);
  from.files().make_room(1);
  to.files().make_room(1);
  from.send({.image = 0, .files = {0}, .to = 1}, to.port());
  from.drop_host(1);
  EXPECT_THAT(from.serve(), IsEmpty());
  // Nothing arrives from it any more, either.
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

// A folder of checkpoints, and what is in it.
class SavedImages : public testing::Test {
 protected:
  SavedImages() : folder_(testing::TempDir() + "saved-images-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
    host_.files().make_room(2);
  }
  ~SavedImages() override { std::filesystem::remove_all(folder_); }

  static constexpr std::uint64_t kAttempt = 1764388000123456;
  const std::string part_ = fmt::format("checkpoint-7.{}.part", kAttempt);

  bool work(DiskWork work, std::uint64_t step, std::uint32_t image = 0, std::vector<std::uint32_t> files = {}) {
    host_.save({.image = image,
                .files = std::move(files),
                .disk = CheckpointTarget{.folder = folder_, .step = step, .attempt = kAttempt, .processes = processes_},
                .work = work});
    return outcome(host_).is_whole;
  }
  bool save(std::uint32_t image, std::vector<std::uint32_t> files, std::uint64_t step) {
    return work(DiskWork::folder, step) && work(DiskWork::files, step, image, std::move(files));
  }
  std::string saved(const std::string& file) const {
    std::ifstream text(folder_ + "/" + file);
    return {std::istreambuf_iterator<char>(text), {}};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  const std::string folder_;
  std::uint32_t processes_ = 2;
  HostImages host_{0};
};

TEST_F(SavedImages, AreACheckpointOnceAllFilesAreThere) {
  write(host_.files().descriptor(1, 0), "the index");
  write(host_.files().descriptor(1, 1), "of process 0");
  write(host_.files().descriptor(1, 2), "of process 1");
  EXPECT_TRUE(save(1, {0, 1, 2}, 7));
  EXPECT_THAT(names(), ElementsAre(part_));
  EXPECT_TRUE(work(DiskWork::name, 7));
  EXPECT_THAT(names(), ElementsAre("checkpoint-7"));
  EXPECT_EQ(saved("checkpoint-7/index"), "the index");
  EXPECT_EQ(saved("checkpoint-7/process-0"), "of process 0");
  EXPECT_EQ(saved("checkpoint-7/process-1"), "of process 1");
}

TEST_F(SavedImages, KeepHolesAndWriteOverTheSpare) {
  processes_ = 1;
  const int file = host_.files().descriptor(0, 1);
  constexpr off_t kFar = off_t{64} << 20;
  ASSERT_EQ(::ftruncate(file, kFar + 4096), 0);
  ASSERT_EQ(::pwrite(file, "begin", 5, 0), 5);
  ASSERT_EQ(::pwrite(file, "end", 3, kFar), 3);
  write(host_.files().descriptor(0, 0), "the index");
  for (const std::uint64_t step : {1UL, 2UL, 3UL}) {
    EXPECT_TRUE(save(0, {0, 1}, step));
    EXPECT_TRUE(work(DiskWork::name, step));
  }
  EXPECT_THAT(names(), testing::UnorderedElementsAre("checkpoint-3", "spare"));
  struct stat its {};
  ASSERT_EQ(::stat((folder_ + "/checkpoint-3/process-0").c_str(), &its), 0);
  EXPECT_EQ(its.st_size, kFar + 4096);
  EXPECT_LT(its.st_blocks * 512, kFar / 2);
  const std::string text = saved("checkpoint-3/process-0");
  EXPECT_EQ(text.substr(0, 5), "begin");
  EXPECT_EQ(text.substr(kFar, 3), "end");
}

TEST_F(SavedImages, AreNoCheckpointWhereAFileIsMissing) {
  write(host_.files().descriptor(1, 0), "the index");
  write(host_.files().descriptor(1, 1), "of process 0");
  EXPECT_TRUE(save(1, {0, 1}, 7));
  testing::internal::CaptureStderr();
  EXPECT_FALSE(work(DiskWork::name, 7));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::AllOf(testing::HasSubstr("process-1: it is not seen on host "),
                             testing::HasSubstr("must share the folder")));
  EXPECT_THAT(names(), ElementsAre(part_));
}

TEST_F(SavedImages, OfAnEarlierAttemptAreApart) {
  write(host_.files().descriptor(1, 1), "of process 0");
  EXPECT_TRUE(save(1, {1}, 7));
  EXPECT_TRUE(work(DiskWork::removal, 7));
  EXPECT_THAT(names(), IsEmpty());
  testing::internal::CaptureStderr();
  EXPECT_FALSE(work(DiskWork::files, 7, 1, {1}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("cannot create"));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(SavedImages, TakeThePlaceOfAnEarlierRunsOfTheSameNumber) {
  processes_ = 1;
  for (const char* const text : {"first", "second"}) {
    write(host_.files().descriptor(0, 0), "the index");
    write(host_.files().descriptor(0, 1), text);
    EXPECT_TRUE(save(0, {0, 1}, 7));
    EXPECT_TRUE(work(DiskWork::name, 7));
    EXPECT_EQ(saved("checkpoint-7/process-0"), text);
  }
  EXPECT_THAT(names(), testing::UnorderedElementsAre("checkpoint-7", "spare"));
}

TEST_F(SavedImages, OfAKilledJobAreRemovedByTheNextOne) {
  processes_ = 1;
  EXPECT_TRUE(save(0, {0, 1}, 7));
  std::filesystem::create_directories(folder_ + "/checkpoint-3.part");
  std::filesystem::create_directories(folder_ + "/checkpoint-4");
  std::filesystem::create_directories(folder_ + "/other.part");
  CheckpointFolder(folder_).remove_unfinished();
  EXPECT_THAT(names(), testing::UnorderedElementsAre("checkpoint-4", "other.part"));
}

TEST(CheckpointTarget, GoesThroughAMessage) {
  const CheckpointTarget target{
      .folder = "/a folder/with  spaces", .step = 1234567890123, .attempt = 4, .processes = 64};
  EXPECT_EQ(parse_checkpoint_target(to_text(target)), target);
  EXPECT_THROW(parse_checkpoint_target("1 2 x /folder"), std::runtime_error);
  EXPECT_THROW(parse_checkpoint_target("1 2 3"), std::runtime_error);
}

TEST(FilesOfAnOrder, AreNumbersWithCommas) {
  EXPECT_THAT(parse_files("1,2,30"), ElementsAre(1, 2, 30));
  EXPECT_THAT(parse_files(""), IsEmpty());
  EXPECT_THROW(parse_files("1,x"), std::runtime_error);
}

TEST(LauncherHeartbeat, StandsStillOnceWhileTheLauncherIsSilent) {
  using std::chrono::milliseconds;
  LauncherHeartbeat watch(milliseconds(1));
  EXPECT_TRUE(watch.is_heartbeat_due());
  while (!watch.has_timed_out()) {
  }
  EXPECT_FALSE(watch.has_timed_out()) << "said once";
  EXPECT_TRUE(watch.note_message());
  EXPECT_FALSE(watch.note_message());
  LauncherHeartbeat patient(std::chrono::hours(1));
  EXPECT_TRUE(patient.is_heartbeat_due());
  EXPECT_FALSE(patient.is_heartbeat_due());
  EXPECT_FALSE(patient.has_timed_out());
  EXPECT_GT(patient.milliseconds_left(), 1000);
}

}  // namespace
}  // namespace weft::bootstrap
