#include "frontend/print.hpp"
#include "frontend/comments.hpp"
#include "frontend/document.hpp"
#include "frontend/levels.hpp"
#include "frontend/literal.hpp"
#include "frontend/rows.hpp"
#include "frontend/type_words.hpp"

namespace tessera::frontend {

namespace {

constexpr std::size_t kColumnsMax = 100;
constexpr std::size_t kOneLine = std::numeric_limits<std::size_t>::max() / 2;

class Printer {
 public:
  Printer(const Ast& ast, const base::SourceMap* sources, const PrintHooks& hooks)
      : ast_(ast), hooks_(hooks), comments_(ast, sources), rows_(doc_, comments_) {}

  std::string program() {
    std::vector<Entry> entries;
    for (const StatementId id : ast_.program) entries.push_back({ast_[id].span, [this, id] { return statement(id); }});
    const auto docs = rows_.lines(entries, 0, comments_.text_end());
    if (docs.empty()) return "";
    return doc_.layout(doc_.concat(docs), kColumnsMax) + "\n";
  }
  std::string lone_expr(ExprId id) { return doc_.layout(expr(id, kWholeLevel), kOneLine); }
  std::string lone_type(TypeId id) { return doc_.layout(type(id), kOneLine); }

 private:
  // Brackets end what stands tight around them.
  DocId row(std::string open, const std::vector<Entry>& entries, std::string close, base::Span inside,
            Spread spread = Spread::one_a_line) {
    const bool tight = std::exchange(tight_, false);
    const DocId doc = rows_.bracketed(std::move(open), entries, std::move(close), inside, spread);
    tight_ = tight;
    return doc;
  }

  DocId words(std::string text) { return doc_.text(std::move(text)); }
  Entry expr_entry(ExprId id) {
    return {ast_[id].span, [this, id] { return expr(id, kWholeLevel); }};
  }
  std::vector<Entry> expr_entries(const std::vector<ExprId>& ids) {
    std::vector<Entry> entries;
    for (const ExprId id : ids) entries.push_back(expr_entry(id));
    return entries;
  }

  // A field, `w: a` or `w: f32[8]`.
  DocId whole(ExprId id) { return expr(id, kWholeLevel); }
  DocId whole(TypeId id) { return type(id); }
  template <class Id>
  Entry named(const Name& name, Id id) {
    const auto print = [this, &name, id] { return doc_.concat({words(name.text + ": "), whole(id)}); };
    return {base::join(name.span, ast_[id].span), print};
  }

  // ---- Statements ----

  DocId statement(StatementId id) {
    return std::visit([&](const auto& node) { return statement(id, node); }, ast_[id].node);
  }

  DocId statement(StatementId id, const MeshStatement& mesh) {
    std::vector<Entry> axes;
    for (const MeshAxis& axis : mesh.axes) {
      const auto print = [this, &axis] {
        std::vector<DocId> parts{words(axis.name.text + ": "), expr(axis.size, kWholeLevel)};
        for (const NamedCut& cut : axis.cuts) parts.push_back(named_cut(cut));
        return doc_.concat(std::move(parts));
      };
      const base::Span end = axis.cuts.empty() ? ast_[axis.size].span : axis.cuts.back().span;
      axes.push_back({base::join(axis.name.span, end), print});
    }
    const std::uint32_t end = mesh.on ? mesh.on->span.begin : mesh.place ? mesh.place->span.begin : ast_[id].span.end;
    const base::Span inside{ast_.source, mesh.name.span.end, end};
    std::vector<DocId> parts{words(fmt::format("mesh {} = ", mesh.name.text)), row("[", axes, "]", inside)};
    if (mesh.on) parts.push_back(on_devices(*mesh.on));
    if (mesh.place) parts.push_back(place(*mesh.place));
    return doc_.concat(std::move(parts));
  }

  // ` on 8:16`, ` on (4:8, 0:4)`
  DocId on_devices(const OnDevices& on) {
    std::vector<Entry> ranges;
    for (const DeviceRange& range : on.ranges) {
      const auto print = [this, &range] { return doc_.concat({tight(range.first), words(":"), tight(range.end)}); };
      ranges.push_back({base::join(ast_[range.first].span, ast_[range.end].span), print});
    }
    if (ranges.size() == 1) return doc_.concat({words(" on "), ranges.front().print()});
    return doc_.concat({words(" on "), row("(", ranges, ")", on.span)});
  }

