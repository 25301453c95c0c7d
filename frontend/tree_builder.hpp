// The parser's tree to ours. Private to parse.cpp, the door to ANTLR: nothing else includes it.
// Example: of `let y = -a.w[0]` comes a Let of a negation (bytes 8 to 15) of an Index (9 to 15) of a FieldOf (9 to 12).
#pragma once

#include <antlr4-runtime.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontend/ast.hpp"
#include "frontend/effect_forms.hpp"
#include "frontend/explain.hpp"
#include "frontend/kinds.hpp"
#include "frontend/literal.hpp"
#include "frontend/syntax.hpp"
#include "frontend/text.hpp"
#include "frontend/tree_words.hpp"

namespace tessera::frontend {

class TreeBuilder : TreeWords {
 public:
  TreeBuilder(std::string_view text, Ast& ast) : TreeWords(text, ast) {}

  std::optional<base::Diagnostic> error() { return first_error_.take(); }

  void read(Goal goal, Parser& parser) {
    switch (goal) {
      case Goal::statement: return ast_.program.push_back(statement(parser.statementAlone()->statement()));
      case Goal::type: return static_cast<void>(type(parser.typeAlone()->arrayType()));
      case Goal::mesh: return ast_.program.push_back(lone_mesh(parser.meshAlone()));
    }
  }

 private:
  // -- Statements
  StatementId add(antlr4::ParserRuleContext* c, decltype(Statement::node) node) {
    return ast_.statements.add(Statement{span(c), std::move(node)});
  }

  StatementId statement(Parser::StatementContext* c) {
    if (auto* mesh = c->meshStatement()) return mesh_statement(mesh);
    if (auto* fn = c->fnStatement()) return fn_statement(fn);
    if (auto* plan = c->planStatement()) return add(c, PlanStatement{expression(plan->expression())});
    if (auto* use = c->useStatement()) return add(c, Use{string(use->path), span(use->path), use->MESH() != nullptr});
    if (c->expression() == nullptr) return block_statement(c);
    auto* branch = alone<Parser::IfExpressionContext>(c->expression());
    if (branch != nullptr && !has_value(branch) && is_effect(branch)) return if_statement(branch);
    return add(c, ExprStatement{expression(c->expression())});
  }

  // Builds a statement that may stand in a block as well as at the top level.
  template <class Context>
  StatementId block_statement(Context* c) {
    if (auto* let = c->letStatement()) return let_statement(let);
    if (auto* print = c->printStatement()) return add(c, Print{expressions(print->expression())});
    if (auto* show = c->showStatement()) return add(c, Show{expression(show->expression())});
    if (auto* save = c->saveStatement()) return save_statement(save);
    return assert_statement(c->assertStatement());
  }

  StatementId mesh_statement(Parser::MeshStatementContext* c) {
    MeshStatement mesh{name(c->name()), mesh_axes(c->meshAxes()->meshAxis()), on_devices(c->onDevices()), {}};
    mesh.place = place(c->place());
    return add(c, std::move(mesh));
  }
  StatementId lone_mesh(Parser::MeshAloneContext* c) {
    auto* lone = c->loneAxes();
    auto axes = lone != nullptr ? mesh_axes(lone->loneAxis()) : mesh_axes(c->meshAxes()->meshAxis());
    auto* at = lone != nullptr ? static_cast<antlr4::ParserRuleContext*>(lone) : c->meshAxes();
    return add(at, MeshStatement{{"m", span(at)}, std::move(axes), on_devices(c->onDevices()), place(c->place())});
  }
  std::optional<Placement> place(Parser::PlaceContext* c) {
    if (c == nullptr) return std::nullopt;
    const auto words = c->name();
    if (name(words[0]).text != "place") {
      first_error_.add(no_placement("the end of the mesh", "`" + name(words[0]).text + "`", span(words[0])));
    } else if (words.size() > 1 && name(words[1]).text != "auto") {
      first_error_.add(no_placement("`auto` or `[`", "`" + name(words[1]).text + "`", span(words[1])));
    }
    Placement place{{}, span(c)};
    for (auto* row : c->placeRow()) place.rows.push_back(expressions(row->expression()));
    return place;
  }
  std::optional<OnDevices> on_devices(Parser::OnDevicesContext* c) {
    if (c == nullptr) return std::nullopt;
    OnDevices on{{}, span(c)};
    for (auto* range : c->deviceRange())
      on.ranges.push_back({expression(range->expression(0)), expression(range->expression(1))});
    return on;
  }
  ExprId size_of(Parser::MeshAxisContext* c) { return expression(c->expression()); }
  ExprId size_of(Parser::LoneAxisContext* c) { return arithmetic(c->arithmetic()); }
  template <class Axis>
  std::vector<MeshAxis> mesh_axes(const std::vector<Axis*>& written) {
    std::vector<MeshAxis> axes;
    for (Axis* axis : written) {
      axes.push_back({name(axis->name()), size_of(axis), {}});
      for (auto* cut : axis->namedCut()) axes.back().cuts.push_back(named_cut(cut));
    }
    return axes;
  }
  NamedCut named_cut(Parser::NamedCutContext* c) {
    NamedCut cut{name(c->name()), {}, span(c)};
    for (auto* weight : c->expression()) cut.weights.push_back(expression(weight));
    return cut;
  }

