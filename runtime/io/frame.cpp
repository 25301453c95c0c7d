#include "runtime/io/frame.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "base/stop_scope.hpp"
#include "runtime/io/json_head.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/io/opening.hpp"
#include "runtime/io/stored.hpp"
#include "runtime/io/tensors.hpp"
#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

// The file that is there, or nothing.
base::Result<std::optional<OpenedFile>> opened_before(const FilePolicy& policy, const std::string& file) {
  auto opened = open_to_read(policy, file);
  if (opened) return std::optional(std::move(*opened));
  if (opened.errors()[0].kind.slug == std::string_view("file-missing")) return std::optional<OpenedFile>();
  return opened.errors();
}

// A host's file is written where it lies, so what is kept of it has to be elsewhere.
base::Result<File> apart(OpenedFile opened) {
  File copy(memfd_create("tessera", MFD_CLOEXEC), opened.file.name());
  if (copy.descriptor() < 0) return base::make(base::Kind::out_of_memory, "the work at hand");
  TESSERA_TRY_STATUS(copy_bytes(opened.file, copy, {0, 0, opened.bytes}));
  return copy;
}

base::Result<File> to_keep_from(const FilePolicy& policy, OpenedFile opened) {
  if (policy.kind == FilePolicy::Kind::host) return apart(std::move(opened));
  return std::move(opened.file);
}

// ---- .safetensors

std::int64_t width(const std::string& dtype) {
  const TensorElement* const element = find_tensor_element(dtype);
  return element == nullptr ? 1 : element->bytes;
}

// Tensors that were in a file before, and those to be added to it. The widest elements come first, so that all are
// aligned.
class TensorFrame {
 public:
  TensorFrame(TensorHead before, std::int64_t data_offset) : head_(std::move(before)), old_offset_(data_offset) {
    for (const auto& [name, tensor] : head_.tensors) order_.push_back(name);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](const auto& x, const auto& y) { return begin_of(x) < begin_of(y); });
    old_ = head_.tensors;
  }

  void add(const FramedArray& array) {
    std::erase(order_, array.name);
    old_.erase(array.name);
    order_.push_back(array.name);
    head_.tensors[array.name] = {
        std::string(tensor_element(array.element).name), {array.shape.begin(), array.shape.end()}, 0, array.bytes()};
  }

  FileFrame frame(const std::string& file, std::span<const FramedArray> arrays) {
    FileFrame frame;
    frame.file = file;
    const std::int64_t data_bytes = place();
    std::string text = print_tensor_head(head_);
    const std::int64_t data_offset = std::ssize(text);
    frame.bytes = data_offset + data_bytes;
    frame.texts.push_back({0, std::move(text)});
    for (const FramedArray& array : arrays) frame.data_offsets.push_back(data_offset + begin_of(array.name));
    for (const std::string& name : order_) {
      const auto old = old_.find(name);
      if (old == old_.end()) continue;
      frame.kept.push_back(
          {old_offset_ + old->second.begin, data_offset + begin_of(name), old->second.end - old->second.begin});
    }
    return frame;
  }

 private:
  std::int64_t begin_of(const std::string& name) const { return head_.tensors.at(name).begin; }

  // Gives each its place; how many bytes they have.
  std::int64_t place() {
    std::stable_sort(order_.begin(), order_.end(), [&](const auto& x, const auto& y) {
      return width(head_.tensors.at(x).dtype) > width(head_.tensors.at(y).dtype);
    });
    std::int64_t at = 0;
    for (const std::string& name : order_) {
      Tensor& tensor = head_.tensors.at(name);
      const std::int64_t bytes = tensor.end - tensor.begin;
      tensor.begin = std::exchange(at, at + bytes);
      tensor.end = at;
    }
    return at;
  }

  TensorHead head_;
  std::int64_t old_offset_;
  std::map<std::string, Tensor> old_;
  std::vector<std::string> order_;
};

base::Result<FileFrame> tensor_frame(const FilePolicy& policy, const std::string& file, const FramedArray& array) {
  TESSERA_TRY(before, opened_before(policy, file));
  TensorHead head;
  std::int64_t data_offset = 0;
  if (before) {
    TESSERA_TRY(read, read_stored_head(*before));
    data_offset = read.data_offset;
    try {
      head = read_tensor_head(read.json, before->bytes - data_offset);
    } catch (const BadHead& bad) {
      return bad_archive(file, "a safetensors file", bad.why);
    }
  }
  TensorFrame tensors(std::move(head), data_offset);
  tensors.add(array);
  FileFrame frame = tensors.frame(file, std::span(&array, 1));
  if (before) {
    TESSERA_TRY(old, to_keep_from(policy, std::move(*before)));
    frame.old = std::move(old);
  }
  return frame;
}