  // ` place [[4, 4], [1, 4]]`
  DocId place(const Placement& place) {
    if (place.rows.empty()) return words(" place auto");
    std::vector<Entry> rows;
    for (const std::vector<ExprId>& numbers : place.rows) {
      base::Span inside = base::join(ast_[numbers.front()].span, ast_[numbers.back()].span);
      inside.end = comments_.find(']', inside.end, place.span.end);
      rows.push_back({inside, [this, &numbers, inside] { return row("[", expr_entries(numbers), "]", inside); }});
    }
    return doc_.concat({words(" place "), row("[", rows, "]", place.span)});
  }

  DocId statement(StatementId id, const Let& let) {
    const std::string names = join_names(let.names);
    std::vector<DocId> parts{words(let.names.size() == 1 ? "let " + names : "let (" + names + ")")};
    if (let.type) {
      parts.insert(parts.end(), {words(": "), type(*let.type)});
    } else if (let.names.size() == 1 && hooks_.let_type) {
      if (const auto text = hooks_.let_type(id)) parts.push_back(words(fmt::format(": {}", *text)));
    }
    parts.insert(parts.end(), {words(" ="), behind_equals(let.value)});
    return doc_.concat(std::move(parts));
  }

  DocId statement(StatementId, const Fn& fn) {
    std::vector<Entry> parameters;
    std::uint32_t end = fn.name.span.end;
    for (const Parameter& p : fn.parameters) {
      const auto print = [this, &p] {
        is_parameter_ = true;
        const DocId own = type(p.type);
        is_parameter_ = false;
        return doc_.concat({words(p.name.text + ": "), own, words(p.chosen ? " auto" : "")});
      };
      const base::Span last = p.chosen.value_or(ast_[p.type].span);
      parameters.push_back({base::join(p.name.span, last), print});
      end = last.end;
    }
    end = comments_.find(')', end, ast_[fn.body].span.begin);
    const base::Span inside{ast_.source, fn.name.span.end, end};
    const std::string head = fmt::format("{}fn {}", fn.chosen ? "auto " : "", fn.name.text);
    std::vector<DocId> parts{words(head), row("(", parameters, ")", inside)};
    if (!fn.results.empty()) parts.push_back(results(fn));
    if (!fn.over.empty()) parts.push_back(words(fmt::format(" over ({})", join_names(fn.over))));
    if (fn.body_is_expression) {
      parts.insert(parts.end(), {words(" ="), behind_equals(ast_[fn.body].result)});
    } else {
      parts.push_back(words(" "));
      parts.push_back(block(fn.body));
    }
    return doc_.concat(std::move(parts));
  }

  DocId results(const Fn& fn) {
    const auto one = [this, &fn](std::size_t k) {
      const std::optional<Name>& as = fn.results_as[k];
      return doc_.concat({type(fn.results[k]), words(as ? fmt::format(" as {}", as->text) : "")});
    };
    if (fn.results.size() == 1) return doc_.concat({words(" -> "), one(0)});
    std::vector<Entry> types;
    for (std::size_t k = 0; k < fn.results.size(); ++k) {
      const base::Span own = ast_[fn.results[k]].span;
      const base::Span whole = fn.results_as[k] ? base::join(own, fn.results_as[k]->span) : own;
      types.push_back({whole, [one, k] { return one(k); }});
    }
    base::Span inside = base::join(types.front().span, types.back().span);
    inside.end = comments_.find(')', inside.end, ast_[fn.body].span.begin);
    return doc_.concat({words(" -> "), row("(", types, ")", inside)});
  }

