#include "runtime/io/file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

using base::make;

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

std::string in_quotes(std::string_view path) {
  std::string text = "\"";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20U || byte == 0x7FU)
      text += fmt::format("\\x{:02x}", byte);
    else
      text += c;
  }
  return text + "\"";
}

base::Diagnostic cannot_read(const std::string& name, int error) {
  return make(Kind::cannot_read, in_quotes(name), reason(error));
}

base::Diagnostic cannot_write(const std::string& name, int error) {
  const std::size_t slash = name.rfind('/');
  base::Diagnostic why = make(Kind::cannot_write, in_quotes(name), reason(error));
  if (error != ENOENT || slash == std::string::npos || slash == 0) return why;
  return std::move(why).suggest(fmt::format("is there a folder {}? It is not made", in_quotes(name.substr(0, slash))));
}

base::Diagnostic bad_archive(const std::string& file, std::string_view what, std::string_view why) {
  return base::make(Kind::bad_archive, in_quotes(file), what, why);
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

base::Status File::read_at(std::int64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = pread(descriptor_, bytes.data(), bytes.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(name_, errno);
    if (got == 0) return make(Kind::cannot_read, in_quotes(name_), std::string_view("it ends too early"));
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
  return base::Done{};
}

base::Result<std::string> File::text_at(std::int64_t offset, std::int64_t bytes) const {
  std::string text(static_cast<std::size_t>(bytes), '\0');
  TESSERA_TRY_STATUS(read_at(offset, std::as_writable_bytes(std::span(text))));
  return text;
}

base::Status File::write_at(std::int64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t put = pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return cannot_write(name_, put < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += put;
  }
  return base::Done{};
}

base::Status File::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && ::close(descriptor) != 0 && errno != EINTR) return cannot_write(name_, errno);
  return base::Done{};
}

}  // namespace tessera::runtime
