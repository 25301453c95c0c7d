#include "runtime/io/stored.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/nearest.hpp"
#include "runtime/io/check_sum.hpp"
#include "runtime/io/inflate.hpp"
#include "runtime/io/json_head.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/io/opening.hpp"
#include "runtime/io/tensors.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

using synth::StoredName;

constexpr std::string_view kTensors = "a safetensors file";
constexpr std::string_view kIndex = "an index";
constexpr std::string_view kOurs = "an array of ours";

base::Diagnostic no_such_array(const StoredName& name, const std::vector<std::string>& known) {
  constexpr std::size_t kShown = 6;
  const auto meant = base::nearest(name.array, known);
  std::string help = known.empty() ? "it holds none at all" : "it holds ";
  for (std::size_t i = 0; i < std::min(kShown, known.size()); ++i) help += (i == 0 ? "" : ", ") + in_quotes(known[i]);
  if (known.size() > kShown) help += fmt::format(" and {} others", known.size() - kShown);
  return base::make(Kind::no_such_array, in_quotes(name.file), in_quotes(name.array))
      .suggest(meant ? fmt::format("did you mean {}?", in_quotes(*meant)) : help);
}

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

base::Result<NpyHeader> header_of(const Tensor& tensor, const StoredName& name, std::int64_t data_offset) {
  const TensorElement* const element = find_tensor_element(tensor.dtype);
  if (element == nullptr || !element->element)
    return bad_archive(name.file, kOurs, fmt::format("{} has elements of {}", in_quotes(name.array), tensor.dtype));
  if (tensor.shape.size() > synth::kRankMax)
    return bad_archive(name.file, kOurs,
                       fmt::format("{} has more than {} dimensions", in_quotes(name.array), synth::kRankMax));
  NpyHeader header;
  header.element = *element->element;
  for (const std::int64_t extent : tensor.shape) header.shape.push_back(extent);
  header.data_offset = data_offset + tensor.begin;
  return header;
}

base::Result<StoredArray> find_tensor(OpenedFile opened, const StoredName& name) {
  TESSERA_TRY(head, read_stored_head(opened));
  try {
    const auto tensors = read_tensor_head(head.json, opened.bytes - head.data_offset).tensors;
    const auto found = tensors.find(name.array);
    if (found == tensors.end()) return no_such_array(name, keys_of(tensors));
    TESSERA_TRY(header, header_of(found->second, name, head.data_offset));
    return StoredArray{std::move(opened), header};
  } catch (const BadHead& bad) {
    return bad_archive(name.file, kTensors, bad.why);
  }
}

base::Result<StoredArray> find_by_index(const FilePolicy& policy, const OpenedFile& opened, const StoredName& name) {
  TESSERA_TRY(json, read_stored_index(opened));
  std::string file;
  try {
    const TensorIndex index = read_tensor_index(json);
    const auto found = index.files.find(name.array);
    if (found == index.files.end()) return no_such_array(name, keys_of(index.files));
    file = found->second;
  } catch (const BadHead& bad) {
    return bad_archive(name.file, kIndex, bad.why);
  }
  TESSERA_TRY(path, beside_index(name.file, file));
  TESSERA_TRY(part, open_to_read(policy, path));
  return find_tensor(std::move(part), {path, name.array, synth::Holder::safetensors});
}

constexpr std::int64_t kMemberHeadBytesMax = 65'548;  // of a .npy header

base::Diagnostic cannot_unpack(const OpenedFile& opened, const ZipMember& member) {
  return bad_zip(opened.file.name(), fmt::format("{} cannot be unpacked", in_quotes(member.name)));
}

// The first bytes of a member.
base::Result<std::string> first_of(const OpenedFile& opened, const ZipMember& member, std::int64_t begin) {
  constexpr std::int64_t kPackedMax = 2 * kMemberHeadBytesMax;
  const std::int64_t bytes = std::min(member.bytes, kMemberHeadBytesMax);
  if (member.method == static_cast<int>(ZipMethod::stored)) return opened.file.text_at(begin, bytes);
  TESSERA_TRY(packed, opened.file.text_at(begin, std::min(member.packed_bytes, kPackedMax)));
  std::string text(static_cast<std::size_t>(bytes), '\0');
  const bool is_whole = inflate_first(std::as_bytes(std::span(packed)), std::as_writable_bytes(std::span(text)));
  if (!is_whole) return cannot_unpack(opened, member);
  return text;
}

base::Result<StoredArray> find_member(OpenedFile opened, const StoredName& name) {
  TESSERA_TRY(members, read_zip(opened));
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const ZipMember& member) { return member.array() == name.array; });
  if (found == members.end()) {
    std::vector<std::string> known;
    for (const ZipMember& member : members) known.emplace_back(member.array());
    return no_such_array(name, known);
  }
  const bool is_stored = found->method == static_cast<int>(ZipMethod::stored);
  const auto wrong = [&](std::string_view why) {
    return bad_zip(name.file, fmt::format("{} {}", in_quotes(found->name), why));
  };
  if (!is_stored && found->method != static_cast<int>(ZipMethod::deflated))
    return wrong("is compressed otherwise than deflated");
  if (is_stored && found->packed_bytes != found->bytes) return wrong("has two lengths");
  TESSERA_TRY(begin, zip_data_offset(opened, *found));
  TESSERA_TRY(first, first_of(opened, *found, begin));
  TESSERA_TRY(header, parse_npy_header(first, found->bytes, synth::path_of(name.file, name.array)));
  if (is_stored) header.data_offset += begin;
  return StoredArray{std::move(opened), header, is_stored ? std::nullopt : std::optional(*found)};
}

