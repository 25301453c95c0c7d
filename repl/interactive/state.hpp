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
  std::string script;
  std::vector<StatementStatistics> statistics;
  std::int64_t peak_bytes = 0;
  std::int64_t arena_bytes = 0;
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
    Program program;
    std::uint32_t statement = 0;
  };
  std::map<std::string, BoundBy> bound_by;
};

}  // namespace tessera::repl
