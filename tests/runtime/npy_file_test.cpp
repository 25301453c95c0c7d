#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "runtime/io/npy.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kinds.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const FilePolicy kAnywhere = {FilePolicy::Kind::allowed, ""};

template <class T>
base::Status save(const std::string& path, const Array<T>& array) {
  return save_npy(kAnywhere, path, element_of<T>(), array.shape, [&](const synth::Box& box, const TileOut& out) {
    Shape begin;
    for (const synth::Interval& interval : box) begin.push_back(interval.begin);
    copy_elements(part_of(array.view(), begin, out.shape), out);
  });
}

template <class T>
Array<T> load(const std::string& path, const Shape& shape, const synth::Box& box) {
  Array<T> out(synth::shape_of(box));
  const auto reader = NpyReader::open(kAnywhere, path, element_of<T>(), shape);
  EXPECT_TRUE(reader.ok()) << (reader.ok() ? "" : reader.errors()[0].message);
  EXPECT_TRUE(reader->read(box, out.out()).ok());
  return out;
}

base::Diagnostic failure(const std::string& path, ElementType element = ElementType::f32,
                         const Shape& shape = Shape{2}) {
  const auto reader = NpyReader::open(kAnywhere, path, element, shape);
  EXPECT_FALSE(reader.ok());
  return reader.errors()[0];
}

TEST(NpyFile, RoundTripOfBoxes) {
  const Folder folder;
  const auto a = counting<float>(Shape{7, 9, 5});
  ASSERT_TRUE(save(folder / "a.npy", a).ok());
  const synth::Box box = {{1, 5}, {3, 4}, {2, 5}};
  const auto part = load<float>(folder / "a.npy", a.shape, box);
  for_indices(part.shape, [&](const Shape& index) {
    EXPECT_EQ(part[position(part.shape, index)], a[position(a.shape, Shape{index[0] + 1, index[1] + 3, index[2] + 2})]);
  });
}

TEST(NpyFile, EmptyAndScalarArrays) {
  const Folder folder;
  ASSERT_TRUE(save(folder / "empty.npy", Array<double>(Shape{3, 0})).ok());
  EXPECT_EQ(load<double>(folder / "empty.npy", Shape{3, 0}, {{0, 3}, {0, 0}}).size(), 0);
  ASSERT_TRUE(save(folder / "scalar.npy", Array<double>::scalar(2.5)).ok());
  EXPECT_EQ(load<double>(folder / "scalar.npy", Shape{}, {})[0], 2.5);
}

TEST(NpyFile, LargeArraysAreWrittenInPieces) {
  const Folder folder;
  const auto a = counting<std::int64_t>(Shape{3, 1'500'000});
  ASSERT_TRUE(save(folder / "a.npy", a).ok());
  EXPECT_EQ(load<std::int64_t>(folder / "a.npy", a.shape, synth::whole(a.shape)).bytes, a.bytes);
  const auto column = load<std::int64_t>(folder / "a.npy", a.shape, {{0, 3}, {1'499'999, 1'500'000}});
  EXPECT_THAT(column.values(), ElementsAre(1'499'999, 2'999'999, 4'499'999));
}

RC_GTEST_PROP(NpyFileProperty, AnyBoxOfAnyFile, ()) {
  const Folder folder;
  const bool fortran = *rc::gen::arbitrary<bool>();
  Shape shape;
  synth::Box box;
  const auto rank = *rc::gen::inRange<std::size_t>(0, 4);
  for (std::size_t d = 0; d < rank; ++d) {
    shape.push_back(*rc::gen::inRange(0, 40));
    const std::int64_t begin = *rc::gen::inRange<std::int64_t>(0, shape[d] + 1);
    box.push_back({begin, *rc::gen::inRange<std::int64_t>(begin, shape[d] + 1)});
  }
  const auto a = counting<std::int32_t>(shape);
  RC_ASSERT(save(folder / "a.npy", a).ok());
  if (fortran) {
    std::string text = read_text(folder / "a.npy");
    text.replace(text.find("False"), 5, "True ");
    write_text(folder / "a.npy", text);
  }
  const auto part = load<std::int32_t>(folder / "a.npy", shape, box);
  for_indices(part.shape, [&](const Shape& index) {
    Shape there(rank);
    Shape order(rank);
    for (std::size_t d = 0; d < rank; ++d) {
      there[fortran ? rank - 1 - d : d] = index[d] + box[d].begin;
      order[fortran ? rank - 1 - d : d] = shape[d];
    }
    RC_ASSERT(part[position(part.shape, index)] == position(order, there));
  });
}

TEST(NpyFile, BigEndianAndStrangeBools) {
  const Folder folder;
  std::string text = make_npy_header(ElementType::i32, Shape{2});
  text.replace(text.find('<'), 1, ">");
  write_text(folder / "big.npy", text + std::string("\x00\x00\x00\x07\xFF\xFF\xFF\xFE", 8));
  EXPECT_THAT(load<std::int32_t>(folder / "big.npy", Shape{2}, {{0, 2}}).values(), ElementsAre(7, -2));
  write_text(folder / "bools.npy", make_npy_header(ElementType::boolean, Shape{3}) + std::string("\x00\x01\x02", 3));
  EXPECT_THAT(load<bool>(folder / "bools.npy", Shape{3}, {{0, 3}}).values(), ElementsAre(false, true, true));
}

