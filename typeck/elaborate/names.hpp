// What a name means where it stands: values and strings of blocks, functions
// and the program; and what a `let` binds.
// Private to typeck/elaborate/.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "typeck/elaborate/open_graph.hpp"

namespace tessera::typeck {

class Elaborator;

class Names {
 public:
  explicit Names(Elaborator& elaborator) : elaborator_(elaborator) {}
  Checked with_affine(Checked value) const;
  MaybeValue named_value(const std::string& name, Span span, ExprId id);
  std::optional<std::string> text_of(ExprId id) const;  // of a string, or of a name of one: file_name.cpp
  std::optional<FileName> file_name(const std::string& who, const WrittenFile& written);
  bool check_let_text(const frontend::Let& let);
  void bind_name(const frontend::Name& name, const MaybeValue& value);
  const Checked* local(std::string_view name, bool& poisoned) const;
  // Does the name mean a value or a string here, or did its definition fail?
  bool is_bound(const std::string& name) const;
  // A top-level name whose definition failed.
  bool is_poisoned(const std::string& name) const { return poisoned_.contains(name); }
  void poison(const std::string& name) { poisoned_.insert(name); }
  std::set<std::uint32_t> take_hidden_slots() { return std::move(hidden_slots_); }
  // `--define` gave this name its value.
  void note_define(const std::string& name) { defines_used_.insert(name); }
  bool has_define(const std::string& name) const { return defines_used_.contains(name); }

 private:
  void report_unknown_name(const std::string& name, Span span);
  std::optional<std::string> named_text(std::string_view name) const;
  std::optional<std::variant<std::string, Checked>> file_name_part(const std::string& name, Span span);
  Checked record_value(const NamedRecord& record, Span span, const Seen& seen);
  void bind_variable(const std::string& name, Span span, const Checked& value);
  ValueId input_node(const Variable& variable, Moment moment);

  Elaborator& elaborator_;
  std::set<std::string, std::less<>> poisoned_;  // top-level names whose definition failed
  std::map<std::uint32_t, ValueId> slot_nodes_;
  std::map<std::uint32_t, Affine> slot_affines_;
  std::set<std::uint32_t> hidden_slots_;
  std::set<std::string> defines_used_;
};

}  // namespace tessera::typeck