  DocId statement(StatementId, const Print& print) {
    std::vector<DocId> items;
    for (const ExprId item : print.items) items.push_back(expr(item, kWholeLevel));
    return doc_.concat({words("print "), rows_.comma_separated(items)});
  }
  DocId statement(StatementId, const Show& show) {
    return doc_.concat({words("show "), expr(show.value, kWholeLevel)});
  }
  DocId statement(StatementId, const PlanStatement& plan) {
    return doc_.concat({words("plan "), expr(plan.value, kWholeLevel)});
  }
  DocId statement(StatementId id, const Save& save) {
    const auto text = [this](const std::string& t, base::Span at) { return Entry{at, [this, t] { return words(t); }}; };
    std::vector<Entry> entries{expr_entry(save.value), text(string_text(save.path), save.path_span)};
    if (save.array) entries.push_back(text("name=" + string_text(*save.array), save.array_span));
    return doc_.concat({words(save.shards ? "save_shards" : "save"), row("(", entries, ")", ast_[id].span)});
  }
  DocId statement(StatementId, const Assert& assertion) {
    std::vector<DocId> items{expr(assertion.condition, kWholeLevel)};
    if (assertion.message) items.push_back(words(string_text(*assertion.message)));
    return doc_.concat({words("assert "), rows_.comma_separated(items)});
  }
  DocId statement(StatementId, const Use& use) {
    return words(fmt::format("use {}{}", string_text(use.path), use.with_meshes ? " with mesh" : ""));
  }
  DocId statement(StatementId, const ExprStatement& lone) { return expr(lone.value, kWholeLevel); }
  DocId statement(StatementId, const IfStatement& branch) { return doc_.group(open_if(branch)); }

  // As of the expression, but that `else` may be missing.
  DocId open_if(const IfStatement& branch) {
    std::vector<DocId> parts{words("if "), expr(branch.condition, kWholeLevel), words(" ")};
    parts.push_back(open_block(branch.then_block));
    if (branch.else_block) {
      parts.push_back(words(" else "));
      const IfStatement* const nested = else_if(*branch.else_block);
      parts.push_back(nested != nullptr ? open_if(*nested) : open_block(*branch.else_block));
    }
    return doc_.concat(std::move(parts));
  }

  const IfStatement* else_if(BlockId id) const {
    const Block& b = ast_[id];
    if (b.statements.size() != 1) return nullptr;
    const Statement& only = ast_[b.statements.front()];
    const bool commented = comments_.any(b.span.begin, only.span.begin) || comments_.any(only.span.end, b.span.end);
    return commented ? nullptr : std::get_if<IfStatement>(&only.node);
  }

  // `{ e }` on one line where nothing forbids it.
  DocId block(BlockId id) { return doc_.group(open_block(id)); }

  // Broken with the group around it.
  DocId open_block(BlockId id) {
    const Block& b = ast_[id];
    std::vector<Entry> entries;
    for (const StatementId s : b.statements) entries.push_back({ast_[s].span, [this, s] { return statement(s); }});
    if (b.result.valid()) entries.push_back(expr_entry(b.result));
    const bool tight = std::exchange(tight_, false);
    const DocId inside = doc_.concat(rows_.lines(entries, b.span.begin, b.span.end));
    tight_ = tight;
    return doc_.concat({words("{"), doc_.nest(doc_.concat({doc_.line(), inside})), doc_.line(), words("}")});
  }

  // ---- Types ----

  DocId type(TypeId id) {
    const TypeExpr& t = ast_[id];
    std::vector<Entry> fields;
    for (const TypeField& field : t.fields) fields.push_back(named(field.name, field.type));
    if (!fields.empty()) return row("{", fields, "}", t.span);
    std::vector<DocId> parts;
    if (t.element) parts.push_back(words(std::string(spelling(*t.element))));
    if (t.any_shape) parts.push_back(words("[..]"));
    if (t.has_shape && !t.any_shape) {
      std::vector<Entry> dimensions;
      for (const Dimension& d : t.dimensions) dimensions.push_back({d.span, [this, &d] { return dimension(d); }});
      base::Span inside = t.span;
      if (t.element) inside.begin = t.element_span.end;
      const auto last = dimensions.empty() ? inside.begin : dimensions.back().span.end;
      inside.end = comments_.find(']', last, inside.end);
      parts.push_back(row("[", dimensions, "]", inside, Spread::together));
    }
    std::string tail;
    if (t.pending) tail += pending_text(*t.pending);
    if (t.any_layout) tail += "?";
    if (t.mesh) tail += fmt::format(" on {}", t.mesh->text);
    parts.push_back(words(tail));
    return doc_.concat(std::move(parts));
  }