// ---- An index

base::Result<TensorIndex> index_before(const FilePolicy& policy, const std::string& index) {
  TESSERA_TRY(before, opened_before(policy, index));
  if (!before) return TensorIndex{};
  TESSERA_TRY(json, read_stored_index(*before));
  try {
    return read_tensor_index(json);
  } catch (const BadHead& bad) {
    return bad_archive(index, "an index", bad.why);
  }
}

// `model-00003.safetensors` beside `model.safetensors.index.json`: the first that is not there.
base::Result<std::string> new_part(const FilePolicy& policy, const std::string& index, const TensorIndex& known) {
  constexpr std::string_view kEnding = ".safetensors.index.json";
  constexpr int kPartsMax = 100'000;
  const std::size_t slash = index.rfind('/');
  const std::string plain = slash == std::string::npos ? index : index.substr(slash + 1);
  const std::string stem = plain.substr(0, plain.size() - kEnding.size());
  for (int number = 1; number < kPartsMax; ++number) {
    std::string part = fmt::format("{}-{:05}.safetensors", stem, number);
    const bool is_known =
        std::any_of(known.files.begin(), known.files.end(), [&](const auto& array) { return array.second == part; });
    if (is_known) continue;
    TESSERA_TRY(path, beside_index(index, part));
    TESSERA_TRY(there, opened_before(policy, path));
    if (!there) return part;
  }
  return bad_archive(index, "an index", "it has too many files");
}

// The file of the index that has the array, or another; the index then names it.
base::Result<FileFrame> index_frame(const FilePolicy& policy, const std::string& index, const FramedArray& array) {
  TESSERA_TRY(known, index_before(policy, index));
  const auto found = known.files.find(array.name);
  std::int64_t bytes_before = 0;
  std::string part;
  if (found == known.files.end()) {
    TESSERA_TRY(fresh, new_part(policy, index, known));
    part = std::move(fresh);
  } else {
    part = found->second;
    TESSERA_TRY(stored, find_array(policy, synth::path_of(index, array.name)));
    bytes_before = FramedArray{"", stored.header.element, stored.header.shape}.bytes();
  }
  TESSERA_TRY(path, beside_index(index, part));
  TESSERA_TRY(frame, tensor_frame(policy, path, array));
  known.files[array.name] = part;
  known.total_bytes += array.bytes() - bytes_before;
  frame.index = {index, print_tensor_index(known)};
  return std::move(frame);
}

// ---- .npz

// Members one behind the other, each with a new head, then the directory.
class ZipFrame {
 public:
  explicit ZipFrame(const std::string& file) { frame_.file = file; }

  // A member of the file that is there, whose bytes begin at `from`.
  void keep(ZipMember member, std::int64_t from) {
    begin(member);
    frame_.kept.push_back({from, at_, member.packed_bytes});
    end(std::move(member));
  }
  void add(const FramedArray& array) {
    const std::string header = make_npy_header(array.element, array.shape);
    constexpr std::uint16_t kIsUtf8 = 0x800;
    ZipMember member{array.name + ".npy", kIsUtf8};
    member.bytes = member.packed_bytes = std::ssize(header) + array.bytes();
    frame_.sums.push_back({check_sum(std::as_bytes(std::span(header))), {at_ + kSumInZipHead}});
    added_.push_back(members_.size());
    begin(member);
    frame_.texts.push_back({at_, header});
    frame_.data_offsets.push_back(at_ + std::ssize(header));
    end(std::move(member));
  }
  FileFrame take() {
    std::string directory;
    std::size_t next = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (next < added_.size() && added_[next] == i)
        frame_.sums[next++].at.push_back(at_ + std::ssize(directory) + kSumInZipEntry);
      directory += print_zip_entry(members_[i]);
    }
    const std::int64_t directory_bytes = std::ssize(directory);
    directory += print_zip_end(std::ssize(members_), at_, directory_bytes);
    frame_.bytes = at_ + std::ssize(directory);
    frame_.texts.push_back({at_, std::move(directory)});
    return std::move(frame_);
  }

 private:
  void begin(ZipMember& member) {
    member.head = at_;
    std::string head = print_zip_head(member);
    frame_.texts.push_back({at_, head});
    at_ += std::ssize(head);
  }
  void end(ZipMember member) {
    at_ += member.packed_bytes;
    members_.push_back(std::move(member));
  }

  FileFrame frame_;
  std::int64_t at_ = 0;
  std::vector<ZipMember> members_;
  std::vector<std::size_t> added_;
};

