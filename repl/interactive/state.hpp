// What a session has come to: its names, and what is remembered of the inputs that made them. `:undo` goes back to an
// earlier one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// An input that was run to its end.
struct Entry {
  std::string text;
  std::string name;  // of the text: a file's, or that of what is typed
  std::uint32_t first_line = 1;
  RunReport report;
};
using EntryRef = std::shared_ptr<const Entry>;

struct State {
  explicit State(Session names) : session(std::move(names)) {}

  // A copy that goes its own way.
  State fork() const {
    State other(session.fork());
    other.entries = entries;
    other.bound_by = bound_by;
    return other;
  }

  Session session;
  std::vector<EntryRef> entries;
  // The statement that bound a name last.
  struct BoundBy {
    EntryRef entry;
    std::uint32_t statement = 0;
  };
  std::map<std::string, BoundBy> bound_by;
};

}  // namespace tessera::repl