  DocId dimension(const Dimension& d) {
    return doc_.concat({d.from_file ? words("_") : extent(d.extent), words(axes_text(d.axes))});
  }

  // ` work(2,1,1)`
  DocId named_cut(const NamedCut& cut) {
    std::vector<DocId> parts{words(fmt::format(" {}(", cut.name.text))};
    for (const ExprId weight : cut.weights) {
      if (parts.size() > 1) parts.push_back(words(","));
      parts.push_back(expr(weight, kWholeLevel));
    }
    parts.push_back(words(")"));
    return doc_.concat(std::move(parts));
  }

  DocId extent(ExprId id) {
    const Expr& e = ast_[id];
    const auto* name = std::get_if<NameRef>(&e.node);
    const bool bare = std::holds_alternative<IntLiteral>(e.node) || (name != nullptr && name->name != "_");
    const bool is_constant = name != nullptr && is_parameter_ && e.parenthesised;  // a bare name is bound by calls
    if (bare && !is_constant && !as_type(id)) return expr(id, kWholeLevel);
    return doc_.concat({words("("), tight(id), words(")")});
  }

  // ---- Expressions ----

  // What brings brackets of its own begins on the line of the `=`.
  DocId behind_equals(ExprId id) {
    const DocId doc = expr(id, kWholeLevel);
    return may_hang(ast_[id]) ? doc_.hanging(doc) : doc_.concat({words(" "), doc});
  }

  // Without blanks around its operators, as in `(3*N)@x` and `a[i:i+8]`; inside of brackets of its own it is as ever.
  DocId tight(ExprId id) {
    const bool before = std::exchange(tight_, true);
    const DocId doc = expr(id, kWholeLevel);
    tight_ = before;
    return doc;
  }

  std::optional<std::string> as_type(ExprId id) const { return hooks_.as_type ? hooks_.as_type(id) : std::nullopt; }

  // `wanted` is the level that the place asks for: what holds together less tightly is put in parentheses.
  DocId expr(ExprId id, int wanted) {
    const Expr& e = ast_[id];
    if (const auto text = as_type(id)) {
      const DocId added = doc_.concat({bare(id, operand_of_as(e)), words(fmt::format(" as {}", *text))});
      return wanted > kWholeLevel ? doc_.concat({words("("), added, words(")")}) : added;
    }
    return bare(id, wanted);
  }
  static int operand_of_as(const Expr& e) { return level_of(e) == kWholeLevel ? kWholeLevel : kOperandOfAsLevel; }
  // What `as` and `with` stand behind; an `as` that is added there needs no parentheses, as a written one does not.
  DocId restated(ExprId id) { return expr(id, as_type(id) ? kWholeLevel : operand_of_as(ast_[id])); }

  DocId bare(ExprId id, int wanted) {
    const Expr& e = ast_[id];
    const DocId doc = std::visit([&](const auto& node) { return expr(id, node); }, e.node);
    const bool helps = is_compound(e) || std::holds_alternative<Binary>(e.node);
    const bool kept = e.parenthesised && helps && wanted > kWholeLevel;  // as written: for those who read it
    if (level_of(e) >= wanted && !kept) return doc;
    return doc_.concat({words("("), doc, words(")")});
  }

  DocId expr(ExprId, const IntLiteral& literal) {
    return words(integer_text(static_cast<std::uint64_t>(literal.value), literal.is_grouped));
  }
  DocId expr(ExprId, const FloatLiteral& literal) { return words(literal.text); }
  DocId expr(ExprId, const BoolLiteral& literal) { return words(literal.value ? "true" : "false"); }
  DocId expr(ExprId, const StringLiteral& literal) { return words(string_text(literal.value)); }
  DocId expr(ExprId, const NameRef& name) { return words(name.name); }

  DocId expr(ExprId id, const ListLiteral& list) {
    const auto is_short = [&](ExprId item) { return level_of(ast_[item]) >= kNegatePrecedence && is_number(item); };
    const bool numbers = std::all_of(list.items.begin(), list.items.end(), is_short);
    return row("[", expr_entries(list.items), "]", ast_[id].span, numbers ? Spread::filled : Spread::one_a_line);
  }
  bool is_number(ExprId id) const { return is_number_literal(ast_, id); }

