// The meanings of names: variables, functions, meshes, in the order they were bound. An environment is a value: a
// session hands one to `check` and keeps the one that comes back; copying it, which costs nothing, is how a session
// forks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/persistent_map.hpp"
#include "base/source.hpp"
#include "frontend/ast.hpp"
#include "synth/layout/array_type.hpp"

namespace tessera::typeck {

using synth::ArrayType;

// The value of a scalar that is known when the program is checked: integer constants may stand in extents, and any
// known scalar can be made again on another mesh.
using KnownScalar = std::variant<bool, std::int64_t, double>;

// A number that grows with every binding: "as seen at moment n" is every binding below n, the latest winning.
using Moment = std::uint32_t;

// Where a name stands, for whoever looks it up: as of a moment, in the program or in a file that `use` brought. Such a
// file sees what it binds itself, and the program's meshes.
struct Seen {
  Seen(Moment moment, base::SourceId in_file = {}) : at(moment), file(in_file) {}
  Moment at;
  base::SourceId file;  // not valid: the program
};

// The type of a variable. A text's own variables get theirs when the text is closed, in all copies of the environment.
class VariableType {
 public:
  VariableType(ArrayType type) : type_(std::make_shared<ArrayType>(std::move(type))) {}
  operator const ArrayType&() const { return *type_; }
  const ArrayType* operator->() const { return type_.get(); }
  void lay_out(const ArrayType& type) const { *type_ = type; }

 private:
  std::shared_ptr<ArrayType> type_;
};

struct Variable {
  std::string name;
  VariableType type;
  std::optional<KnownScalar> known;
  std::uint32_t slot = 0;  // which value of the session holds it; unique among all bindings of a session
  base::Span span;         // of the name where it was bound

  // One whose layout is not known yet: it is taken for whole.
  static Variable of_shape(std::string name, synth::ElementType element, const synth::Shape& shape,
                           const synth::MeshRef& mesh);
};

struct Function {
  std::shared_ptr<const frontend::Ast> ast;
  frontend::StatementId statement;  // an Fn
  Moment moment = 0;                // names in the body are looked up as of here, plus the function's own for its error
  base::Span span;                  // of the name
  base::SourceId file = {};         // in which they are looked up, where `use` brought the function

  const frontend::Fn& definition() const { return std::get<frontend::Fn>((*ast)[statement].node); }
  Seen sees() const { return {moment, file}; }
};

// A `let` of a file that `use` brought, whose value is made anew wherever its name stands.
struct Constant {
  std::string name;
  std::shared_ptr<const frontend::Ast> ast;
  frontend::StatementId statement;  // a Let of one name
  Moment moment = 0;
  base::Span span;           // of the name
  base::SourceId file = {};  // as of a Function

  const frontend::Let& definition() const { return std::get<frontend::Let>((*ast)[statement].node); }
  Seen sees() const { return {moment, file}; }
};

struct NamedMesh {
  std::string name;
  synth::MeshRef mesh;
  base::Span span;
};

struct NamedText {  // `let dir = "out"`
  std::string name;
  std::string text;
  base::Span span;
};

// `let p = {w: a, b: c}`: its fields are the variables `p.w` and `p.b`, which are bound right before it, one after the
// other.
struct NamedRecord {
  std::string name;
  std::vector<std::string> fields;
  base::Span span;
};

class Environment {
 public:
  Environment();

  Moment now() const { return now_; }
  // Returns the slot of the binding that this one hides, if nothing can reach it any more: the body of a function sees
  // the names bound before the function.
  std::optional<std::uint32_t> bind(const Variable& variable);
  std::optional<std::uint32_t> bind(const NamedText& text);
  std::optional<std::uint32_t> bind(const NamedRecord& record);
  // The slots of the fields of a record that the next binding of its name hides for good.
  std::vector<std::uint32_t> field_slots_hidden_from_now(const std::string& name) const;
  void bind(const Function& function);
  // The same in a file that `use` brought, or in the program what it brings.
  void bind_in(base::SourceId file, const Function& function);
  void bind_in(base::SourceId file, const Constant& constant);
  void bind(const NamedMesh& mesh);
  std::uint32_t new_slot() { return next_slot_++; }