TEST(NpyFile, WhatCannotBeLoaded) {
  const Folder folder;
  EXPECT_EQ(failure(folder / "none.npy").kind, Kind::file_missing);
  EXPECT_EQ(failure(folder / "none/a.npy").kind, Kind::file_missing);
  EXPECT_EQ(failure(folder.path().string()).kind, Kind::cannot_read);
  EXPECT_EQ(failure("/dev/null").kind, Kind::cannot_read);
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(failure(folder / "pipe").kind, Kind::cannot_read);
  write_text(folder / "bad.npy", "hello");
  EXPECT_EQ(failure(folder / "bad.npy").kind, Kind::bad_npy);
  ASSERT_TRUE(save(folder / "a.npy", counting<float>(Shape{2})).ok());
  EXPECT_EQ(failure(folder / "a.npy", ElementType::f64).kind, Kind::file_element);
  const auto shape = failure(folder / "a.npy", ElementType::f32, Shape{3});
  EXPECT_EQ(shape.kind, Kind::file_shape);
  EXPECT_THAT(shape.message, HasSubstr("[2], but [3]"));
}

TEST(NpyFile, AFileThatShrinksWhileItIsReadIsAnError) {
  const Folder folder;
  ASSERT_TRUE(save(folder / "a.npy", counting<float>(Shape{1000})).ok());
  const auto reader = NpyReader::open(kAnywhere, folder / "a.npy", ElementType::f32, Shape{1000});
  ASSERT_TRUE(reader.ok());
  ASSERT_EQ(truncate((folder / "a.npy").c_str(), 200), 0);
  Array<float> out(Shape{1000});
  const auto status = reader->read({{0, 1000}}, out.out());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.errors()[0].kind, Kind::cannot_read);
}

TEST(NpySave, ReplacesAFileAndLeavesNothingElse) {
  const Folder folder;
  ASSERT_TRUE(save(folder / "a.npy", counting<float>(Shape{2})).ok());
  ASSERT_EQ(chmod((folder / "a.npy").c_str(), 0640), 0);
  ASSERT_TRUE(save(folder / "a.npy", counting<float>(Shape{5})).ok());
  EXPECT_EQ(load<float>(folder / "a.npy", Shape{5}, {{0, 5}})[4], 4.0F);
  EXPECT_THAT(folder.names(), ElementsAre("a.npy"));
  struct stat status{};
  ASSERT_EQ(stat((folder / "a.npy").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(NpySave, WritesThroughALink) {
  const Folder folder;
  ASSERT_TRUE(save(folder / "a.npy", counting<float>(Shape{2})).ok());
  ASSERT_EQ(symlink("a.npy", (folder / "link.npy").c_str()), 0);
  ASSERT_TRUE(save(folder / "link.npy", counting<float>(Shape{3})).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.npy"));
  EXPECT_EQ(load<float>(folder / "a.npy", Shape{3}, {{0, 3}})[2], 2.0F);
}

base::KindInfo save_failure(const std::string& path) {
  const auto status = save(path, counting<float>(Shape{2}));
  EXPECT_FALSE(status.ok()) << path;
  return status.ok() ? base::Kind::internal : status.errors()[0].kind;
}

TEST(NpySave, OnlyRegularFilesAreReplaced) {
  const Folder folder;
  EXPECT_EQ(save_failure(folder.path().string()), Kind::cannot_write);
  EXPECT_EQ(save_failure("/dev/null"), Kind::cannot_write);
  EXPECT_EQ(save_failure(folder / "none/a.npy"), Kind::cannot_write);
  ASSERT_EQ(symlink("nowhere", (folder / "dangling").c_str()), 0);
  EXPECT_EQ(save_failure(folder / "dangling"), Kind::cannot_write);
}

// Root may write into any folder, so it becomes nobody for a while.
class AsNobody {
 public:
  AsNobody() : was_(geteuid()) {
    if (was_ == 0) {
      EXPECT_EQ(seteuid(65534), 0);
    }
  }
  ~AsNobody() { EXPECT_EQ(seteuid(was_), 0); }

 private:
  uid_t was_;
};

TEST(NpySave, AnUnwritableFolderKeepsTheOldFile) {
  const Folder folder;
  ASSERT_TRUE(save(folder / "a.npy", counting<float>(Shape{2})).ok());
  ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
  {
    const AsNobody nobody;
    EXPECT_EQ(save_failure(folder / "a.npy"), Kind::cannot_write);
    EXPECT_EQ(save_failure(folder / "new.npy"), Kind::cannot_write);
  }
  ASSERT_EQ(chmod(folder.path().c_str(), 0700), 0);
  EXPECT_EQ(load<float>(folder / "a.npy", Shape{2}, {{0, 2}})[1], 1.0F);
  EXPECT_THAT(folder.names(), ElementsAre("a.npy"));
}

// A limit on the size of files stands for a full disk.
TEST(NpySave, AFullDiskKeepsTheOldFile) {
  const Folder folder;
  ASSERT_TRUE(save(folder / "a.npy", counting<float>(Shape{2})).ok());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {4096, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto status = save(folder / "a.npy", counting<float>(Shape{100'000}));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.errors()[0].kind, Kind::cannot_write);
  EXPECT_THAT(folder.names(), ElementsAre("a.npy"));
  EXPECT_EQ(load<float>(folder / "a.npy", Shape{2}, {{0, 2}})[1], 1.0F);
}

}  // namespace
}  // namespace tessera::runtime::test