  DocId expr(ExprId id, const Tuple& tuple) { return row("(", expr_entries(tuple.items), ")", ast_[id].span); }

  DocId expr(ExprId id, const Record& record) {
    std::vector<Entry> entries;
    const auto base = [this, &record] { return doc_.concat({words(".."), expr(record.base, kWholeLevel)}); };
    if (record.base.valid()) entries.push_back({ast_[record.base].span, base});
    for (const Field& field : record.fields) entries.push_back(named(field.name, field.value));
    return row("{", entries, "}", ast_[id].span);
  }

  // A point behind a number would be its own.
  DocId expr(ExprId, const FieldOf& member) {
    const DocId own = expr(member.base, kAtomLevel);
    const DocId base = is_number(member.base) ? doc_.concat({words("("), own, words(")")}) : own;
    return doc_.concat({base, words("." + member.field.text)});
  }

  DocId expr(ExprId, const Unary& unary) {
    return doc_.concat({words(std::string(spelling(unary.op))), expr(unary.operand, precedence(unary.op))});
  }

  // A chain of operators of one precedence is broken before none of its operands or before all.
  DocId expr(ExprId, const Binary& binary) {
    const int level = precedence(binary.op);
    std::vector<const Binary*> chain{&binary};
    const auto next = [&](ExprId left) -> const Binary* {
      const auto* inner = std::get_if<Binary>(&ast_[left].node);
      const bool same = inner != nullptr && precedence(inner->op) == level && left_level(binary.op) == level;
      return same && !as_type(left) ? inner : nullptr;
    };
    while (const Binary* inner = next(chain.back()->left)) chain.push_back(inner);
    const bool tight = binary.op == BinaryOp::power || (tight_ && level > precedence(BinaryOp::equal));
    const DocId first = expr(chain.back()->left, left_level(chain.back()->op));
    std::vector<DocId> parts;
    for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
      parts.push_back(words(fmt::format("{}{}", tight ? "" : " ", spelling((*link)->op))));
      if (!tight) parts.push_back(doc_.line());
      parts.push_back(expr((*link)->right, right_level((*link)->op)));
    }
    return doc_.group(doc_.concat({first, doc_.nest(doc_.concat(std::move(parts)))}));
  }

  DocId expr(ExprId id, const Index& index) {
    const base::Span inside{ast_.source, ast_[index.base].span.end, ast_[id].span.end};
    return doc_.concat(
        {expr(index.base, kAtomLevel), row("[", subscript_entries(index.subscripts), "]", inside, Spread::together)});
  }
  std::vector<Entry> subscript_entries(const std::vector<Subscript>& subscripts) {
    std::vector<Entry> entries;
    for (const Subscript& s : subscripts) entries.push_back({s.span, [this, &s] { return subscript(s); }});
    return entries;
  }

  DocId subscript(const Subscript& s) {
    if (s.kind == Subscript::Kind::single) return expr(s.start, kWholeLevel);
    const auto bound = [this](ExprId id) { return id.valid() ? tight(id) : words(""); };
    std::vector<DocId> parts = {bound(s.start), words(":"), bound(s.stop)};
    if (s.step.valid()) parts.insert(parts.end(), {words(":"), bound(s.step)});
    return doc_.concat(std::move(parts));
  }

  DocId expr(ExprId id, const Call& call) {
    std::vector<Entry> entries;
    for (const Argument& a : call.arguments) entries.push_back({a.span, [this, &a] { return argument(a); }});
    const base::Span inside{ast_.source, call.callee.span.end, ast_[id].span.end};
    return doc_.concat({words(call.callee.text), row("(", entries, ")", inside)});
  }

  DocId expr(ExprId id, const Gradient& gradient) {
    std::vector<Entry> entries;
    for (const Argument& a : gradient.arguments) entries.push_back({a.span, [this, &a] { return argument(a); }});
    const base::Span inside{ast_.source, gradient.derivative_span.end, ast_[id].span.end};
    return doc_.concat({words(derivative_text(gradient)), row("(", entries, ")", inside)});
  }

  DocId argument(const Argument& a) {
    const auto* value = std::get_if<ExprId>(&a.value);
    const DocId doc = value != nullptr ? expr(*value, kWholeLevel) : type(std::get<TypeId>(a.value));
    return a.name ? doc_.concat({words(a.name->text + "="), doc}) : doc;
  }

