// Arrays that a file holds beside others: tensors of a .safetensors file, or of the files that an index names, and
// members of a .npz archive. A program names one as `model.safetensors::h.0.w`: the file, and behind `::` the array in
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/files.hpp"

namespace tessera::runtime {

struct StoredName {
  std::string file;
  std::string array;
};
// Nothing where the path names a file of one array.
std::optional<StoredName> stored_name(std::string_view path);

// A file, and where in it the array lies. What a .npz archive holds compressed lies in memory, as a file without a
// name.
struct StoredArray {
  File file;
  NpyHeader header;
};
// Fails with `bad-archive` where the file's own account of what lies where is no account: lengths beyond the file,
// arrays over one another or with gaps between them, names that are there twice; and with `no-such-array`.
base::Result<StoredArray> open_stored(const FilePolicy& policy, const StoredName& name);
// The same of any path: of a .npy file its only array.
base::Result<StoredArray> open_array(const FilePolicy& policy, const std::string& path);

// ---- Of each form ----

// The head of a .safetensors file, checked whole, and the array of this name in it. `data` is where elements begin.
base::Result<NpyHeader> find_tensor(std::string_view json, std::int64_t data_offset, std::int64_t file_bytes,
                                    const StoredName& name);
// The file that an index says the array is in.
base::Result<std::string> find_in_index(std::string_view json, const StoredName& name);
base::Result<StoredArray> open_in_zip(OpenedFile opened, const StoredName& name);

// Deflated bytes as they were: exactly `out.size()` of them, or nothing.
bool inflate(std::span<const std::byte> deflated, std::span<std::byte> out);
// The check sum of a zip archive's members.
std::uint32_t crc32(std::span<const std::byte> bytes);

base::Diagnostic bad_archive(const std::string& file, std::string_view what, std::string_view why);
base::Diagnostic no_such_array(const StoredName& name, const std::vector<std::string>& known);

}  // namespace tessera::runtime
