// Messages between the front end of a session on ranks and its first rank, through the pipes of the launcher:
// frames of a few texts each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::repl {

enum class FrameKind : std::uint8_t {
  // None of these bytes occurs in plain text, which a launcher may write to the same pipe. The front end's. Each of the
  // first five is answered by `done`, or by `lost`.
  greet = 0x80,  // what its screen can show
  take,          // a line, and how wide the screen is
  end,           // of the input
  forget,        // the statement that has not been completed
  complete,      // what stands before the cursor; `candidates` come first
  answer,        // to a question
  stop,          // what runs
  leave,         // nothing more comes
  // The first rank's.
  more,         // another kWindowStepBytes have been read
  out,          // a text for the screen
  err,          // the same, for what is wrong
  ask,          // a question, which wants an answer
  open_lesson,  // the reader wants the course, or a lesson of it; wants an answer when that is over
  candidates,   // where the word begins, and what it may become
  done,         // with what was asked: how the interpreter stands
  lost,         // why nothing goes on
};

struct Frame {
  FrameKind kind = FrameKind::stop;
  std::vector<std::string> texts = {};
};

// The letters of `done`.
inline constexpr char kInStatement = 's';
inline constexpr char kLeft = 'l';
inline constexpr char kAnyFailed = 'f';
// A launcher may give up on a rank that is slower than its front end. So at most a window of bytes is on its way
// unread; the rank sends `more` for every step of a window that it has read.
inline constexpr std::size_t kWindowBytes = std::size_t{1} << 15U;
inline constexpr std::size_t kWindowStepBytes = kWindowBytes / 2;
// Between candidates.
inline constexpr std::string_view kBetween{"\0", 1};

// The sender cuts texts longer than this into several frames, except for a line that was typed.
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
  // The bytes that are no whole frame.
  const std::string& rest() const { return bytes_; }

 private:
  std::string bytes_;
  bool is_nonsense_ = false;
};

// Writes them all, at once. False: there is no reader any more.
bool write_bytes(int descriptor, std::string_view bytes);
// Reads what there is into the reader, waiting if there is nothing. Gives the number of bytes; 0 at the end.
std::size_t read_frames(int descriptor, FrameReader& reader);

}  // namespace tessera::repl