  // A name is a variable's, a text's, a constant's or a record's: that of the last binding. A field, `p.w`, is a
  // variable's as long as `p` is a record's that has it.
  const Variable* variable(std::string_view name, const Seen& from) const;
  const NamedText* text(std::string_view name, const Seen& from) const;
  const NamedRecord* record(std::string_view name, const Seen& from) const;
  const Constant* constant(std::string_view name, const Seen& from) const;
  const Function* function(std::string_view name, const Seen& from) const;
  const NamedMesh* mesh(std::string_view name, Moment at) const;
  // The last mesh declared before `at`; without any, the single device.
  synth::MeshRef default_mesh(Moment at) const;
  // 1 + the largest device that any mesh ever declared has.
  std::int64_t devices() const { return devices_; }
  bool has_mesh(Moment at) const { return defaults_.last_before(at) != nullptr; }

  // What is still of use after unreachable() is gone: slots of variables, and the texts in which spans lie.
  struct Reached {
    std::set<std::uint32_t> slots;
    std::set<base::SourceId> texts;
  };
  // Forgets the bindings that no name and no function's body can mean any more.
  Reached forget_unreachable();
  // How many bindings there are to look at.
  std::size_t size() const { return size_; }

  std::vector<std::string> variable_names(const Seen& from) const;
  std::vector<std::string> constant_names(const Seen& from) const;
  std::vector<std::string> record_names(const Seen& from) const;
  std::vector<std::string> function_names(const Seen& from) const;
  std::vector<std::string> mesh_names(Moment at) const;
  // Every mesh that was ever declared and is not forgotten.
  std::vector<synth::MeshRef> meshes() const;
  void replace_meshes(const std::function<synth::MeshRef(const synth::MeshRef&)>& by);
  // The first name of a mesh that is this one; null where it has none.
  const NamedMesh* name_of(const synth::Mesh& mesh, Moment at) const;

 private:
  template <class T>
  using Timeline = base::PersistentMap<std::pair<std::string, Moment>, T>;

  template <class T>
  void keep(Timeline<T>& timeline, const std::pair<std::string, Moment>& key, T value) {
    timeline.set(key, std::move(value));
    ++size_;
  }
  class Sweep;
  bool function_sees(const std::string& name, Moment bound) const;

  const base::PersistentMap<std::pair<std::string, Moment>, Variable>::Entry* seen_variable(std::string_view name,
                                                                                            const Seen& from) const;
  const base::PersistentMap<std::pair<std::string, Moment>, NamedRecord>::Entry* seen_record(std::string_view name,
                                                                                             const Seen& from) const;
  // When a name of a value was last bound; 0: never.
  Moment last_value(std::string_view name, const Seen& from) const;
  Moment last_function(std::string_view name, const Seen& from) const;
  std::optional<std::uint32_t> slot_hidden_from_now(const std::string& name) const;

  Timeline<Variable> variables_;
  Timeline<NamedText> texts_;
  Timeline<Constant> constants_;
  Timeline<NamedRecord> records_;
  Timeline<Function> functions_;
  Timeline<NamedMesh> meshes_;
  base::PersistentMap<Moment, synth::MeshRef> defaults_;
  base::PersistentMap<std::string, base::SourceId> mentioned_;  // the last text with functions that mentions a name
  base::PersistentMap<base::SourceId, Moment> text_ends_;       // when the last function of a text was bound
  std::size_t size_ = 0;
  Moment now_ = 1;
  std::uint32_t next_slot_ = 0;
  std::int64_t devices_ = 1;
};

// A type as the language writes it: `f32[16@y, 16]{+x} on m2`; `on` only where the mesh is not the default one at `at`.
std::string print_type(const ArrayType& type, const Environment& environment, Moment at);
// The same for people: where no name means the mesh any more, its axes follow, as in `f32[4@x] on [x:2]`.
std::string describe_type(const ArrayType& type, const Environment& environment, Moment at);

}  // namespace tessera::typeck