  StatementId let_statement(Parser::LetStatementContext* c) {
    Let let{names(c->name()), std::nullopt, {}};
    if (c->type() != nullptr) let.type = type(c->type());
    let.value = expression(c->expression());
    return add(c, std::move(let));
  }

  StatementId fn_statement(Parser::FnStatementContext* c) {
    Fn fn{name(c->name()), {}, {}, {}, c->block() == nullptr};
    fn.chosen = word(c->AUTO());
    if (auto* parameters = c->parameters()) {
      for (auto* p : parameters->parameter()) fn.parameters.push_back(parameter(p));
    }
    if (auto* results = c->results()) {
      for (auto* result : results->result()) {
        fn.results.push_back(type(result->type()));
        fn.results_as.push_back(result->name() == nullptr ? std::nullopt : std::optional(name(result->name())));
      }
    }
    if (auto* axes = c->chosenAxes()) fn.over = names(axes->name());
    if (fn.body_is_expression) {
      const ExprId result = expression(c->expression());
      fn.body = ast_.blocks.add(Block{{}, result, span(c->expression())});
    } else {
      fn.body = block(c->block());
    }
    return add(c, std::move(fn));
  }

  Parameter parameter(Parser::ParameterContext* c) { return {name(c->name()), type(c->type()), word(c->AUTO())}; }

  StatementId save_statement(Parser::SaveStatementContext* c) {
    Save save{expression(c->expression()), string(c->path), span(c->path), c->start->getType() == Parser::SAVE_SHARDS};
    if (c->keyword != nullptr && is_keyword(c->keyword, "name")) save.array = string(c->array);
    if (save.array) save.array_span = base::join(span(c->keyword), span(c->array));
    return add(c, std::move(save));
  }

  StatementId assert_statement(Parser::AssertStatementContext* c) {
    Assert assertion{expression(c->expression()), std::nullopt};
    if (c->STRING() != nullptr) assertion.message = string(c->STRING()->getSymbol());
    return add(c, std::move(assertion));
  }

  BlockId block(Parser::BlockContext* c) {
    Block block{{}, {}, span(c)};
    const auto items = c->blockItem();
    for (std::size_t k = 0; k < items.size(); ++k) {
      auto* item = items[k];
      const bool last = k + 1 == items.size();
      if (item->expression() == nullptr) {
        block.statements.push_back(block_statement(item));
      } else if (last) {
        block.result = expression(item->expression());
      } else {
        block.statements.push_back(effect(item));
      }
    }
    if (!block.result.valid()) {
      first_error_.add(without_value(span(c->stop)));
      block.result = add(span(c->stop), BoolLiteral{});
    }
    return ast_.blocks.add(std::move(block));
  }

  // An expression before the last item of a block has to be a call, a loop, or an `if` whose blocks are statements.
  StatementId effect(Parser::BlockItemContext* c) {
    auto* branch = alone<Parser::IfExpressionContext>(c->expression());
    if (branch != nullptr && is_effect(branch)) return if_statement(branch);
    const ExprId value = expression(c->expression());
    const auto& node = ast_[value].node;
    const bool may_do_something = std::holds_alternative<Call>(node) || std::holds_alternative<Loop>(node);
    if (!may_do_something) first_error_.add(value_before_the_end(span(c)));
    return add(c, ExprStatement{value});
  }

  // -- `if` in the place of a statement

  StatementId if_statement(Parser::IfExpressionContext* c) {
    const auto blocks = c->block();
    IfStatement branch{expression(c->expression()), effects(blocks[0]), std::nullopt};
    if (auto* nested = c->ifExpression()) {
      const StatementId only = if_statement(nested);
      branch.else_block = ast_.blocks.add(Block{{only}, {}, span(nested)});
    } else if (blocks.size() == 2) {
      branch.else_block = effects(blocks[1]);
    }
    return add(c, branch);
  }

