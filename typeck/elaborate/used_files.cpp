#include "typeck/elaborate/used_files.hpp"

#include <algorithm>
#include <memory>

#include "typeck/elaborate/elaborator.hpp"

namespace tessera::typeck {

namespace {

// Walks a text of its own for a while.
class InFile {
 public:
  InFile(OpenGraph& graph, Frame frame) : graph_(graph), frame_(std::move(frame)), outer_(graph.walk(&frame_)) {}
  InFile(const InFile&) = delete;
  InFile& operator=(const InFile&) = delete;
  ~InFile() { graph_.walk(outer_); }

 private:
  OpenGraph& graph_;
  Frame frame_;
  Frame* outer_;
};

Frame frame_of(const std::shared_ptr<const Ast>& ast, Moment moment, bool is_top_level, base::SourceId file) {
  return Frame{ast, moment, {}, nullptr, {}, is_top_level, 0, {}, file};
}

}  // namespace

void FilesInUse::use(StatementId id, const frontend::Use& use) {
  const auto& table = elaborator_.options().used;
  const auto found = table.find({elaborator_.ast().source, use.path});
  if (found == table.end()) {
    elaborator_.report(base::make(Kind::use_unread, use.path, "no file can be read here").at(use.path_span));
    lacks_some_ = true;
    return;
  }
  const std::size_t reports = elaborator_.messages().size();
  for (const Diagnostic& why : found->second.why) elaborator_.report(why);
  const std::shared_ptr<const Ast> file = found->second.ast;
  const bool is_told_here = file == nullptr && !found->second.why.empty() &&
                            found->second.why.front().labels.front().span.source == use.path_span.source;
  if (!is_told_here) elaborator_.messages().label_calls(reports, use.path_span, "used here");
  lacks_some_ = lacks_some_ || file == nullptr;
  if (file == nullptr) return;
  const Scope scope = elaborator_.frame().file;
  if (!scope.valid()) brought_.emplace_back(id, file->source);
  declare(file, use.with_meshes);
  elaborator_.messages().label_calls(reports, use.path_span, "used here");
  bring(file, scope, use.path_span);
}

// Binds in the file's own scope what it declares, in the order of its text; the first time that it is used.
void FilesInUse::declare(const std::shared_ptr<const Ast>& file, bool with_meshes) {
  const bool is_new = declared_.insert(file->source).second;
  const InFile in_file(elaborator_, frame_of(file, 0, true, file->source));
  for (const StatementId id : file->program) {
    const frontend::Statement& statement = (*file)[id];
    if (const auto* mesh = std::get_if<frontend::MeshStatement>(&statement.node); mesh != nullptr && with_meshes)
      elaborator_.statements().check_mesh_statement(statement.span, *mesh);
    if (!is_new) continue;
    if (const auto* nested = std::get_if<frontend::Use>(&statement.node)) use(id, *nested);
    if (const auto* fn = std::get_if<frontend::Fn>(&statement.node))
      elaborator_.statements().check_fn_statement(id, *fn);
    if (const auto* let = std::get_if<frontend::Let>(&statement.node)) declare_constant(id, *let);
  }
}

void FilesInUse::declare_constant(StatementId id, const frontend::Let& let) {
  const bool is_typed_so = !let.type.has_value() || is_constant_type(*let.type);
  const bool is_list = std::holds_alternative<frontend::ListLiteral>(elaborator_.ast()[let.value].node);
  if (let.names.size() != 1 || !is_typed_so || !(is_list || is_constant(let.value))) return;
  const Frame& frame = elaborator_.frame();
  elaborator_.environment().bind_in(
      frame.file,
      Constant{let.names[0].text, frame.ast, id, elaborator_.environment().now(), let.names[0].span, frame.file});
}

// Is it a scalar made of literals and constants alone, so that nothing has to run for it?
bool FilesInUse::is_constant(ExprId id) const {
  const auto& node = elaborator_.ast()[id].node;
  if (const auto* unary = std::get_if<frontend::Unary>(&node)) return is_constant(unary->operand);
  if (const auto* cast = std::get_if<frontend::Cast>(&node)) return is_constant(cast->operand);
  if (const auto* binary = std::get_if<frontend::Binary>(&node))
    return binary->op != frontend::BinaryOp::matmul && is_constant(binary->left) && is_constant(binary->right);
  if (const auto* name = std::get_if<frontend::NameRef>(&node))
    return elaborator_.environment().constant(name->name, elaborator_.seen()) != nullptr;
  return std::holds_alternative<frontend::IntLiteral>(node) || std::holds_alternative<frontend::FloatLiteral>(node) ||
         std::holds_alternative<frontend::BoolLiteral>(node) || std::holds_alternative<frontend::StringLiteral>(node);
}

bool FilesInUse::is_constant_type(TypeId id) const {
  const frontend::TypeExpr& type = elaborator_.ast()[id];
  return !type.any_layout && !type.mesh.has_value() && !type.pending.has_value() &&
         std::ranges::all_of(type.dimensions, [](const frontend::Dimension& one) { return one.axes.empty(); });
}

// Gives the names that a file declares itself to whoever uses it.
void FilesInUse::bring(const std::shared_ptr<const Ast>& file, Scope scope, Span used_at) {
  const Environment& environment = elaborator_.environment();
  const Seen in_file{environment.now(), file->source};
  std::vector<Function> functions;
  std::vector<Constant> constants;
  for (const std::string& name : environment.function_names(in_file)) {
    const Function* const function = environment.function(name, in_file);
    if (function->span.source == file->source) functions.push_back(*function);
  }
  for (const std::string& name : environment.constant_names(in_file)) {
    const Constant* const constant = environment.constant(name, in_file);
    if (constant->span.source == file->source) constants.push_back(*constant);
  }
  for (const Function& one : functions) bring_one(Space::function, one.definition().name.text, one, scope, used_at);
  for (const Constant& one : constants) bring_one(Space::value, one.name, one, scope, used_at);
}

// The same from two files, or from a file and the text that uses it, is refused: one would hide the other.
template <class T>
void FilesInUse::bring_one(Space space, const std::string& name, const T& bound, Scope scope, Span used_at) {
  const Environment& environment = elaborator_.environment();
  const Seen seen = elaborator_.seen();
  const base::SourceId text = elaborator_.ast().source;
  Span other;
  if (const Function* own = environment.function(name, seen); space == Space::function && own != nullptr)
    other = own->span;
  if (const Variable* own = environment.variable(name, seen); space == Space::value && own != nullptr)
    other = own->span;
  if (const Constant* own = environment.constant(name, seen); space == Space::value && own != nullptr)
    other = own->span;
  const auto before = brought_names_.find({scope, {space, name}});
  const bool is_own = other.known() && other.source == text;
  const bool is_from_other =
      other.known() && before != brought_names_.end() && before->second == other && other.source != bound.span.source;
  if (is_own || is_from_other) {
    elaborator_.report(base::make(Kind::use_clash, name)
                           .at(bound.span, "this file declares it")
                           .also(other, is_own ? "so does the text that uses the file" : "so does another file in use")
                           .also(used_at, "used here")
                           .suggest("rename one of them"));
    return;
  }
  brought_names_[{scope, {space, name}}] = bound.span;
  elaborator_.environment().bind_in(scope, bound);
}

MaybeValue FilesInUse::value_of(const Constant& constant) {
  const frontend::Let& let = constant.definition();
  const InFile in_file(elaborator_, frame_of(constant.ast, constant.moment, false, constant.file));
  if (!let.type.has_value()) return elaborator_.check_array(let.value);
  const MaybeValue value = elaborator_.check_array_as(let.value, *constant.ast, *let.type);
  const auto written = elaborator_.types().written_type(*constant.ast, *let.type);
  if (!value.has_value() || !written.has_value()) return std::nullopt;
  return elaborator_.annotated(*value, *written, "`" + constant.name + "`", value->span);
}

std::optional<std::string> FilesInUse::text_of(std::string_view name) const {
  const Constant* const constant = elaborator_.environment().constant(name, elaborator_.seen());
  if (constant == nullptr) return std::nullopt;
  const auto* text = std::get_if<frontend::StringLiteral>(&(*constant->ast)[constant->definition().value].node);
  return text == nullptr ? std::nullopt : std::optional(text->value);
}

bool FilesInUse::leaves_out(std::string_view name) const {
  if (!elaborator_.frame().file.valid()) return false;
  const Ast& ast = elaborator_.ast();
  return std::ranges::any_of(ast.program, [&](StatementId id) {
    const auto* let = std::get_if<frontend::Let>(&ast[id].node);
    return let != nullptr && std::ranges::any_of(let->names, [&](const auto& one) { return one.text == name; });
  });
}

}  // namespace tessera::typeck