// Memory that is read as a file, of so many bytes, and where it can be written.
class MemoryFile {
 public:
  static base::Result<MemoryFile> of(std::int64_t bytes, const std::string& name) {
    MemoryFile made;
    made.file_ = File(memfd_create("tessera", MFD_CLOEXEC), name);
    const auto size = static_cast<std::size_t>(bytes);
    if (made.file_.descriptor() < 0 || ftruncate(made.file_.descriptor(), bytes) != 0)
      return base::make(base::Kind::out_of_memory, "the work at hand");
    if (size == 0) return made;
    void* const at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, made.file_.descriptor(), 0);
    if (at == MAP_FAILED) return base::make(base::Kind::out_of_memory, "the work at hand");
    made.bytes_ = std::span(static_cast<std::byte*>(at), size);
    return made;
  }
  MemoryFile(MemoryFile&& other) noexcept : file_(std::move(other.file_)), bytes_(std::exchange(other.bytes_, {})) {}
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile() {
    if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
  }
  std::span<std::byte> bytes() const { return bytes_; }
  File take() { return std::move(file_); }

 private:
  MemoryFile() = default;
  File file_;
  std::span<std::byte> bytes_;
};

bool has_sum(std::span<const std::byte> bytes, std::uint32_t wanted) {
  constexpr std::size_t kPieceBytesMax = std::size_t{8} << 20U;
  CheckSum sum;
  while (!bytes.empty() && !is_given_up()) {
    const auto piece = bytes.first(std::min(kPieceBytesMax, bytes.size()));
    sum = followed_by(sum, check_sum(piece));
    bytes = bytes.subspan(piece.size());
  }
  return sum.value == wanted;
}

}  // namespace

base::Result<StoredArray> find_array(const FilePolicy& policy, const std::string& path) {
  const auto name = synth::stored_name(path);
  TESSERA_TRY(opened, open_to_read(policy, name ? name->file : path));
  if (!name) {
    TESSERA_TRY(header, read_header(opened));
    return StoredArray{std::move(opened), header};
  }
  switch (name->holder) {
    case synth::Holder::safetensors: return find_tensor(std::move(opened), *name);
    case synth::Holder::safetensors_index: return find_by_index(policy, opened, *name);
    case synth::Holder::npz: return find_member(std::move(opened), *name);
  }
  return bad_archive(path, kOurs, "it is of no known form");
}

base::Result<File> unpacked(StoredArray array) {
  if (!array.deflated) return std::move(array.opened.file);
  constexpr std::int64_t kRatioMax = 1032;  // of deflated bytes, by their definition
  const OpenedFile& opened = array.opened;
  const ZipMember& member = *array.deflated;
  if (member.bytes / kRatioMax > member.packed_bytes) return cannot_unpack(opened, member);
  TESSERA_TRY(begin, zip_data_offset(opened, member));
  TESSERA_TRY(packed, opened.file.text_at(begin, member.packed_bytes));
  TESSERA_TRY(memory, MemoryFile::of(member.bytes, opened.file.name()));
  const bool is_right =
      inflate(std::as_bytes(std::span(packed)), memory.bytes()) && has_sum(memory.bytes(), member.sum);
  if (is_given_up()) return base::make(base::Kind::interrupted);
  if (!is_right) return cannot_unpack(opened, member);
  return memory.take();
}

base::Result<StoredHead> read_stored_head(const OpenedFile& opened) {
  constexpr std::int64_t kLengthBytes = 8;
  const auto wrong = [&](std::string why) { return bad_archive(opened.file.name(), kTensors, why); };
  if (opened.bytes < kLengthBytes) return wrong("it is cut off in its head");
  TESSERA_TRY(first, opened.file.text_at(0, kLengthBytes));
  std::uint64_t length = 0;
  for (std::size_t i = first.size(); i-- > 0;) length = length << 8U | static_cast<unsigned char>(first[i]);
  if (length > static_cast<std::uint64_t>(opened.bytes - kLengthBytes))
    return wrong("its head is said to be longer than the file");
  const auto bytes = static_cast<std::int64_t>(length);
  if (bytes > kStoredHeadBytesMax) return wrong(fmt::format("its head of {} bytes is too long", bytes));
  TESSERA_TRY(json, opened.file.text_at(kLengthBytes, bytes));
  return StoredHead{std::move(json), kLengthBytes + bytes};
}

base::Result<std::string> read_stored_index(const OpenedFile& opened) {
  if (opened.bytes > kStoredHeadBytesMax) return bad_archive(opened.file.name(), kIndex, "it is too long");
  return opened.file.text_at(0, opened.bytes);
}

base::Result<std::string> beside_index(const std::string& index, const std::string& file) {
  if (file.find('/') != std::string::npos) return bad_archive(index, kIndex, "it names a file in another folder");
  const std::size_t slash = index.rfind('/');
  return slash == std::string::npos ? file : index.substr(0, slash + 1) + file;
}

}  // namespace tessera::runtime
