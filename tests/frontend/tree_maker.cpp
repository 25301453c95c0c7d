#include "tests/frontend/tree_maker.hpp"

#include <optional>
#include <utility>

namespace tessera::frontend::testing {

namespace {

constexpr std::size_t kDepthMax = 12;

const std::vector<std::string> kNames = {
    "a", "b", "x", "max", "min", "_", "größe", "漢字", "_1", "lets", "a_name_that_is_long"};
const std::vector<std::string> kFloats = {"1.0", "2.5", "1.", ".5", "1e-3", "1_0.0_1E+2", "0.0", "1e-999", "3e5"};
const std::vector<std::int64_t> kIntegers = {0, 1, 2, 16, 1000, 65536, 9223372036854775807};
constexpr std::int64_t kLeastOfTwoGroups = 1000;
const std::vector<std::string> kStrings = {
    "", "a", "\"\\\n\t", "é", "# no comment", std::string("\0", 1), "\x7F\xE2\x80\xAE", "{"};

}  // namespace

Ast TreeMaker::program() {
  while (draw_(5) != 0) ast_.program.push_back(statement());
  return std::move(ast_);
}

Name TreeMaker::name() { return {one_of(kNames), {}}; }
std::string TreeMaker::text() { return one_of(kStrings); }
IntLiteral TreeMaker::integer() {
  const std::int64_t value = one_of(kIntegers);
  return {value, value >= kLeastOfTwoGroups && draw_(2) == 1};
}

StatementId TreeMaker::statement() {
  switch (draw_(11)) {
    case 0: return add(ExprStatement{expr()});
    case 1: return add(let());
    case 2: return add(fn());
    case 3: return add(Print{some([&] { return expr(); })});
    case 4: return add(Show{expr()});
    case 5: return add(PlanStatement{expr()});
    case 6: {
      const ExprId value = expr();
      std::string path = text();
      const bool shards = draw_(2) == 1;
      return add(Save{value, std::move(path), {}, shards, draw_(3) == 0 ? std::optional(text()) : std::nullopt, {}});
    }
    case 7:
    case 8: return in_block(Where::alone);
    case 9: return add(Use{text(), {}, draw_(2) == 1});
    default: return add(MeshStatement{name(), some([&] { return mesh_axis(); }), on_devices(), placement()});
  }
}

StatementId TreeMaker::in_block(Where where) {
  const auto choice = draw_(6);
  if (choice < 2) return add(let());
  if (choice == 2) return add(ExprStatement{add(call())});
  if (choice == 5) return if_statement(where);
  const ExprId condition = expr();
  return add(Assert{condition, draw_(2) == 0 ? std::nullopt : std::optional(text())});
}

// Neither empty nor of values; an `else` that holds one `if` alone is an `else if`. Where it stands alone, an `if`
// whose blocks all end in calls is an expression: there the first block ends in an assertion.
StatementId TreeMaker::if_statement(Where where) {
  const auto statements = [&] { return some([&] { return in_block(); }); };
  const auto block = [&] { return ast_.blocks.add({statements(), {}, {}}); };
  const ExprId condition = expr();
  auto first = statements();
  if (where == Where::alone) first.push_back(add(Assert{expr(), std::nullopt}));
  const BlockId then_block = ast_.blocks.add({std::move(first), {}, {}});
  return add(IfStatement{condition, then_block, draw_(2) == 0 ? std::nullopt : std::optional(block())});
}

Let TreeMaker::let() {
  if (draw_(4) == 3) return {at_least_two([&] { return name(); }), std::nullopt, expr()};
  Let let{{name()}, std::nullopt, {}};
  if (draw_(3) == 2) let.type = any_type();
  let.value = expr();
  return let;
}

Fn TreeMaker::fn() {
  Fn fn{name(), {}, {}, {}, draw_(2) == 0};
  const auto sometimes = [&] { return draw_(4) == 0 ? std::optional(Span{}) : std::nullopt; };
  fn.chosen = sometimes();
  if (draw_(4) != 0) fn.parameters = some([&] { return Parameter{name(), any_type(), sometimes()}; });
  if (draw_(2) == 0) fn.results = some([&] { return any_type(); });
  for (std::size_t k = 0; k < fn.results.size(); ++k)
    fn.results_as.push_back(draw_(4) == 0 ? std::optional(name()) : std::nullopt);
  if (draw_(4) == 0) fn.over = some([&] { return name(); });
  fn.body = fn.body_is_expression ? ast_.blocks.add({{}, expr(), {}}) : block();
  return fn;
}

BlockId TreeMaker::block() {
  Block block;
  while (draw_(3) == 2) block.statements.push_back(in_block());
  block.result = expr();
  return ast_.blocks.add(std::move(block));
}

TypeId TreeMaker::type(Element element) {
  TypeExpr type;
  type.has_shape = draw_(3) != 0;
  const bool lacks = element == Element::may_lack && type.has_shape && draw_(2) == 0;
  if (!lacks) type.element = static_cast<ElementKeyword>(draw_(12));
  type.any_shape = type.has_shape && draw_(9) == 8;
  if (type.has_shape && !type.any_shape && draw_(5) != 0) type.dimensions = some([&] { return dimension(); });
  if (draw_(4) == 3) {
    type.pending = Pending{static_cast<PendingKind>(draw_(4)), some([&] { return name(); }), {}};
  } else {
    type.any_layout = draw_(6) == 5;
  }
  if (draw_(4) == 3) type.mesh = name();
  return ast_.types.add(std::move(type));
}

TypeId TreeMaker::any_type() {
  if (draw_(6) != 5) return type();
  TypeExpr record;
  record.fields = some([&] { return TypeField{name(), type()}; });
  return ast_.types.add(std::move(record));
}

AxisUse TreeMaker::axis_use() {
  AxisUse use{name(), std::nullopt};
  if (draw_(4) == 3) use.cut = name();
  return use;
}

MeshAxis TreeMaker::mesh_axis() {
  MeshAxis axis{name(), expr(), {}};
  if (draw_(4) == 3) axis.cuts = some([&] { return NamedCut{name(), some([&] { return expr(); }), {}}; });
  return axis;
}

std::optional<Placement> TreeMaker::placement() {
  const auto row = [&] { return some([&] { return expr(); }); };
  switch (draw_(4)) {
    case 0: return Placement{{}, {}};
    case 1: return Placement{some(row), {}};
    default: return std::nullopt;
  }
}

std::optional<OnDevices> TreeMaker::on_devices() {
  if (draw_(3) > 0) return std::nullopt;
  return OnDevices{some([&] { return DeviceRange{expr(), expr()}; }), {}};
}

Dimension TreeMaker::dimension() {
  Dimension dimension;
  dimension.from_file = draw_(6) == 5;
  if (!dimension.from_file) dimension.extent = draw_(3) == 2 ? expr() : add(integer());
  if (draw_(2) == 1) dimension.axes = some([&] { return axis_use(); });
  return dimension;
}

ExprId TreeMaker::expr() {
  if (left_ == 0 || depth_ >= kDepthMax || draw_(3) == 0) return atom();
  --left_;
  ++depth_;
  const auto choice = draw_(4);
  const ExprId id = choice < 2 ? operation() : choice == 2 ? compound() : indexed();
  --depth_;
  return id;
}

ExprId TreeMaker::atom() {
  switch (draw_(5)) {
    case 0: return add(NameRef{name().text});
    case 1: return add(integer());
    case 2: {
      const std::string& text = one_of(kFloats);
      std::string digits = text;
      std::erase(digits, '_');
      return add(FloatLiteral{std::stod(digits == "1e-999" ? "0" : digits), text});
    }
    case 3: return add(BoolLiteral{draw_(2) == 1});
    default: return add(StringLiteral{text()});
  }
}

ExprId TreeMaker::operation() {
  switch (draw_(9)) {
    case 0: return add(Unary{UnaryOp::negate, expr()});
    case 1: return add(Unary{UnaryOp::logical_not, expr()});
    case 2: {
      const ExprId operand = expr();
      const TypeId to = type(Element::may_lack);
      return add(As{operand, to, draw_(3) == 2 ? std::optional(one_of(kIntegers)) : std::nullopt, {}});
    }
    case 3: return with();
    case 4: return add(Unary{UnaryOp::bit_not, expr()});
    default: {
      const ExprId left = expr();
      return add(Binary{static_cast<BinaryOp>(draw_(20)), {}, left, expr()});
    }
  }
}

ExprId TreeMaker::with() {
  const ExprId base = expr();
  return add(With{base, some([&] { return Replacement{some([&] { return subscript(); }), {}, expr()}; })});
}

Call TreeMaker::call() {
  return {name(), draw_(5) == 0 ? std::vector<Argument>{} : some([&] { return argument(); })};
}

ExprId TreeMaker::compound() {
  switch (draw_(12)) {
    case 0: return add(ListLiteral{draw_(5) == 0 ? std::vector<ExprId>{} : some([&] { return expr(); })});
    case 1: return add(call());
    case 2: return add(Cast{static_cast<ElementKeyword>(draw_(12)), {}, expr()});
    case 3: return add(Tuple{at_least_two([&] { return expr(); })});
    case 4: {
      const ExprId condition = expr();
      const BlockId then_block = block();
      return add(If{condition, then_block, block()});
    }
    case 5: return add(BlockExpr{block()});
    case 6: return add(Local{block()});
    case 7: return add(Again{block()});
    case 8: return gradient();
    case 9: return record();
    case 10: return add(FieldOf{expr(), name()});
    default: return loop();
  }
}

ExprId TreeMaker::record() {
  Record record;
  if (draw_(3) == 0) record.base = expr();
  record.fields = some([&] { return Field{name(), expr()}; });
  return add(std::move(record));
}

ExprId TreeMaker::gradient() {
  Gradient gradient{name(), std::nullopt, {}, {}};
  if (draw_(3) != 0) gradient.wrt = some([&] { return name(); });
  gradient.arguments = some([&] { return argument(); });
  return add(std::move(gradient));
}

ExprId TreeMaker::loop() {
  Loop loop{some([&] { return Carried{name(), expr()}; }), name(), {}, {}};
  loop.bound = expr();
  loop.body = block();
  loop.is_pipeline = draw_(3) == 0;
  loop.is_scan = !loop.is_pipeline && draw_(4) == 0;
  if (!loop.is_pipeline && !loop.is_scan && draw_(2) == 0) loop.condition = expr();
  if (loop.condition.valid() && draw_(2) == 0) {
    loop.index.reset();
    loop.bound = {};
    if (draw_(2) == 0) loop.limit = expr();
  }
  loop.is_unrolled = loop.bound.valid() && !loop.is_pipeline && !loop.is_scan && draw_(3) == 0;
  if (loop.is_pipeline && draw_(2) == 0) loop.schedule = ScheduleName{"eager-1f1b+late", {}};
  return add(std::move(loop));
}

ExprId TreeMaker::indexed() {
  ExprId base = expr();
  if (std::holds_alternative<Tuple>(ast_[base].node)) base = add(Unary{UnaryOp::negate, base});
  return add(Index{base, some([&] { return subscript(); })});
}

Subscript TreeMaker::subscript() {
  Subscript subscript;
  if (draw_(2) == 0) {
    subscript.start = expr();
    return subscript;
  }
  subscript.kind = Subscript::Kind::range;
  if (draw_(2) == 1) subscript.start = expr();
  if (draw_(2) == 1) subscript.stop = expr();
  if (draw_(3) == 1) subscript.step = expr();
  return subscript;
}

Argument TreeMaker::argument() {
  Argument argument{draw_(3) == 2 ? std::optional(name()) : std::nullopt, ExprId{}, {}};
  if (draw_(4) == 3) {
    argument.value = type();
  } else {
    argument.value = expr();
  }
  return argument;
}

}  // namespace tessera::frontend::testing
