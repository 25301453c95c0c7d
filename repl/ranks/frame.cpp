#include "repl/ranks/frame.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "repl/process/console.hpp"

namespace tessera::repl {

namespace {

// A frame is its kind, the number of its texts, and each text behind its length, four bytes with the lowest first.
constexpr std::size_t kHeadBytes = 2;
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kTextsMax = 255;
constexpr std::uint32_t kTextBytesMax = std::uint32_t{1} << 28U;

void add_length(std::string& bytes, std::size_t length) {
  for (std::size_t i = 0; i < kLengthBytes; ++i) bytes += static_cast<char>((length >> (8 * i)) & 0xFFU);
}

std::uint32_t length_at(std::string_view bytes) {
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    length |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return length;
}

}  // namespace

std::string to_bytes(const Frame& frame) {
  std::string bytes;
  const std::size_t count = std::min(frame.texts.size(), kTextsMax);
  bytes += static_cast<char>(frame.kind);
  bytes += static_cast<char>(count);
  for (std::size_t i = 0; i < count; ++i) {
    add_length(bytes, frame.texts[i].size());
    bytes += frame.texts[i];
  }
  return bytes;
}

std::optional<Frame> FrameReader::next() {
  if (bytes_.size() < kHeadBytes || is_nonsense_) return std::nullopt;
  const auto kind = static_cast<std::uint8_t>(bytes_[0]);
  is_nonsense_ =
      kind < static_cast<std::uint8_t>(FrameKind::greet) || kind > static_cast<std::uint8_t>(FrameKind::lost);
  Frame frame{static_cast<FrameKind>(kind), {}};
  std::string_view rest = std::string_view(bytes_).substr(kHeadBytes);
  for (auto left = static_cast<unsigned char>(bytes_[1]); left > 0 && !is_nonsense_; --left) {
    if (rest.size() < kLengthBytes) return std::nullopt;
    const std::uint32_t length = length_at(rest);
    is_nonsense_ = length > kTextBytesMax;
    rest.remove_prefix(kLengthBytes);
    if (rest.size() < length) return std::nullopt;
    frame.texts.emplace_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  if (is_nonsense_) return std::nullopt;
  bytes_.erase(0, bytes_.size() - rest.size());
  return frame;
}

bool write_bytes(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EAGAIN) {
      wait_for_room(descriptor);
    } else if (written < 0 && errno != EINTR) {
      return false;
    }
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::size_t read_frames(int descriptor, FrameReader& reader) {
  std::array<char, kFrameTextBytes> chunk;
  ssize_t count = 0;
  do {
    count = ::read(descriptor, chunk.data(), chunk.size());
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return 0;
  reader.add({chunk.data(), static_cast<std::size_t>(count)});
  return static_cast<std::size_t>(count);
}

}  // namespace tessera::repl