  BlockId effects(Parser::BlockContext* c) {
    Block block{{}, {}, span(c)};
    for (auto* item : c->blockItem()) {
      const bool alone = item->expression() == nullptr;
      block.statements.push_back(alone ? block_statement(item) : effect(item));
    }
    return ast_.blocks.add(std::move(block));
  }

  // -- Types

  // The id is taken before those of types inside, in extents: the outermost comes first.
  TypeId type(Parser::TypeContext* c) {
    return c->recordType() != nullptr ? record_type(c->recordType()) : type(c->arrayType());
  }
  TypeId type(Parser::ArrayTypeContext* c) { return fill(c, c->element(), c->shape(), c->layout()); }
  TypeId type(Parser::NewTypeContext* c) {
    return c->recordType() != nullptr ? record_type(c->recordType()) : fill(c, c->element(), c->shape(), c->layout());
  }

  TypeId record_type(Parser::RecordTypeContext* c) {
    const TypeId id = ast_.types.add(TypeExpr{});
    TypeExpr type;
    type.span = span(c);
    for (auto* field : c->typeField()) type.fields.push_back({name(field->name()), this->type(field->type())});
    ast_.types[id] = std::move(type);
    return id;
  }

  TypeId fill(antlr4::ParserRuleContext* c, Parser::ElementContext* element_context, Parser::ShapeContext* shape,
              Parser::LayoutContext* layout) {
    const TypeId id = ast_.types.add(TypeExpr{});
    TypeExpr type;
    type.span = span(c);
    if (element_context != nullptr) {
      type.element = element(element_context);
      type.element_span = span(element_context);
    }
    type.has_shape = shape != nullptr;
    if (shape != nullptr) {
      type.any_shape = shape->SPREAD() != nullptr;
      for (auto* d : shape->dimension()) type.dimensions.push_back(dimension(d));
    }
    if (auto* p = layout->pending()) type.pending = pending(p);
    type.any_layout = layout->QUESTION() != nullptr;
    if (layout->name() != nullptr) type.mesh = name(layout->name());
    ast_.types[id] = std::move(type);
    return id;
  }

  ElementKeyword element(Parser::ElementContext* c) const { return known(element_keyword(text(c))); }

  Dimension dimension(Parser::DimensionContext* c) {
    Dimension dimension;
    dimension.span = span(c);
    auto* extent = c->extent();
    dimension.from_file = extent->UNDERSCORE() != nullptr;
    if (extent->INT() != nullptr) dimension.extent = integer(extent->INT()->getSymbol());
    if (extent->word() != nullptr) dimension.extent = add(span(extent), NameRef{std::string(text(extent))});
    if (extent->expression() != nullptr) dimension.extent = parenthesised(extent->expression(), span(extent));
    if (c->axes() == nullptr) return dimension;
    for (auto* axis : c->axes()->axis()) {
      dimension.axes.push_back({name(axis->name(0)), std::nullopt});
      if (axis->cut != nullptr) dimension.axes.back().cut = name(axis->cut);
    }
    return dimension;
  }

  Pending pending(Parser::PendingContext* c) {
    const PendingKind by_sign = c->STAR() != nullptr ? PendingKind::product : PendingKind::sum;
    const PendingKind kind = c->MIN() != nullptr ? PendingKind::min : by_sign;
    return {c->MAX() != nullptr ? PendingKind::max : kind, names(c->name()), span(c)};
  }

  // -- Expressions

  ExprId add(Span where, decltype(Expr::node) node) { return ast_.exprs.add(Expr{where, false, std::move(node)}); }

  std::vector<ExprId> expressions(const std::vector<Parser::ExpressionContext*>& contexts) {
    std::vector<ExprId> ids;
    for (auto* c : contexts) ids.push_back(expression(c));
    return ids;
  }

  ExprId parenthesised(Parser::ExpressionContext* c, Span where) {
    const ExprId id = expression(c);
    ast_.exprs[id].parenthesised = true;
    ast_.exprs[id].span = where;
    return id;
  }

  ExprId expression(Parser::ExpressionContext* c) {
    ExprId id = condition(c->condition());
    for (auto* step : c->restatement()) {
      if (step->newType() == nullptr) {
        id = add(join(span(c->condition()), span(step)), With{id, replacements(step)});
        continue;
      }
      As as{id, type(step->newType()), std::nullopt, {}};
      if (auto* size = step->size()) {
        as.within_bytes = first_error_.worth(size_value(text(size), span(size)));
        as.within_span = span(size);
      }
      id = add(join(span(c->condition()), span(step)), as);
    }
    return id;
  }

