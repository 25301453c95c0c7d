// What the front end of a session on ranks and its first rank tell each other, through the pipes of the launcher:
// frames of a few texts each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::repl {

enum class FrameKind : std::uint8_t {
  // The front end's. Each of the first five is answered by `done`, or by `lost`.
  greet,     // what its screen can show
  take,      // a line, and how wide the screen is
  end,       // of the input
  forget,    // the statement that has not been completed
  complete,  // what stands before the cursor; `candidates` come first
  answer,    // to a question
  stop,      // what runs
  leave,     // nothing more comes
  // The first rank's.
  hello,       // the ids of the ranks' processes
  out,         // a text for the screen
  err,         // the same, for what is wrong
  ask,         // a question, which wants an answer
  teach,       // the reader wants the course; wants an answer when that is over
  candidates,  // where the word begins, and what it may become
  done,        // with what was asked: how the interpreter stands
  lost,        // why nothing goes on
};

struct Frame {
  FrameKind kind = FrameKind::stop;
  std::vector<std::string> texts = {};
};

// The letters of `done`.
inline constexpr char kInStatement = 's';
inline constexpr char kLeft = 'l';
inline constexpr char kAnyFailed = 'f';
// Between candidates.
inline constexpr std::string_view kBetween{"\0", 1};

// Texts longer than this are cut into several frames by who sends them, but for a line that was typed.
inline constexpr std::size_t kFrameTextBytes = std::size_t{1} << 16U;

std::string to_bytes(const Frame& frame);

// Frames out of bytes as they come.
class FrameReader {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }
  // The next frame that is there whole.
  std::optional<Frame> next();
  // Are these no frames?
  bool is_nonsense() const { return is_nonsense_; }

 private:
  std::string bytes_;
  bool is_nonsense_ = false;
};

// Writes it whole, at once. False: there is no reader any more.
bool send_frame(int descriptor, const Frame& frame);
// Reads what there is into the reader, waiting if there is nothing. False: the end.
bool read_frames(int descriptor, FrameReader& reader);

}  // namespace tessera::repl
