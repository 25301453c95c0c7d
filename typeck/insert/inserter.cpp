// The inserter's infrastructure: the run over a program, values, nodes, types.
#include "typeck/insert/inserter.hpp"

#include <algorithm>

#include "typeck/insert/insertion.hpp"
#include "typeck/insert/way_back.hpp"
#include "typeck/placement/requests.hpp"

namespace tessera::typeck {

namespace {

// Are values of functions computed again elsewhere? They lie there as in the functions.
bool enters_functions(const open::Program& program) {
  return std::ranges::any_of(program.nodes.items(),
                             [](const open::Node& node) { return std::holds_alternative<open::Enter>(node.body); });
}

// The bodies of unrolled loops in the text, the outermost ones, in order.
std::vector<base::Span> unrolled_bodies(const frontend::Ast& ast) {
  std::vector<base::Span> all;
  for (const frontend::Expr& expr : ast.exprs.items()) {
    const auto* loop = std::get_if<frontend::Loop>(&expr.node);
    if (loop != nullptr && loop->is_unrolled) all.push_back(ast[loop->body].span);
  }
  std::ranges::sort(all, {}, &base::Span::begin);
  std::uint32_t end = 0;
  std::erase_if(all, [&](const base::Span& one) { return std::exchange(end, std::max(end, one.end)) > one.begin; });
  return all;
}

// What stands in the body of an unrolled loop is made anew in every turn, perhaps in other layouts: read again, the
// text says by itself what is inserted.
void forget_unrolled(const frontend::Ast& ast, std::map<frontend::ExprId, std::string>& inserted) {
  const std::vector<base::Span> bodies = unrolled_bodies(ast);
  std::erase_if(inserted, [&](const auto& one) {
    const base::Span own = ast[one.first].span;
    const auto behind = std::ranges::upper_bound(bodies, own.begin, {}, &base::Span::begin);
    return behind != bodies.begin() && own.begin < std::prev(behind)->end;
  });
}

}  // namespace

Inserter::Inserter(const open::Program& program, const base::SourceMap& sources, Environment& environment,
                   synth::PlanCache& plans, const CheckOptions& options, Messages& messages, Assignment* given)
    : ClosedValues(program, environment, plans, options, messages),
      sources_(sources),
      given_(given),
      is_given_(given != nullptr) {
  typed_.ast = program.ast;
  typed_.literals = program.literals;
  typed_.strings = program.strings;
  if (given_ == nullptr && options.text_after == Stage::assign) given_ = &assignment_;
  if (given_ != nullptr) top_.layouts = &given_->program();
  if (given_ == nullptr && enters_functions(program)) given_ = &assignment_;
}

Typed Inserter::run() {
  for (const open::Statement& open_statement : program_.statements) {
    TypedStatement closed = statement(open_statement);
    for (const open::Bound& bound : open_statement.bound) {
      const std::vector<NodeId>* const nodes = nodes_of(bound.value);
      if (nodes == nullptr) continue;
      bound.type.lay_out(type(nodes->at(0)));
      closed.bound.push_back({bound.name, bound.span, nodes->at(0), bound.slot});
    }
    const auto* const shown = open_statement.shown.has_value() ? nodes_of(*open_statement.shown) : nullptr;
    if (shown != nullptr) closed.shown = shown->at(0);
    typed_.statements.push_back(std::move(closed));
  }
  note_lets(program_.lets, top_);
  typed_.inserted_as = std::move(top_.inserted_as);
  typed_.let_types = std::move(top_.let_types);
  for (auto& [function, bodies] : printed_) {
    if (bodies.size() != 1) continue;
    typed_.inserted_as.merge(bodies.front().inserted_as);
    typed_.let_types.merge(bodies.front().let_types);
  }
  if (!typed_.inserted_as.empty()) forget_unrolled(*typed_.ast, typed_.inserted_as);
  return std::move(typed_);
}

TypedStatement Inserter::statement(const open::Statement& statement) {
  statement_ = statement.span;
  moment_ = statement.moment;
  reports_.at_moment(moment_);
  Region made_region;
  in_region(made_region, [&] {
    region(statement.region);
    return true;
  });
  return {statement.span, std::move(made_region), {}, {}};
}

std::optional<double> Inserter::seconds(double most) {
  constexpr double kRounding = 1 + 1e-9;  // sums are taken in another order than those of the whole program
  plans_.only_price();
  MovedSoFar moved(typed_);
  for (const open::Statement& open_statement : program_.statements) {
    moved.add(statement(open_statement));
    if (messages_.failed() || moved.seconds() > most * kRounding) return std::nullopt;
  }
  return moved.seconds();
}

void Inserter::note_lets(const std::vector<open::Let>& lets, Body& body) {
  for (const open::Let& let : lets) {
    const std::vector<NodeId>* const own = body.values.find(let.value);
    const std::vector<NodeId>* const nodes = own != nullptr ? own : nodes_of(let.value);
    if (nodes != nullptr) body.let_types[let.statement] = print_type(type(nodes->at(0)), environment_, let.moment);
  }
}

std::string Inserter::type_text(const Messages::Asked& asked) const {
  if (asked.written.has_value()) {
    const auto& [type, written] = *asked.written;
    auto layout = Layout::make(type.mesh(), written.splits, written.pending, written.reduce);
    auto array = layout.ok() ? ArrayType::make(type.element(), type.shape(), type.mesh_ref(), *layout)
                             : ArrayType::replicated(type.element(), type.shape(), type.mesh_ref());
    return array.ok() ? describe_type(*array, environment_, asked.moment) : std::string();
  }
  if (const auto known = asked_types_.find(asked.value); known != asked_types_.end())
    return describe_type(known->second, environment_, asked.moment);
  const open::Node& node = program_.nodes[asked.value];
  if (const auto* input = std::get_if<open::Input>(&node.body))
    return describe_type(environment_.variable(input->name, input->moment)->type, environment_, asked.moment);
  const open::Type& type = node.types.at(0);
  auto array = ArrayType::replicated(type.element(), type.shape(), type.mesh_ref());
  return array.ok() ? describe_type(*array, environment_, asked.moment) : std::string();
}

// ---- Values

std::optional<std::vector<Held>> Inserter::held(const std::vector<open::Use>& uses) {
  std::vector<Held> all;
  for (const open::Use& use : uses) {
    MaybeHeld value = held(use);
    if (!value.has_value()) return std::nullopt;
    all.push_back(std::move(*value));
  }
  return all;
}

void Inserter::region(const open::Region& nodes) {
  for (const open::ValueId id : nodes.order) insert(id);
}

Want Inserter::want_of(const open::Node& node) {
  const bool is_like = node.wish.has_value() && node.wish->as_that.valid();
  return is_like ? want_splits(type(nodes_of(node.wish->as_that)->at(0))) : typeck::want_of(node);
}

BodyLayouts* Inserter::layouts_of(open::InstanceId callee, const std::vector<ArrayType>& types) {
  if (given_ == nullptr) return nullptr;
  BodyLayouts* const known = given_->find(callee, types);
  TESSERA_CHECK(known != nullptr || !is_given_, "a function has no layouts for its arguments");
  return known != nullptr ? known : &given_->add(callee, types);
}

void Inserter::insert(open::ValueId, const open::Node&, const open::Parameter&) {
  TESSERA_CHECK(false, "a parameter is not computed");
}

void Inserter::insert(open::ValueId, const open::Node&, const open::Input&) {
  TESSERA_CHECK(false, "an input is not computed");
}

Insertion::Insertion(const open::Program& program, const base::SourceMap& sources, Environment& environment,
                     synth::PlanCache& plans, const CheckOptions& options, Messages& messages)
    : inserter_(std::make_unique<Inserter>(program, sources, environment, plans, options, messages)) {}

Insertion::~Insertion() = default;

Typed Insertion::run() { return inserter_->run(); }

Typed Insertion::priced() {
  inserter_->only_price();
  return inserter_->run();
}

std::optional<double> Insertion::seconds(double most) { return inserter_->seconds(most); }

std::string Insertion::type_text(const Messages::Asked& asked) const { return inserter_->type_text(asked); }

std::string Insertion::assignment_text() const { return print(inserter_->assignment()); }

}  // namespace tessera::typeck
