// Statements: what a program binds, prints, saves and asserts.
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
#include "typeck/elaborate/used_files.hpp"

namespace tessera::typeck {

class Elaborator;

class Statements {
 public:
  explicit Statements(Elaborator& elaborator) : elaborator_(elaborator), used_files_(elaborator) {}
  FilesInUse& used_files() { return used_files_; }
  // The `let` that names so many values of an expression; `written` are the names in a `let` that has another number.
  std::string help_for_names(ExprId id, std::size_t values, const std::vector<std::string>& written) const;
  void check_statement(StatementId id);
  bool check_block_statement(StatementId id);
  void check_mesh_statement(Span span, const frontend::MeshStatement& statement);
  void check_fn_statement(StatementId id, const frontend::Fn& fn);
  // A function that an unrolled loop of no turns is in may stand alone.
  void keep(open::InstanceId function) { effects_[function] = true; }
  std::string take_remark_on_defines() { return std::move(remark_on_defines_); }

 private:
  bool check_let(StatementId id, const frontend::Let& let);
  bool check_assert(Span span, const frontend::Assert& node);
  bool check_print(Span span, const frontend::Print& print);
  bool stands_without_parentheses(const frontend::Print& print);
  bool check_plan_statement(Span span, const frontend::PlanStatement& statement);
  bool check_save(Span span, const frontend::Save& save);
  bool check_show(Span span, const frontend::Show& show);
  bool check_called_for_effect(Span span, const frontend::ExprStatement& node);
  bool check_expression_statement(Span span, const frontend::ExprStatement& node);
  bool check_if_statement(Span span, const frontend::IfStatement& node);
  bool check_statements(BlockId id);
  bool has_effect(const open::Region& region, std::size_t first = 0);
  MaybeValue finished_for_output(ExprId expr, const std::string& who);
  MaybeValue let_value(StatementId id, const frontend::Let& let);
  void report_names(const frontend::Let& let, std::size_t values);
  MaybeValue defined_value(const std::string& name, const std::string& value_text, const frontend::Let& let);

  Elaborator& elaborator_;
  FilesInUse used_files_;
  std::string remark_on_defines_;
  std::map<open::InstanceId, bool> effects_;  // of functions: do they print, save or assert something?
};

}  // namespace tessera::typeck