  std::vector<Replacement> replacements(Parser::RestatementContext* c) {
    std::vector<Replacement> all;
    for (auto* one : c->replacement())
      all.push_back({subscripts(one->subscripts()), span(one->subscripts()), condition(one->condition())});
    return all;
  }

  ExprId condition(Parser::ConditionContext* c) {
    if (c->op == nullptr) return comparison(c->comparison());
    if (c->operand != nullptr) return add(span(c), Unary{UnaryOp::logical_not, condition(c->operand)});
    const ExprId left = condition(c->left);
    return binary(span(c), left, c->op, condition(c->right));
  }

  ExprId comparison(Parser::ComparisonContext* c) {
    const ExprId left = arithmetic(c->left);
    if (c->op == nullptr) return left;
    return binary(span(c), left, c->op, arithmetic(c->right));
  }

  ExprId arithmetic(Parser::ArithmeticContext* c) {
    if (c->left != nullptr) {
      const ExprId left = arithmetic(c->left);
      return binary(span(c), left, c->op, arithmetic(c->right));
    }
    if (c->operand == nullptr) return indexed(c);
    const UnaryOp op = known(unary_op(text(c->op)));
    const bool least = op == UnaryOp::negate && is_least_integer(text(c->operand));  // alone it does not fit
    const IntLiteral bare{kLeastInteger, has_groups(text(c->operand))};
    return add(span(c), Unary{op, least ? add(span(c->operand), bare) : arithmetic(c->operand)});
  }

  ExprId binary(Span where, ExprId left, antlr4::Token* op, ExprId right) {
    return add(where, Binary{known(binary_op(text(op))), span(op), left, right});
  }

  ExprId indexed(Parser::ArithmeticContext* c) {
    ExprId id = c->atom() != nullptr ? atom(c->atom()) : compound(c->compound());
    for (auto* child : c->children) {
      if (auto* field = dynamic_cast<Parser::MemberContext*>(child))
        id = add(span(c->start, field->stop), FieldOf{id, name(field->name())});
      auto* brackets = dynamic_cast<Parser::SubscriptsContext*>(child);
      if (brackets == nullptr) continue;
      if (std::holds_alternative<Tuple>(ast_[id].node)) first_error_.add(indexed_tuple(span(brackets)));
      id = add(span(c->start, brackets->stop), Index{id, subscripts(brackets)});
    }
    return id;
  }

  std::vector<Subscript> subscripts(Parser::SubscriptsContext* c) {
    std::vector<Subscript> all;
    for (auto* s : c->subscript()) all.push_back(subscript(s));
    return all;
  }

  Subscript subscript(Parser::SubscriptContext* c) {
    Subscript subscript;
    subscript.span = span(c);
    if (c->range != nullptr) subscript.kind = Subscript::Kind::range;
    if (c->start != nullptr) subscript.start = expression(c->start);
    if (c->stop != nullptr) subscript.stop = expression(c->stop);
    if (c->step != nullptr) subscript.step = expression(c->step);
    return subscript;
  }

  ExprId atom(Parser::AtomContext* c) {
    if (c->gradient() != nullptr) return gradient(c->gradient());
    if (c->name() != nullptr) return name_or_call(c);
    if (c->element() != nullptr)
      return add(span(c), Cast{element(c->element()), span(c->element()), expression(c->expression())});
    if (c->record() != nullptr) return record(c->record());
    if (c->list() != nullptr) return add(span(c), ListLiteral{expressions(c->list()->expression())});
    if (c->parentheses() != nullptr) return tuple_or_group(c->parentheses());
    auto* token = c->start;
    switch (token->getType()) {
      case Parser::INT: return integer(token);
      case Parser::FLOAT:
        return add(span(c), FloatLiteral{first_error_.worth(real_value(text(c), span(c))), std::string(text(c))});
      case Parser::IMAGINARY:
        return add(span(c), FloatLiteral{first_error_.worth(real_value(text(c).substr(0, text(c).size() - 1), span(c))),
                                         std::string(text(c)), true});
      case Parser::STRING: return add(span(c), StringLiteral{string(token)});
      default: return add(span(c), BoolLiteral{token->getType() == Parser::TRUE});
    }
  }

  ExprId record(Parser::RecordContext* c) {
    Record record{c->base == nullptr ? ExprId{} : expression(c->base), {}};
    for (auto* field : c->recordField())
      record.fields.push_back({name(field->name()), expression(field->expression())});
    return add(span(c), std::move(record));
  }

