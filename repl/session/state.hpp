// The state of a session: its names, and what it remembers of the inputs that made them. `:undo` goes back to an
// earlier one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// The statement that bound a name.
struct BoundBy {
  Program program;
  std::uint32_t statement = 0;
  Machine machine = {};  // that it was planned for
};

// An input that was run to its end.
struct Entry {
  std::string script;
  std::string naming_script;  // the same where a later input uses the value that this one has shown; empty: shows none
  std::vector<StatementStatistics> statistics;
  std::vector<StatementProfile> profile;
  std::int64_t peak_bytes = 0;
  std::int64_t arena_bytes = 0;
  std::vector<KeptValue> kept;                         // for backward passes
  std::vector<std::pair<std::string, BoundBy>> bound;  // the names that it bound
  std::optional<Program> moving;                       // the input itself, if it changes layouts
};

// The inputs so far. Copies share what they have in common, so that neither an input nor going back costs more in a
// long session.
class Entries {
 public:
  void add(Entry entry) { last_ = std::make_shared<Node>(std::move(entry), last_); }
  const Entry* last() const { return last_ == nullptr ? nullptr : &last_->entry; }

  std::vector<const Entry*> in_order() const {
    std::vector<const Entry*> all;
    for (const Node* node = last_.get(); node != nullptr; node = node->before.get()) all.push_back(&node->entry);
    std::reverse(all.begin(), all.end());
    return all;
  }
  // The statement that bound the name last; null if none has.
  const BoundBy* bound_by(std::string_view name) const {
    for (const Node* node = last_.get(); node != nullptr; node = node->before.get()) {
      const auto& bound = node->entry.bound;
      const auto found = std::find_if(bound.rbegin(), bound.rend(), [&](const auto& b) { return b.first == name; });
      if (found != bound.rend()) return &found->second;
    }
    return nullptr;
  }

 private:
  struct Node {
    Node(Entry what, std::shared_ptr<Node> earlier) : entry(std::move(what)), before(std::move(earlier)) {}
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    // One after the other: a long session's would not fit on the stack one inside the other.
    ~Node() {
      std::shared_ptr<Node> next = std::move(before);
      while (next != nullptr && next.use_count() == 1) next = std::exchange(next->before, nullptr);
    }
    Entry entry;
    std::shared_ptr<Node> before;
  };
  std::shared_ptr<Node> last_;
};

struct State {
  explicit State(Session names) : session(std::move(names)) {}

  // A copy that goes its own way.
  State fork() const {
    State other(session.fork());
    other.entries = entries;
    return other;
  }

  Session session;
  Entries entries;
};

}  // namespace tessera::repl
