#include "repl/language_server/wire.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>

#include "repl/process/files.hpp"

namespace tessera::repl {

namespace {

constexpr std::size_t kHeaderBytesMax = 4096;
constexpr std::string_view kLength = "content-length:";

std::string lowered(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// The number of a `Content-Length` line; nothing of another line, or where there is no number.
std::optional<std::size_t> length_of(const std::string& line) {
  const std::string text = lowered(line);
  if (!text.starts_with(kLength)) return std::nullopt;
  const std::size_t at = std::min(text.find_first_not_of(' ', kLength.size()), text.size());
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), length);
  if (error != std::errc{} || end == text.data() + at) return std::nullopt;
  return length;
}

}  // namespace

// Reads what is there into the buffer; false at the end.
bool MessageReader::fill() {
  std::array<char, std::size_t{1} << 16U> bytes;
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

bool MessageReader::header_line(std::string& line) {
  while (true) {
    const std::size_t end = buffer_.find('\n', begin_);
    if (end != std::string::npos) {
      line = buffer_.substr(begin_, end - begin_);
      if (line.ends_with('\r')) line.pop_back();
      begin_ = end + 1;
      return true;
    }
    if (buffer_.size() - begin_ > kHeaderBytesMax || !fill()) return false;
  }
}

// Takes so many bytes, into the text if there is one.
bool MessageReader::body(std::size_t length, std::string* text) {
  while (length > 0) {
    const std::size_t some = std::min(length, buffer_.size() - begin_);
    if (text != nullptr) text->append(buffer_, begin_, some);
    begin_ += some;
    length -= some;
    if (length > 0 && !fill()) return false;
  }
  return true;
}

MessageReader::Outcome MessageReader::next(std::string& text) {
  text.clear();
  std::optional<std::size_t> length;
  std::string line;
  while (header_line(line)) {
    if (line.empty() && length) break;
    if (line.empty()) return Outcome::bad;
    if (const auto given = length_of(line)) length = given;
    line.clear();
  }
  const bool at_end = !length || !line.empty();
  if (at_end) return begin_ == buffer_.size() ? Outcome::end : Outcome::bad;
  const bool fits = *length <= kMessageBytesMax;
  if (!body(*length, fits ? &text : nullptr)) return Outcome::end;
  return fits ? Outcome::message : Outcome::too_long;
}

void MessageWriter::write(std::string_view text) {
  const std::string framed = fmt::format("Content-Length: {}\r\n\r\n{}", text.size(), text);
  const std::scoped_lock lock(mutex_);
  (void)write_all(descriptor_, framed);
}

}  // namespace tessera::repl