  ExprId name_or_call(Parser::AtomContext* c) {
    Name callee = name(c->name());
    if (c->arguments() == nullptr) return add(span(c), NameRef{std::move(callee.text)});
    return add(span(c), Call{std::move(callee), arguments(c->arguments())});
  }

  ExprId gradient(Parser::GradientContext* c) {
    Gradient gradient{name(c->function), std::nullopt, {}, span(c->start, c->RIGHT_PAREN()->getSymbol())};
    if (c->keyword != nullptr && is_keyword(c->keyword, "wrt")) gradient.wrt = names(c->wrt()->name());
    gradient.arguments = arguments(c->arguments());
    return add(span(c), std::move(gradient));
  }

  std::vector<Argument> arguments(Parser::ArgumentsContext* c) {
    std::vector<Argument> all;
    for (auto* a : c->argument()) all.push_back(argument(a));
    return all;
  }

  Argument argument(Parser::ArgumentContext* c) {
    Argument argument{std::nullopt, ExprId{}, span(c)};
    if (c->name() != nullptr) argument.name = name(c->name());
    if (c->arrayType() != nullptr) argument.value = type(c->arrayType());
    if (c->expression() != nullptr) argument.value = expression(c->expression());
    return argument;
  }

  ExprId tuple_or_group(Parser::ParenthesesContext* c) {
    const auto items = c->expression();
    if (items.size() == 1) return parenthesised(items[0], span(c));
    return add(span(c), Tuple{expressions(items)});
  }

  ExprId compound(Parser::CompoundContext* c) {
    if (c->ifExpression() != nullptr) return if_expression(c->ifExpression());
    if (c->loopExpression() != nullptr) return loop_expression(c->loopExpression());
    if (c->pipelineExpression() != nullptr) return pipeline_expression(c->pipelineExpression());
    if (auto* scan = c->scanExpression()) return add(span(scan), counted(scan, &Loop::is_scan));
    const BlockId body = block(c->block());
    if (c->LOCAL() != nullptr) return add(span(c), Local{body});
    if (c->AGAIN() != nullptr) return add(span(c), Again{body});
    return add(span(c), BlockExpr{body});
  }

  ExprId if_expression(Parser::IfExpressionContext* c) {
    const auto blocks = c->block();
    If branch{expression(c->expression()), block(blocks[0]), {}};
    if (auto* nested = c->ifExpression()) {
      branch.else_block = ast_.blocks.add(Block{{}, if_expression(nested), span(nested)});
    } else if (blocks.size() == 2) {
      branch.else_block = block(blocks[1]);
    } else {
      first_error_.add(if_without_else(span(c->start)));
      branch.else_block = branch.then_block;
    }
    return add(span(c), branch);
  }

  std::vector<Carried> all_carried(const std::vector<Parser::CarriedContext*>& contexts) {
    std::vector<Carried> all;
    for (auto* carried : contexts) all.push_back({name(carried->name()), expression(carried->expression())});
    return all;
  }
  ExprId loop_expression(Parser::LoopExpressionContext* c) {
    Loop loop{all_carried(c->carried()), std::nullopt, {}, {}};
    if (c->index != nullptr) loop.index = name(c->index);
    loop.is_unrolled = c->CONST() != nullptr;
    if (c->bound != nullptr) loop.bound = expression(c->bound);
    if (c->during != nullptr) loop.condition = expression(c->during);
    if (c->limited != nullptr) {
      if (text(c->limited) != "max") first_error_.add(no_limit("`" + name(c->limited).text + "`", span(c->limited)));
      loop.limit = expression(c->limit);
    }
    loop.body = block(c->block());
    return add(span(c), std::move(loop));
  }
  template <class Context>
  Loop counted(Context* c, bool Loop::* form) {
    if (const auto unrolled = word(c->CONST())) first_error_.add(no_unrolling(*unrolled));
    Loop loop{all_carried(c->carried()), name(c->name()), expression(c->expression()), block(c->block())};
    loop.*form = true;
    return loop;
  }
  ExprId pipeline_expression(Parser::PipelineExpressionContext* c) {
    Loop loop = counted(c, &Loop::is_pipeline);
    if (auto* by = c->STRING()) loop.schedule = ScheduleName{string(by->getSymbol()), span(by->getSymbol())};
    return add(span(c), std::move(loop));
  }

  ExprId integer(antlr4::Token* t) {
    return add(span(t), IntLiteral{first_error_.worth(integer_value(text(t), span(t))), has_groups(text(t))});
  }
};

}  // namespace tessera::frontend
