#include "runtime/io/zip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tessera::runtime {

namespace {

constexpr std::int64_t kDirectoryBytesMax = std::int64_t{32} << 20U;
// What no field of 32 or 16 bits can say is said in 64 bits elsewhere, and this stands in its place.
constexpr std::int64_t kElsewhere32 = 0xFFFFFFFF;
constexpr std::int64_t kElsewhere16 = 0xFFFF;
constexpr std::int64_t kHeadBytes = 30;      // of a member's own head, before its name
constexpr std::int64_t kEntryBytes = 46;     // of its entry in the directory, before its name
constexpr std::int64_t kEndBytes = 22;       // of the record at the end of the file, before its comment
constexpr std::int64_t kLocatorBytes = 20;   // of the one that says where the record of 64 bits is
constexpr std::int64_t kLargeEndBytes = 56;  // of that

// Little-endian numbers of a text, below 2^63; 0 beyond its end.
std::int64_t number_at(std::string_view text, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;)
    value = value << 8U | (at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U);
  return static_cast<std::int64_t>(value & ~(std::uint64_t{1} << 63U));
}

class ZipReader {
 public:
  explicit ZipReader(const OpenedFile& opened) : opened_(opened) {}

  base::Result<std::vector<ZipMember>> members() const {
    TESSERA_TRY(directory, find_directory());
    TESSERA_TRY(text, opened_.file.text_at(directory.begin, directory.bytes));
    std::vector<ZipMember> members;
    std::set<std::string> names;
    for (std::size_t at = 0; at < text.size();) {
      TESSERA_TRY(entry_bytes, read_entry(std::string_view(text).substr(at), members));
      if (!names.insert(members.back().name).second)
        return wrong(fmt::format("{} is there twice", in_quotes(members.back().name)));
      at += entry_bytes;
    }
    if (std::ssize(members) != directory.members) return wrong("its directory has not as many members as it says");
    TESSERA_TRY_STATUS(check_places(members, directory.begin));
    return members;
  }

 private:
  struct Directory {
    std::int64_t begin = 0;
    std::int64_t bytes = 0;
    std::int64_t members = 0;
  };

  base::Diagnostic wrong(std::string why) const { return bad_zip(opened_.file.name(), std::move(why)); }

  // The record at the end of the file, behind which a comment may stand; of a large archive another with 64 bits is
  // before it.
  base::Result<Directory> find_directory() const {
    const std::int64_t tail_bytes = std::min(opened_.bytes, kEndBytes + kElsewhere16);
    TESSERA_TRY(tail, opened_.file.text_at(opened_.bytes - tail_bytes, tail_bytes));
    const std::size_t at = tail.rfind(kZipEnd);
    if (at == std::string::npos || std::ssize(tail) - static_cast<std::int64_t>(at) < kEndBytes)
      return wrong("it has no directory at its end");
    Directory directory{number_at(tail, at + 16, 4), number_at(tail, at + 12, 4), number_at(tail, at + 10, 2)};
    if (directory.begin == kElsewhere32 || directory.bytes == kElsewhere32 || directory.members == kElsewhere16) {
      TESSERA_TRY(large, large_directory(std::string_view(tail).substr(0, at)));
      directory = large;
    }
    if (directory.begin > opened_.bytes || directory.bytes > opened_.bytes - directory.begin)
      return wrong("its directory is said to lie beyond its end");
    if (directory.bytes > kDirectoryBytesMax) return wrong("its directory is too long");
    return directory;
  }

  base::Result<Directory> large_directory(std::string_view before_end) const {
    const auto locator = static_cast<std::size_t>(kLocatorBytes);
    if (before_end.size() < locator || !before_end.substr(before_end.size() - locator).starts_with(kZipLocator))
      return wrong("where its directory is is not said");
    const std::int64_t record = number_at(before_end, before_end.size() - locator + 8, 8);
    if (opened_.bytes < kLargeEndBytes || record > opened_.bytes - kLargeEndBytes)
      return wrong("its directory is said to lie beyond its end");
    TESSERA_TRY(text, opened_.file.text_at(record, kLargeEndBytes));
    if (!text.starts_with(kZipLargeEnd)) return wrong("where its directory is is not said");
    return Directory{number_at(text, 48, 8), number_at(text, 40, 8), number_at(text, 32, 8)};
  }

