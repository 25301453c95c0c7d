// Files of several arrays, where the command does not lead: archives beyond 4 GiB, check sums, policies of files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/stop_scope.hpp"
#include "runtime/io/check_sum.hpp"
#include "runtime/io/frame.hpp"
#include "runtime/io/inflate.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/io/stored.hpp"
#include "runtime/kinds.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(ExampleOf, CheckSum) {
  EXPECT_EQ(followed_by(check_sum(bytes_of("ab")), check_sum(bytes_of("c"))), check_sum(bytes_of("abc")));
}

TEST(CheckSum, IsThatOfZipFiles) { EXPECT_EQ(check_sum(bytes_of("123456789")).value, 0xCBF43926U); }

RC_GTEST_PROP(CheckSum, OfPartsIsThatOfTheWhole, (const std::string& text, const std::vector<std::uint8_t>& cuts)) {
  CheckSum sum;
  std::string_view rest = text;
  for (const std::uint8_t cut : cuts) {
    const std::string_view part = rest.substr(0, cut);
    sum = followed_by(sum, check_sum(bytes_of(part)));
    rest.remove_prefix(part.size());
  }
  RC_ASSERT(followed_by(sum, check_sum(bytes_of(rest))) == check_sum(bytes_of(text)));
}

// A block of its own kind each: plain, by the fixed codes, and what none may be.
TEST(Inflate, FirstBytesAndAll) {
  const std::string plain(
      "\x01\x03\x00\xFC\xFF"
      "abc",
      8);
  const std::string fixed("\x4b\x4c\x4a\x06\x00", 5);  // abc
  for (const std::string& packed : {plain, fixed}) {
    for (std::size_t wanted = 0; wanted < 6; ++wanted) {
      std::string text(wanted, '\0');
      const auto out = std::as_writable_bytes(std::span(text));
      EXPECT_EQ(inflate(bytes_of(packed), out), wanted == 3) << wanted;
      EXPECT_EQ(inflate_first(bytes_of(packed), out), wanted <= 3) << wanted;
      if (wanted <= 3) {
        EXPECT_EQ(text, std::string("abc").substr(0, wanted));
      }
    }
  }
  std::string text(3, '\0');
  EXPECT_FALSE(inflate(bytes_of("\x07"), std::as_writable_bytes(std::span(text))));
}

// Writes a frame without its arrays' elements: a file with holes.
void write_frame(const FileFrame& frame) {
  std::ofstream out(frame.file, std::ios::binary);
  for (const PlacedText& text : frame.texts) {
    out.seekp(text.at);
    out.write(text.text.data(), std::ssize(text.text));
  }
  out.close();
  std::filesystem::resize_file(frame.file, static_cast<std::uintmax_t>(frame.bytes));
}

TEST(Stored, ArchivesBeyondFourGibibytes) {
  const Folder folder;
  constexpr std::int64_t kMany = std::int64_t{3} << 30U;
  const std::vector<FramedArray> arrays = {{"a", ElementType::f32, {kMany}},
                                           {"b", ElementType::boolean, {5}},
                                           {"c", ElementType::f64, {kMany, 2}},
                                           {"d", ElementType::f16, {7, 1}}};
  const std::string file = folder / "large.npz";
  const auto frame = frame_of_all(file, arrays);
  ASSERT_TRUE(frame.ok());
  write_frame(*frame);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto found = find_array({}, synth::path_of(file, arrays[i].name));
    ASSERT_TRUE(found.ok()) << found.errors()[0].message;
    EXPECT_EQ(found->header.element, arrays[i].element);
    EXPECT_EQ(found->header.shape, arrays[i].shape);
    EXPECT_EQ(found->header.data_offset, frame->data_offsets[i]);
  }
}

