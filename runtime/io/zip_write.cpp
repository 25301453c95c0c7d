// The heads, entries and ends of zip files. Numbers that have no room in the old fields stand in those of 64 bits.
#include <algorithm>
#include <initializer_list>

#include "runtime/io/zip.hpp"

namespace tessera::runtime {

namespace {

constexpr std::int64_t kNoRoom32 = 0xFFFFFFFF;
constexpr std::int64_t kNoRoom16 = 0xFFFF;
constexpr std::int64_t kVersion = 20;
constexpr std::int64_t kVersionLarge = 45;

class ZipText {
 public:
  explicit ZipText(std::string_view first) : text_(first) {}

  ZipText& number(std::int64_t value, int bytes) {
    auto rest = static_cast<std::uint64_t>(value);
    for (int i = 0; i < bytes; ++i, rest >>= 8U) text_ += static_cast<char>(rest & 0xFFU);
    return *this;
  }
  ZipText& word(std::int64_t value) { return number(value, 2); }
  ZipText& bounded(std::int64_t value) { return number(std::min(value, kNoRoom32), 4); }
  ZipText& text(std::string_view more) {
    text_ += more;
    return *this;
  }
  // What both heads of a member have in common: method, sum, sizes and more, and how long name and extra field are.
  ZipText& common(const ZipMember& member, std::int64_t extra_bytes) {
    constexpr int kSizesFollow = 8;  // they stand here instead
    word(extra_bytes > 0 ? kVersionLarge : kVersion).word(member.flags & ~kSizesFollow).word(member.method);
    word(member.time).word(member.date).number(member.sum, 4).bounded(member.packed_bytes).bounded(member.bytes);
    return word(std::ssize(member.name)).word(extra_bytes);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string large_extra(std::initializer_list<std::int64_t> values, std::int64_t least) {
  ZipText sizes("");
  for (const std::int64_t value : values) {
    if (value >= least) sizes.number(value, 8);
  }
  const std::string text = sizes.take();
  return text.empty() ? text : ZipText("").word(kZipLargeExtra).word(std::ssize(text)).text(text).take();
}

}  // namespace

// Here either both sizes have 64 bits or none.
std::string print_zip_head(const ZipMember& member) {
  const bool is_large = std::max(member.bytes, member.packed_bytes) >= kNoRoom32;
  const std::string extra = is_large ? large_extra({member.bytes, member.packed_bytes}, 0) : "";
  ZipMember shown = member;
  if (is_large) shown.bytes = shown.packed_bytes = kNoRoom32;
  return ZipText(kZipHead).common(shown, std::ssize(extra)).text(member.name).text(extra).take();
}

std::string print_zip_entry(const ZipMember& member) {
  const std::string extra = large_extra({member.bytes, member.packed_bytes, member.head}, kNoRoom32);
  constexpr int kCommentDiskAndAttributes = 10;
  return ZipText(kZipEntry)
      .word(kVersionLarge)
      .common(member, std::ssize(extra))
      .number(0, kCommentDiskAndAttributes)
      .bounded(member.head)
      .text(member.name)
      .text(extra)
      .take();
}

std::string print_zip_end(std::int64_t members, std::int64_t directory_begin, std::int64_t directory_bytes) {
  std::string large;
  if (members >= kNoRoom16 || directory_begin >= kNoRoom32 || directory_bytes >= kNoRoom32) {
    constexpr std::int64_t kRestBytes = 44;  // of this record, behind this number
    large = ZipText(kZipLargeEnd)
                .number(kRestBytes, 8)
                .word(kVersionLarge)
                .word(kVersionLarge)
                .number(0, 8)  // of this disk and the directory's
                .number(members, 8)
                .number(members, 8)
                .number(directory_bytes, 8)
                .number(directory_begin, 8)
                .text(kZipLocator)
                .number(0, 4)
                .number(directory_begin + directory_bytes, 8)
                .number(1, 4)
                .take();
  }
  const std::int64_t shown = std::min(members, kNoRoom16);
  return large + ZipText(kZipEnd)
                     .number(0, 4)
                     .word(shown)
                     .word(shown)
                     .bounded(directory_bytes)
                     .bounded(directory_begin)
                     .word(0)
                     .take();
}

}  // namespace tessera::runtime
