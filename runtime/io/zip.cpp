// .npz archives: zip files whose members are .npy files, stored or deflated. The directory at the end is believed, and
// checked.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <set>

#include "runtime/io/npy.hpp"
#include "runtime/io/stored.hpp"
#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

constexpr std::string_view kWhat = "a .npz archive";
constexpr std::int64_t kDirectoryBytesMax = std::int64_t{32} << 20U;
constexpr std::int64_t kUnknown32 = 0xFFFFFFFF;  // in its place 64 bits stand elsewhere

struct Member {
  std::string name;
  std::int64_t method = 0;
  std::int64_t crc = 0;
  std::int64_t packed = 0;
  std::int64_t bytes = 0;
  std::int64_t head = 0;  // where its own head begins
};

// Little-endian numbers of a text; 0 beyond its end.
std::int64_t number_at(std::string_view text, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;)
    value = value << 8U | (at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U);
  return static_cast<std::int64_t>(value & ~(std::uint64_t{1} << 63U));
}

class Archive {
 public:
  Archive(OpenedFile opened, const StoredName& name) : opened_(std::move(opened)), name_(name) {}

  base::Result<StoredArray> open() {
    TESSERA_TRY(members, read_directory());
    std::vector<std::string> names;
    for (const Member& member : members) {
      std::string plain = member.name;
      if (plain.ends_with(".npy")) plain.resize(plain.size() - 4);
      if (plain == name_.array) return open(member);
      names.push_back(std::move(plain));
    }
    return no_such_array(name_, names);
  }

 private:
  base::Diagnostic wrong(std::string why) const { return bad_archive(name_.file, kWhat, why); }

  base::Result<std::string> text_at(std::int64_t offset, std::int64_t length) const {
    std::string text(static_cast<std::size_t>(length), '\0');
    TESSERA_TRY_STATUS(opened_.file.read_at(offset, std::as_writable_bytes(std::span(text))));
    return text;
  }

  struct Directory {
    std::int64_t begin = 0;
    std::int64_t bytes = 0;
    std::int64_t members = 0;
  };