  // Adds a member; how long its entry is.
  base::Result<std::size_t> read_entry(std::string_view text, std::vector<ZipMember>& members) const {
    constexpr auto kFixed = static_cast<std::size_t>(kEntryBytes);
    if (text.size() < kFixed || !text.starts_with(kZipEntry)) return wrong("its directory is damaged");
    const auto name_bytes = static_cast<std::size_t>(number_at(text, 28, 2));
    const auto extra_bytes = static_cast<std::size_t>(number_at(text, 30, 2));
    const std::size_t bytes = kFixed + name_bytes + extra_bytes + static_cast<std::size_t>(number_at(text, 32, 2));
    if (text.size() < bytes) return wrong("its directory is damaged");
    const auto word = [&](std::size_t at) { return static_cast<std::uint16_t>(number_at(text, at, 2)); };
    ZipMember member{std::string(text.substr(kFixed, name_bytes)), word(8), word(10), word(12), word(14)};
    if ((member.flags & 1U) != 0) return wrong("it is encrypted");
    member.sum = static_cast<std::uint32_t>(number_at(text, 16, 4));
    member.packed_bytes = number_at(text, 20, 4);
    member.bytes = number_at(text, 24, 4);
    member.head = number_at(text, 42, 4);
    read_large(text.substr(kFixed + name_bytes, extra_bytes), member);
    members.push_back(std::move(member));
    return bytes;
  }

  // Sizes of 64 bits, in the order of those that have no room.
  static void read_large(std::string_view extra, ZipMember& member) {
    while (extra.size() >= 4) {
      const auto bytes = static_cast<std::size_t>(number_at(extra, 2, 2));
      std::string_view field = extra.substr(4, bytes);
      if (number_at(extra, 0, 2) == kZipLargeExtra) {
        for (std::int64_t* value : {&member.bytes, &member.packed_bytes, &member.head}) {
          if (*value != kElsewhere32) continue;
          *value = number_at(field, 0, 8);
          field.remove_prefix(std::min<std::size_t>(8, field.size()));
        }
      }
      extra.remove_prefix(std::min(extra.size(), 4 + bytes));
    }
  }

  // Each ends before the next begins, and the last before the directory.
  base::Status check_places(const std::vector<ZipMember>& members, std::int64_t directory) const {
    std::vector<const ZipMember*> order;
    for (const ZipMember& member : members) order.push_back(&member);
    std::sort(order.begin(), order.end(), [](const auto* x, const auto* y) { return x->head < y->head; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::int64_t next = i + 1 < order.size() ? order[i + 1]->head : directory;
      const std::int64_t head = kHeadBytes + std::ssize(order[i]->name);
      const bool fits = order[i]->head <= next - head && order[i]->packed_bytes <= next - order[i]->head - head;
      if (fits) continue;
      return wrong(fmt::format("{} lies {}", in_quotes(order[i]->name),
                               i + 1 < order.size() ? "over another member" : "beyond its end"));
    }
    return base::Done{};
  }

  const OpenedFile& opened_;
};

}  // namespace

std::string_view ZipMember::array() const {
  constexpr std::string_view kEnding = ".npy";
  const std::string_view whole = name;
  return whole.ends_with(kEnding) ? whole.substr(0, whole.size() - kEnding.size()) : whole;
}

base::Result<std::vector<ZipMember>> read_zip(const OpenedFile& opened) { return ZipReader(opened).members(); }

base::Result<std::int64_t> zip_data_offset(const OpenedFile& opened, const ZipMember& member) {
  const auto wrong = [&](std::string_view why) {
    return bad_zip(opened.file.name(), fmt::format("{} {}", in_quotes(member.name), why));
  };
  TESSERA_TRY(head, opened.file.text_at(member.head, kHeadBytes));
  if (!head.starts_with(kZipHead)) return wrong("is not where it is said to be");
  const std::int64_t begin = member.head + kHeadBytes + number_at(head, 26, 2) + number_at(head, 28, 2);
  if (begin > opened.bytes || member.packed_bytes > opened.bytes - begin) return wrong("lies beyond its end");
  return begin;
}

base::Diagnostic bad_zip(const std::string& file, std::string why) { return bad_archive(file, "a .npz archive", why); }

}  // namespace tessera::runtime
