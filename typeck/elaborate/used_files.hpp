// `use "layers.tess"`: functions and constants of other files. A file's functions see what the file itself declares and
// uses, and the meshes of the program; nothing else in it runs. The program, or the file that uses it, gets the same
// functions and constants under their names.
// Private to typeck/elaborate/.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "typeck/elaborate/values.hpp"

namespace tessera::typeck {

class Elaborator;

class FilesInUse {
 public:
  explicit FilesInUse(Elaborator& elaborator) : elaborator_(elaborator) {}

  void use(StatementId id, const frontend::Use& use);
  // The value of a constant, made where it is asked for.
  MaybeValue value_of(const Constant& constant);
  // The string that a name of a constant means here.
  std::optional<std::string> text_of(std::string_view name) const;
  // True if a file could not be read, which has been reported: names that nobody knows may be its names.
  bool lacks_some() const { return lacks_some_; }
  // True of a name that the file being walked binds only when it runs.
  bool leaves_out(std::string_view name) const;
  // Which file each `use` of the program brought.
  std::vector<std::pair<StatementId, base::SourceId>> take_brought() { return std::move(brought_); }

 private:
  using Scope = base::SourceId;  // a file; not valid: the program
  enum class Space { value, function };

  void declare(const std::shared_ptr<const Ast>& file, bool with_meshes);
  void declare_constant(StatementId id, const frontend::Let& let);
  bool is_constant(ExprId id) const;
  bool is_constant_type(TypeId id) const;
  void bring(const std::shared_ptr<const Ast>& file, Scope scope, Span used_at);
  template <class T>
  void bring_one(Space space, const std::string& name, const T& bound, Scope scope, Span used_at);

  Elaborator& elaborator_;
  std::set<base::SourceId> declared_;
  std::map<std::pair<Scope, std::pair<Space, std::string>>, Span> brought_names_;  // where they are declared
  std::vector<std::pair<StatementId, base::SourceId>> brought_;
  bool lacks_some_ = false;
};

}  // namespace tessera::typeck