TEST(Stored, ManyMembersOfAnArchive) {
  const Folder folder;
  std::vector<FramedArray> arrays;
  for (int i = 0; i < 70'000; ++i) arrays.push_back({std::to_string(i), ElementType::boolean, {}});
  const std::string file = folder / "many.npz";
  const auto frame = frame_of_all(file, arrays);
  ASSERT_TRUE(frame.ok());
  write_frame(*frame);
  const auto found = find_array({}, synth::path_of(file, "69999"));
  ASSERT_TRUE(found.ok()) << found.errors()[0].message;
  EXPECT_EQ(found->header.data_offset, frame->data_offsets.back());
}

base::Status save_pair(const FilePolicy& policy, const std::string& path, float number) {
  return save_npy(policy, path, ElementType::f32, {2}, [&](const synth::Box&, const TileOut& out) {
    for (int i = 0; i < 2; ++i) std::memcpy(out.data + 4 * i, &number, 4);
  });
}

float second_of(const FilePolicy& policy, const std::string& path) {
  const auto reader = NpyReader::open(policy, path, ElementType::f32, {2});
  std::array<float, 2> numbers{};
  const TileOut out{ElementType::f32, {2}, reinterpret_cast<std::byte*>(numbers.data())};
  EXPECT_TRUE(reader.ok() && reader->read({{0, 2}}, out).ok());
  return numbers[1];
}

TEST(Stored, WhatIsKeptIsCopiedUntilAStop) {
  const Folder folder;
  const std::string path = folder / "a.safetensors";
  ASSERT_TRUE(save_pair({}, path + "::a", 1).ok());
  const std::string before = read_text(path);
  std::atomic<bool> flag = true;
  const base::StopScope scope{base::StopToken(&flag)};
  const base::Status saved = base::guarded_until_stopped([&] { return save_pair({}, path + "::b", 2); });
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.errors()[0].kind, base::Kind::interrupted);
  EXPECT_EQ(read_text(path), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

constexpr std::array kHolders = {"a.safetensors", "a.safetensors.index.json", "a.npz"};

TEST(Stored, PoliciesAreThoseOfFiles) {
  const Folder outside;
  const Folder folder;
  const FilePolicy anywhere;
  const FilePolicy rooted{FilePolicy::Kind::rooted, folder.path().string()};
  for (const std::string file : kHolders) {
    const auto refused = [](const base::Status& status) {
      return !status.ok() && status.errors()[0].kind == Kind::file_not_allowed;
    };
    const std::string there = outside / file + "::w";
    EXPECT_TRUE(refused(save_pair({FilePolicy::Kind::none}, file + "::w", 1)));
    EXPECT_TRUE(refused(save_pair(rooted, there, 1)));
    EXPECT_TRUE(refused(save_pair(rooted, "../" + file + "::w", 1)));
    ASSERT_TRUE(save_pair(anywhere, there, 1).ok());
    EXPECT_FALSE(read_npy_header(rooted, there).ok());
    ASSERT_TRUE(save_pair(rooted, file + "::w", 2).ok());
    ASSERT_TRUE(save_pair(rooted, file + "::v", 3).ok());
    EXPECT_EQ(second_of(rooted, file + "::w"), 2);
    EXPECT_EQ(second_of(rooted, file + "::v"), 3);
  }
}

// Its file is written where it lies, while what it held is kept.
TEST(Stored, AHostOpensAllFiles) {
  const Folder folder;
  std::vector<std::pair<std::string, FileUse>> opened;
  const FilePolicy host{FilePolicy::Kind::host, "", [&](const std::string& path, FileUse use) -> base::Result<int> {
                          opened.emplace_back(path, use);
                          const int flags = use == FileUse::read ? O_RDONLY : O_WRONLY | O_CREAT;
                          const int descriptor = open((folder / path).c_str(), flags, 0600);
                          if (descriptor < 0) return base::make(Kind::file_missing, path);
                          return descriptor;
                        }};
  for (const std::string file : kHolders) {
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(save_pair(host, file + "::" + std::to_string(i), float(i)).ok());
    ASSERT_TRUE(save_pair(host, file + "::1", 7).ok());
    EXPECT_EQ(second_of(host, file + "::0"), 0);
    EXPECT_EQ(second_of(host, file + "::1"), 7);
    EXPECT_EQ(second_of(host, file + "::2"), 2);
  }
  for (const auto& [path, use] : opened) EXPECT_EQ(path.find("::"), std::string::npos) << path;
}

}  // namespace
}  // namespace tessera::runtime::test