  // The record at the end of the file, behind which a comment may stand; of a large archive another with 64 bits is
  // before it.
  base::Result<Directory> find_directory() const {
    constexpr std::int64_t kRecord = 22;
    constexpr std::int64_t kLocator = 20;
    const std::int64_t tail_bytes = std::min(opened_.bytes, kRecord + 65'535);
    TESSERA_TRY(tail, text_at(opened_.bytes - tail_bytes, tail_bytes));
    const std::size_t at = tail.rfind("PK\5\6");
    if (at == std::string::npos || tail.size() - at < kRecord) return wrong("it has no directory at its end");
    Directory directory{number_at(tail, at + 16, 4), number_at(tail, at + 12, 4), number_at(tail, at + 10, 2)};
    if (directory.begin == kUnknown32 || directory.bytes == kUnknown32 || directory.members == 0xFFFF) {
      if (at < kLocator || tail.compare(at - kLocator, 4, "PK\6\7") != 0)
        return wrong("its directory's place is not said");
      const std::int64_t record = number_at(tail, at - kLocator + 8, 8);
      if (record > opened_.bytes - 56) return wrong("its directory is said to lie beyond its end");
      TESSERA_TRY(large, text_at(record, 56));
      if (!large.starts_with("PK\6\6")) return wrong("its directory's place is not said");
      directory = {number_at(large, 48, 8), number_at(large, 40, 8), number_at(large, 32, 8)};
    }
    if (directory.begin > opened_.bytes || directory.bytes > opened_.bytes - directory.begin)
      return wrong("its directory is said to lie beyond its end");
    if (directory.bytes > kDirectoryBytesMax) return wrong("its directory is too long");
    return directory;
  }

  base::Result<std::vector<Member>> read_directory() const {
    constexpr std::size_t kEntry = 46;
    TESSERA_TRY(directory, find_directory());
    TESSERA_TRY(text, text_at(directory.begin, directory.bytes));
    std::vector<Member> members;
    std::set<std::string> names;
    for (std::size_t at = 0; at < text.size();) {
      if (text.size() - at < kEntry || text.compare(at, 4, "PK\1\2") != 0) return wrong("its directory is damaged");
      const auto name_bytes = static_cast<std::size_t>(number_at(text, at + 28, 2));
      const auto extra_bytes = static_cast<std::size_t>(number_at(text, at + 30, 2));
      const auto comment_bytes = static_cast<std::size_t>(number_at(text, at + 32, 2));
      if (text.size() - at - kEntry < name_bytes + extra_bytes + comment_bytes)
        return wrong("its directory is damaged");
      Member member{text.substr(at + kEntry, name_bytes), number_at(text, at + 10, 2), number_at(text, at + 16, 4),
                    number_at(text, at + 20, 4),          number_at(text, at + 24, 4), number_at(text, at + 42, 4)};
      if ((number_at(text, at + 8, 2) & 1) != 0) return wrong("it is encrypted");
      read_large(std::string_view(text).substr(at + kEntry + name_bytes, extra_bytes), member);
      if (!names.insert(member.name).second) return wrong(fmt::format("{} is there twice", in_quotes(member.name)));
      members.push_back(std::move(member));
      at += kEntry + name_bytes + extra_bytes + comment_bytes;
    }
    if (std::ssize(members) != directory.members) return wrong("its directory has not as many members as it says");
    return members;
  }

  // Sizes of 64 bits, in the order of those that have no room.
  static void read_large(std::string_view extra, Member& member) {
    while (extra.size() >= 4) {
      const auto bytes = static_cast<std::size_t>(number_at(extra, 2, 2));
      std::string_view field = extra.substr(4, bytes);
      if (number_at(extra, 0, 2) == 1) {
        for (std::int64_t* value : {&member.bytes, &member.packed, &member.head}) {
          if (*value != kUnknown32) continue;
          *value = number_at(field, 0, 8);
          field.remove_prefix(std::min<std::size_t>(8, field.size()));
        }
      }
      extra.remove_prefix(std::min(extra.size(), 4 + bytes));
    }
  }

  base::Result<StoredArray> open(const Member& member) {
    constexpr std::int64_t kHead = 30;
    if (member.head > opened_.bytes - kHead)
      return wrong(fmt::format("{} lies beyond its end", in_quotes(member.name)));
    TESSERA_TRY(head, text_at(member.head, kHead));
    if (!head.starts_with("PK\3\4"))
      return wrong(fmt::format("{} is not where it is said to be", in_quotes(member.name)));
    const std::int64_t begin = member.head + kHead + number_at(head, 26, 2) + number_at(head, 28, 2);
    if (begin > opened_.bytes || member.packed > opened_.bytes - begin)
      return wrong(fmt::format("{} lies beyond its end", in_quotes(member.name)));
    if (member.method == 0) return open_stored_member(member, begin);
    if (member.method == 8) return open_deflated(member, begin);
    return wrong(fmt::format("{} is compressed otherwise than deflated", in_quotes(member.name)));
  }

  base::Result<NpyHeader> header_of(std::string_view head, std::int64_t bytes) const {
    return parse_npy_header(head, bytes, name_.file + "::" + name_.array);
  }

  base::Result<StoredArray> open_stored_member(const Member& member, std::int64_t begin) {
    if (member.packed != member.bytes) return wrong(fmt::format("{} has two lengths", in_quotes(member.name)));
    constexpr std::int64_t kHeaderBytesMax = 65'548;
    TESSERA_TRY(head, text_at(begin, std::min(member.bytes, kHeaderBytesMax)));
    TESSERA_TRY(header, header_of(head, member.bytes));
    header.data_offset += begin;
    return StoredArray{std::move(opened_.file), header};
  }

  // All of it is unpacked, into memory that is read as a file.
  base::Result<StoredArray> open_deflated(const Member& member, std::int64_t begin) const {
    constexpr std::int64_t kRatioMax = 1032;  // of deflated bytes, by their definition
    const auto damaged = [&] { return wrong(fmt::format("{} cannot be unpacked", in_quotes(member.name))); };
    if (member.bytes / kRatioMax > member.packed) return damaged();
    TESSERA_TRY(packed, text_at(begin, member.packed));
    std::vector<std::byte> bytes(static_cast<std::size_t>(member.bytes));
    if (!inflate(std::as_bytes(std::span(packed)), bytes) || crc32(bytes) != static_cast<std::uint32_t>(member.crc))
      return damaged();
    TESSERA_TRY(header, header_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, member.bytes));
    File file(memfd_create("tessera", MFD_CLOEXEC), name_.file);
    if (file.descriptor() < 0) return base::make(base::Kind::out_of_memory, "the work at hand");
    TESSERA_TRY_STATUS(file.write_at(0, bytes));
    return StoredArray{std::move(file), header};
  }

  OpenedFile opened_;
  const StoredName& name_;
};

}  // namespace

base::Result<StoredArray> open_in_zip(OpenedFile opened, const StoredName& name) {
  return Archive(std::move(opened), name).open();
}

}  // namespace tessera::runtime
