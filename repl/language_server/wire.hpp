// Messages as the Language Server Protocol frames them: a header with the length in bytes, an empty line, JSON.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace tessera::repl {

// Longer messages are skipped; a text may have 16 MiB, and JSON may need more bytes for it.
inline constexpr std::size_t kMessageBytesMax = std::size_t{64} << 20U;

class MessageReader {
 public:
  explicit MessageReader(int descriptor) : descriptor_(descriptor) {}

  enum class Outcome {
    message,
    too_long,  // skipped
    bad,       // no header of a message: nothing after it can be read
    end,
  };
  // The JSON of the next message goes into `text`.
  Outcome next(std::string& text);

 private:
  bool fill();
  bool header_line(std::string& line);
  bool body(std::size_t length, std::string* text);

  int descriptor_;
  std::string buffer_;
  std::size_t begin_ = 0;  // what is before it has been given out
};

// May be used by several threads.
class MessageWriter {
 public:
  explicit MessageWriter(int descriptor) : descriptor_(descriptor) {}
  // If the reader is gone, the message is lost.
  void write(std::string_view text);

 private:
  int descriptor_;
  std::mutex mutex_;
};

}  // namespace tessera::repl
