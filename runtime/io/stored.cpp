#include "runtime/io/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

constexpr std::string_view kBetween = "::";
constexpr std::string_view kIndexEnding = ".safetensors.index.json";
// The heads of models of hundreds of billions of parameters are below 10 MB.
constexpr std::int64_t kHeadBytesMax = std::int64_t{32} << 20U;

base::Result<std::string> bytes_at(const OpenedFile& opened, std::int64_t offset, std::int64_t length) {
  std::string text(static_cast<std::size_t>(length), '\0');
  TESSERA_TRY_STATUS(opened.file.read_at(offset, std::as_writable_bytes(std::span(text))));
  return text;
}

base::Result<StoredArray> open_tensor(OpenedFile opened, const StoredName& name) {
  constexpr std::int64_t kLength = 8;
  const auto wrong = [&](std::string why) { return bad_archive(name.file, "a safetensors file", why); };
  if (opened.bytes < kLength) return wrong("it is cut off in its head");
  TESSERA_TRY(head, bytes_at(opened, 0, kLength));
  std::uint64_t length = 0;
  for (std::size_t i = head.size(); i-- > 0;) length = length << 8U | static_cast<unsigned char>(head[i]);
  if (length > static_cast<std::uint64_t>(opened.bytes - kLength))
    return wrong("its head is said to be longer than the file");
  const auto json_bytes = static_cast<std::int64_t>(length);
  if (json_bytes > kHeadBytesMax) return wrong(fmt::format("its head of {} bytes is too long", json_bytes));
  TESSERA_TRY(json, bytes_at(opened, kLength, json_bytes));
  TESSERA_TRY(header, find_tensor(json, kLength + json_bytes, opened.bytes, name));
  return StoredArray{std::move(opened.file), header};
}

// The files that an index names lie beside it.
base::Result<StoredArray> open_by_index(const FilePolicy& policy, const OpenedFile& opened, const StoredName& name) {
  if (opened.bytes > kHeadBytesMax) return bad_archive(name.file, "an index", "it is too long");
  TESSERA_TRY(json, bytes_at(opened, 0, opened.bytes));
  TESSERA_TRY(file, find_in_index(json, name));
  if (file.find('/') != std::string::npos)
    return bad_archive(name.file, "an index", "it names a file in another folder");
  const std::size_t slash = name.file.rfind('/');
  const std::string beside = slash == std::string::npos ? file : name.file.substr(0, slash + 1) + file;
  TESSERA_TRY(part, open_to_read(policy, beside));
  return open_tensor(std::move(part), {beside, name.array});
}

}  // namespace

std::optional<StoredName> stored_name(std::string_view path) {
  const std::size_t at = path.find(kBetween);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view file = path.substr(0, at);
  if (!file.ends_with(".safetensors") && !file.ends_with(kIndexEnding) && !file.ends_with(".npz")) return std::nullopt;
  return StoredName{std::string(file), std::string(path.substr(at + kBetween.size()))};
}

base::Result<StoredArray> open_stored(const FilePolicy& policy, const StoredName& name) {
  TESSERA_TRY(opened, open_to_read(policy, name.file));
  if (name.file.ends_with(".npz")) return open_in_zip(std::move(opened), name);
  if (name.file.ends_with(kIndexEnding)) return open_by_index(policy, opened, name);
  return open_tensor(std::move(opened), name);
}

base::Result<StoredArray> open_array(const FilePolicy& policy, const std::string& path) {
  if (const auto name = stored_name(path)) return open_stored(policy, *name);
  TESSERA_TRY(opened, open_to_read(policy, path));
  TESSERA_TRY(header, read_header(opened));
  return StoredArray{std::move(opened.file), header};
}

base::Diagnostic bad_archive(const std::string& file, std::string_view what, std::string_view why) {
  return base::make(Kind::bad_archive, in_quotes(file), what, why);
}

base::Diagnostic no_such_array(const StoredName& name, const std::vector<std::string>& known) {
  constexpr std::size_t kShown = 6;
  const auto meant = base::nearest(name.array, known);
  std::string help = known.empty() ? "it holds none at all" : "it holds ";
  for (std::size_t i = 0; i < std::min(kShown, known.size()); ++i) help += (i == 0 ? "" : ", ") + in_quotes(known[i]);
  if (known.size() > kShown) help += fmt::format(" and {} others", known.size() - kShown);
  return base::make(Kind::no_such_array, in_quotes(name.file), in_quotes(name.array))
      .suggest(meant ? fmt::format("did you mean {}?", in_quotes(*meant)) : help);
}

}  // namespace tessera::runtime
