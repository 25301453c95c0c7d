// Arrays that a file holds beside others: tensors of a .safetensors file, or of the files that an index names, and
// members of a .npz archive. A program names one as `model.safetensors::h.0.w` (synth/program/stored_path.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/files.hpp"
#include "runtime/io/zip.hpp"
#include "synth/program/stored_path.hpp"

namespace tessera::runtime {

// A file, and where in it the array lies: behind its header's data_offset. Of a member of an archive that is deflated
// only the header is known until it is unpacked; the offset is then that in the member.
struct StoredArray {
  OpenedFile opened;
  NpyHeader header;
  std::optional<ZipMember> deflated = {};
};
// Looks up the array that a path names; of a .npy file that is its only one. Fails with `bad-archive` where the file's
// own account of what lies where is no account, and with `no-such-array`.
base::Result<StoredArray> find_array(const FilePolicy& policy, const std::string& path);
// The array's file, in which elements can be read: what is deflated is unpacked into memory that is read as a file.
base::Result<File> unpacked(StoredArray array);

// Heads that are longer are refused; those of models of hundreds of billions of parameters are below 10 MB.
inline constexpr std::int64_t kStoredHeadBytesMax = std::int64_t{32} << 20U;
// The head of a .safetensors file, which begins at byte 8, and where elements begin.
struct StoredHead {
  std::string json;
  std::int64_t data_offset = 0;
};
base::Result<StoredHead> read_stored_head(const OpenedFile& opened);
// The text of an index.
base::Result<std::string> read_stored_index(const OpenedFile& opened);
// Where a file lies that an index names, which has to be beside it.
base::Result<std::string> beside_index(const std::string& index, const std::string& file);

}  // namespace tessera::runtime
