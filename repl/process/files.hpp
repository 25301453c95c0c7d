// Files the command line names: scripts, machine models, batches. (Files a program names are the library's business.)
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "repl/process/console.hpp"

namespace tessera::repl {

// Either a value or why there is none, for people.
template <class T>
struct Read {
  std::optional<T> value;
  std::string why;
};

struct Text {
  std::string name;  // what diagnostics call it
  std::string text;
};

// The system's own words for an error, by its errno.
std::string system_text(int error);

// Reads a file whole, or standard input where the path is `-`. If the text is longer than the library takes, reading
// ends as soon as that is clear.
Read<Text> read_text(const std::string& path);

// Writes all of it, whatever interrupts; false: it cannot be written.
bool write_all(int descriptor, std::string_view text);

// A file that replaces another in one step: readers see the old one or the whole new one, never a part. Until it is
// committed it has a name of its own beside the target; without a commit it is removed. A pipe or a device, such as
// /dev/null, is written to itself.
class FileReplacement {
 public:
  // Finds out whether the target can be written, so that work that takes long need not be done to learn it.
  explicit FileReplacement(std::string path);
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;
  ~FileReplacement();

  // After a failure nothing more is written.
  void append(std::string_view text);
  // Why it cannot be written, if something has gone wrong.
  const std::optional<std::string>& failure() const { return failure_; }
  // Makes sure that it is on the disk, and puts it in its place. Returns the reason if that fails.
  std::optional<std::string> commit();

 private:
  void note_failure();

  std::string path_;  // as it was given
  std::string target_;
  std::string temporary_;  // empty: the target is written to itself
  int descriptor_ = -1;
  std::optional<std::string> failure_;
};

// Puts `text` into the file in one step: readers see the old text or the new one, never a part. Returns the reason if
// that fails.
std::optional<std::string> replace_file(const std::string& path, std::string_view text);

// The one file that a command writes, made before its work begins: a file that cannot be written is known then. `-` is
// standard output.
class OutputFile {
 public:
  OutputFile(const std::string& path, Console& console);

  // True if it could not be written, which has been reported.
  bool failed() const { return file_ && file_->failure(); }
  // Writes all of it; returns the exit status. A failure is reported.
  int write(std::string_view text);

 private:
  Console& console_;
  std::optional<FileReplacement> file_;  // none: standard output
};

// Lines of a file as they come.
class LineReader {
 public:
  // Lines are cut at this length, so that no input fills the memory.
  static constexpr std::size_t kLineBytesMax = std::size_t{1} << 24U;

  // Waiting for a line ends when `interrupt` becomes readable, if reading the descriptor itself does not wait.
  explicit LineReader(int descriptor, int interrupt = -1) : descriptor_(descriptor), interrupt_(interrupt) {}
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  enum class Outcome { line, end, interrupted, failed };
  // The next line, without its line end, goes into `line`.
  Outcome next(std::string& line);
  // Forgets the part of a line that was read so far.
  void drop() { begin_ = buffer_.size(); }
  // Why next() failed.
  std::string why() const;

 private:
  bool waits_interrupted();

  int descriptor_;
  int interrupt_;
  std::string buffer_;
  std::size_t begin_ = 0;  // what is before it has been given out
  int error_ = 0;
  bool ended_ = false;
};

// An open file, closed with this object. `-` is standard input, which stays open.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path);
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  bool ok() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  std::string why() const;  // why it is not open

 private:
  int descriptor_ = -1;
  bool owned_ = false;
  int error_ = 0;
};

// Makes sure that descriptors 0 to 2 exist, so that no other file takes their numbers: reading a closed standard input
// fails, what is written to a closed output is lost.
void open_standard_descriptors();

}  // namespace tessera::repl