base::Result<FileFrame> zip_frame(const FilePolicy& policy, const std::string& file, const FramedArray& array) {
  TESSERA_TRY(before, opened_before(policy, file));
  ZipFrame archive(file);
  if (before) {
    TESSERA_TRY(members, read_zip(*before));
    for (ZipMember& member : members) {
      if (member.array() == array.name) continue;
      TESSERA_TRY(from, zip_data_offset(*before, member));
      archive.keep(std::move(member), from);
    }
  }
  archive.add(array);
  FileFrame frame = archive.take();
  if (before) {
    TESSERA_TRY(old, to_keep_from(policy, std::move(*before)));
    frame.old = std::move(old);
  }
  return frame;
}

FileFrame npy_frame(const std::string& file, const FramedArray& array) {
  std::string header = make_npy_header(array.element, array.shape);
  FileFrame frame;
  frame.file = file;
  frame.data_offsets = {std::ssize(header)};
  frame.bytes = std::ssize(header) + array.bytes();
  frame.texts.push_back({0, std::move(header)});
  return frame;
}

// What no file of this form can call an array.
base::Status check_name(synth::Holder holder, const std::string& file, const std::string& name) {
  constexpr std::size_t kZipNameBytesMax = 65'000;
  const auto refused = [&](std::string_view why) -> base::Status {
    return base::make(Kind::cannot_write, in_quotes(file), why);
  };
  if (holder != synth::Holder::npz && name == kTensorMetadata)
    return refused(fmt::format("{} is not the name of an array there", in_quotes(name)));
  if (holder == synth::Holder::npz && name.size() > kZipNameBytesMax) return refused("the array's name is too long");
  return base::Done{};
}

}  // namespace

std::int64_t FramedArray::bytes() const { return count(shape) * synth::bytes_of(element); }

base::Status copy_bytes(const File& from, const File& to, const KeptBytes& bytes) {
  constexpr std::int64_t kPieceBytesMax = std::int64_t{8} << 20U;
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(bytes.bytes, kPieceBytesMax)));
  for (std::int64_t at = 0; at < bytes.bytes; at += kPieceBytesMax) {
    base::look_for_stop();
    const std::span part = std::span(piece).first(static_cast<std::size_t>(std::min(kPieceBytesMax, bytes.bytes - at)));
    TESSERA_TRY_STATUS(from.read_at(bytes.from + at, part));
    TESSERA_TRY_STATUS(to.write_at(bytes.to + at, part));
  }
  return base::Done{};
}

base::Result<FileFrame> frame_beside_others(const FilePolicy& policy, const std::string& path,
                                            synth::ElementType element, const synth::Shape& shape) {
  const auto name = synth::stored_name(path);
  const FramedArray array{name ? name->array : "", element, shape};
  if (!name) return npy_frame(path, array);
  TESSERA_TRY_STATUS(check_name(name->holder, name->file, name->array));
  switch (name->holder) {
    case synth::Holder::safetensors: return tensor_frame(policy, name->file, array);
    case synth::Holder::safetensors_index: return index_frame(policy, name->file, array);
    case synth::Holder::npz: return zip_frame(policy, name->file, array);
  }
  return npy_frame(path, array);
}

base::Result<FileFrame> frame_of_all(const std::string& file, std::span<const FramedArray> arrays) {
  const auto holder = synth::holder_of(file);
  for (const FramedArray& array : arrays) {
    if (holder) TESSERA_TRY_STATUS(check_name(*holder, file, array.name));
  }
  if (holder == synth::Holder::safetensors) {
    TensorFrame tensors({}, 0);
    for (const FramedArray& array : arrays) tensors.add(array);
    return tensors.frame(file, arrays);
  }
  if (holder == synth::Holder::npz) {
    ZipFrame archive(file);
    for (const FramedArray& array : arrays) archive.add(array);
    return archive.take();
  }
  return base::make(Kind::cannot_write, in_quotes(file),
                    std::string_view("several arrays go into a .safetensors file or a .npz archive"));
}

}  // namespace tessera::runtime
