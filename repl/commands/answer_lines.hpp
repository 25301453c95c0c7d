// Files of JSON lines, each answered by a line.
#pragma once

#include <cstdint>
#include <string>

#include "repl/process/console.hpp"
#include "repl/process/exit.hpp"
#include "repl/process/files.hpp"

namespace tessera::repl {

// All lines of the file, each answered before the next is read: answer(line, its number) gives whether all was well.
template <class F>
int answer_lines(const std::string& path, Console& console, F&& answer) {
  const OpenFile file(path);
  const std::string name = path == "-" ? "standard input" : path;
  if (!file.ok()) {
    console.complain("cannot read " + name + ": " + file.why());
    return kExitCommand;
  }
  LineReader lines(file.descriptor());
  bool all_well = true;
  std::string line;
  for (std::int64_t number = 1;; ++number) {
    const LineReader::Outcome outcome = lines.next(line);
    if (outcome == LineReader::Outcome::failed) {
      console.complain("cannot read " + name + ": " + lines.why());
      return kExitCommand;
    }
    if (outcome == LineReader::Outcome::end) return all_well ? kExitDone : kExitProgram;
    if (outcome == LineReader::Outcome::interrupted) {
      --number;
      continue;
    }
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    all_well = answer(line, number) && all_well;
  }
}

}  // namespace tessera::repl