  DocId expr(ExprId id, const Cast& cast) {
    const base::Span inside{ast_.source, cast.element_span.end, ast_[id].span.end};
    return doc_.concat({words(std::string(spelling(cast.element))), row("(", {expr_entry(cast.operand)}, ")", inside)});
  }

  DocId expr(ExprId, const As& as) {
    std::vector<DocId> parts{restated(as.operand), words(" as "), type(as.type)};
    if (as.within_bytes) parts.push_back(words(fmt::format(" within {}", size_text(*as.within_bytes))));
    return doc_.concat(std::move(parts));
  }

  DocId expr(ExprId, const With& with) {
    std::vector<DocId> parts;
    for (const Replacement& one : with.replacements) {
      parts.push_back(
          doc_.concat({row("[", subscript_entries(one.subscripts), "]", one.subscripts_span, Spread::together),
                       words(" = "), expr(one.value, kOperandOfAsLevel)}));
    }
    const DocId base = restated(with.base);
    return doc_.concat({base, words(" with "), rows_.comma_separated(parts)});
  }

  DocId expr(ExprId, const If& branch) { return doc_.group(open_if(branch)); }

  // All blocks of a chain are broken, or none.
  DocId open_if(const If& branch) {
    std::vector<DocId> parts{words("if "), expr(branch.condition, kWholeLevel), words(" ")};
    parts.push_back(open_block(branch.then_block));
    parts.push_back(words(" else "));
    parts.push_back(is_else_if(branch.else_block) ? open_if(std::get<If>(ast_[ast_[branch.else_block].result].node))
                                                  : open_block(branch.else_block));
    return doc_.concat(std::move(parts));
  }

  bool is_else_if(BlockId id) const {
    const Block& b = ast_[id];
    const Expr& result = ast_[b.result];
    if (!b.statements.empty() || !std::holds_alternative<If>(result.node) || as_type(b.result)) return false;
    return !comments_.any(b.span.begin, result.span.begin) && !comments_.any(result.span.end, b.span.end);
  }

  DocId expr(ExprId, const BlockExpr& e) { return block(e.block); }
  DocId expr(ExprId, const Local& local) { return doc_.concat({words("local "), block(local.block)}); }
  DocId expr(ExprId, const Again& again) { return doc_.concat({words("again "), block(again.block)}); }

  DocId expr(ExprId, const Loop& loop) {
    std::vector<DocId> carried;
    for (const Carried& c : loop.carried) {
      carried.push_back(doc_.concat({words(c.name.text + " = "), expr(c.init, kWholeLevel)}));
    }
    const std::string schedule = loop.schedule ? "by " + string_text(loop.schedule->text) + " " : "";
    const char* const word = loop.is_pipeline ? "pipeline " : loop.is_scan ? "scan " : "loop ";
    std::vector<DocId> parts{words(word), rows_.comma_separated(carried)};
    const auto add = [&](const std::string& before, ExprId id) {
      if (id.valid()) parts.insert(parts.end(), {words(before), doc_.unbroken(expr(id, kWholeLevel))});
    };
    if (loop.index) add(fmt::format(" for {}{} < ", loop.is_unrolled ? "const " : "", loop.index->text), loop.bound);
    add(" while ", loop.condition);
    add(", max=", loop.limit);
    parts.insert(parts.end(), {words(" " + schedule), block(loop.body)});
    return doc_.concat(std::move(parts));
  }

  const Ast& ast_;
  const PrintHooks& hooks_;
  Document doc_;
  CommentShelf comments_;
  Rows rows_;
  bool tight_ = false;
  bool is_parameter_ = false;
};

}  // namespace

std::string print(const Ast& ast, const base::SourceMap* sources, const PrintHooks& hooks) {
  return Printer(ast, sources, hooks).program();
}

std::string print_expr(const Ast& ast, ExprId expr, const PrintHooks& hooks) {
  return Printer(ast, nullptr, hooks).lone_expr(expr);
}

std::string print_type(const Ast& ast, TypeId type) { return Printer(ast, nullptr, {}).lone_type(type); }

}  // namespace tessera::frontend
