// .npz archives: zip files whose members are .npy files, stored or deflated. The directory at the end of the file is
// checked, then believed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "runtime/io/file.hpp"

namespace tessera::runtime {

enum class ZipMethod : std::uint8_t { stored = 0, deflated = 8 };

struct ZipMember {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint16_t time = 0;
  std::uint16_t date = 0x21;  // 1 January 1980, the first that there is
  std::uint32_t sum = 0;
  std::int64_t packed_bytes = 0;
  std::int64_t bytes = 0;  // when it is unpacked
  std::int64_t head = 0;   // where its own head begins

  // The array's name: `w` of `w.npy`.
  std::string_view array() const;
};

// Fails with `bad-archive` where members lie over one another or beyond the end, or a name is there twice.
base::Result<std::vector<ZipMember>> read_zip(const OpenedFile& opened);
// Where the member's bytes begin, behind its own head.
base::Result<std::int64_t> zip_data_offset(const OpenedFile& opened, const ZipMember& member);

// The first letters of the records of a zip file, and the extra field that holds sizes of 64 bits.
inline constexpr std::string_view kZipHead = "PK\3\4";
inline constexpr std::string_view kZipEntry = "PK\1\2";
inline constexpr std::string_view kZipEnd = "PK\5\6";
inline constexpr std::string_view kZipLocator = "PK\6\7";
inline constexpr std::string_view kZipLargeEnd = "PK\6\6";
inline constexpr std::int64_t kZipLargeExtra = 1;

// How far behind the begin of its head or entry a member's check sum stands.
inline constexpr std::int64_t kSumInZipHead = 14;
inline constexpr std::int64_t kSumInZipEntry = 16;

// A member's own head, its entry in the directory, and what ends the file behind so many entries.
std::string print_zip_head(const ZipMember& member);
std::string print_zip_entry(const ZipMember& member);
std::string print_zip_end(std::int64_t members, std::int64_t directory_begin, std::int64_t directory_bytes);

base::Diagnostic bad_zip(const std::string& file, std::string why);

}  // namespace tessera::runtime
