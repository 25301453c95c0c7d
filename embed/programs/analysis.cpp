#include "tessera/analysis.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "embed/host/convert.hpp"
#include "embed/plans/plan_impl.hpp"
#include "embed/programs/analysis_names.hpp"
#include "embed/programs/program_facts.hpp"
#include "embed/session/session_impl.hpp"
#include "embed/session/used_files.hpp"
#include "frontend/parse.hpp"
#include "synth/layout/mesh.hpp"
#include "typeck/check.hpp"
#include "typeck/elaborate/operation_names.hpp"
#include "typeck/typed/walk.hpp"

namespace tessera {

namespace {

using embed::NamesOfText;
using embed::Texts;

// Plans of texts that were there before may be of use again, but memory is bounded.
constexpr std::size_t kPlansMax = 4096;

TextRange range_of(base::Span span) { return {span.begin, span.end}; }

TextToken::Kind kind_of(frontend::TokenKind kind) {
  if (kind == frontend::TokenKind::comment) return TextToken::Kind::comment;
  if (kind == frontend::TokenKind::string || kind == frontend::TokenKind::open_string) return TextToken::Kind::string;
  switch (frontend::role(kind)) {
    case frontend::TokenRole::statement:
    case frontend::TokenRole::keyword: return TextToken::Kind::keyword;
    case frontend::TokenRole::element: return TextToken::Kind::element;
    case frontend::TokenRole::word: return TextToken::Kind::word;
    case frontend::TokenRole::literal: return TextToken::Kind::number;
    case frontend::TokenRole::bad: return TextToken::Kind::bad;
    case frontend::TokenRole::open:
    case frontend::TokenRole::close:
    case frontend::TokenRole::mark:
    case frontend::TokenRole::comparison:
    case frontend::TokenRole::binary:
    case frontend::TokenRole::prefix:
    case frontend::TokenRole::space: return TextToken::Kind::sign;
  }
  return TextToken::Kind::sign;
}

std::vector<TextToken> tokens_of(const std::vector<frontend::Token>& read) {
  std::vector<TextToken> tokens;
  for (const frontend::Token& token : read) {
    if (token.kind != frontend::TokenKind::newline) tokens.push_back({kind_of(token.kind), {token.begin, token.end}});
  }
  return tokens;
}

// Types by the expression, or the name, that has them.
class TypesByPlace {
 public:
  TypesByPlace(const typeck::Typed& typed, base::SourceId source) : typed_(typed), source_(source) {
    const std::function<void(const typeck::Node&)> visit = [this](const typeck::Node& node) { add(node); };
    typeck::Walk walk(typed, visit);
    for (const typeck::TypedStatement& statement : typed.statements) walk.region(statement.region);
    for (std::uint32_t k = 0; k < typed.instances.size(); ++k) {
      for (const typeck::NodeId id : typed.instances[typeck::InstanceId{k}].parameters) add_type(typed.nodes[id]);
    }
  }

  void add(const synth::ArrayType& type, base::Span span) {
    if (span.source != source_) return;
    TypedRange& entry = by_range_[range_of(span)];
    entry.range = range_of(span);
    std::string text = typeck::describe_type(type, typed_.after, typed_.after.now());
    if (entry.types.empty()) entry.placement = embed::placement(type);
    if (std::find(entry.types.begin(), entry.types.end(), text) == entry.types.end())
      entry.types.push_back(std::move(text));
  }

  const TypedRange* find(TextRange range) const {
    const auto found = by_range_.find(range);
    return found == by_range_.end() ? nullptr : &found->second;
  }

  std::vector<TypedRange> take() {
    std::vector<TypedRange> all;
    for (auto& [range, entry] : by_range_) all.push_back(std::move(entry));
    return all;
  }

 private:
  // An expression may be computed in several steps; the last gives its value. In a gradient it is computed again.
  void add(const typeck::Node& node) {
    if (node.pass != synth::Pass::none) return;
    if (const auto* moved = std::get_if<typeck::Redistribute>(&node.body)) {
      if (moved->why.inserted()) return;
    }
    if (const auto* loop = std::get_if<typeck::Loop>(&node.body)) {
      for (const typeck::NodeId id : loop->parameters) add_type(typed_.nodes[id]);
    }
    add_type(node);
  }

  void add_type(const typeck::Node& node) {
    if (node.types.size() == 1) add(node.types[0], node.span);
  }

  const typeck::Typed& typed_;
  base::SourceId source_;
  std::map<TextRange, TypedRange> by_range_;
};

// Says of the names what only the checked program knows.
void tell_types(NamesOfText& found, const typeck::Typed& typed, const TypesByPlace& types, const frontend::Ast& ast) {
  std::map<TextRange, const typeck::Bound*> bound;
  for (const typeck::TypedStatement& statement : typed.statements) {
    for (const typeck::Bound& one : statement.bound) bound[range_of(one.span)] = &one;
  }
  for (std::size_t number = 0; number < found.names.size(); ++number) {
    TextName& name = found.names[number];
    if (name.definition != number) continue;
    const auto top = bound.find(name.range);
    const auto value = found.values.find(number);
    const TypedRange* typed_range = types.find(name.range);
    if (typed_range == nullptr && value != found.values.end())
      typed_range = types.find(range_of(ast[value->second].span));
    if (top != bound.end()) {
      const synth::ArrayType& type = typed.type(top->second->node);
      name.types = {typeck::describe_type(type, typed.after, typed.after.now())};
      name.placement = embed::placement(type);
    } else if (typed_range != nullptr) {
      name.types = typed_range->types;
      if (name.types.size() == 1) name.placement = typed_range->placement;
    }
    const typeck::Variable* const variable = typed.after.variable(name.name, typed.after.now());
    const bool is_same = variable != nullptr && range_of(variable->span) == name.range;
    name.is_constant = name.role == TextName::Role::extent || (is_same && variable->known.has_value());
  }
}

void tell_meshes(NamesOfText& found, const typeck::Environment& after) {
  for (const std::size_t number : found.meshes) {
    TextName& name = found.names[number];
    const typeck::NamedMesh* const mesh = after.mesh(name.name, after.now());
    if (mesh == nullptr || range_of(mesh->span) != name.range) continue;
    name.mesh = synth::print(*mesh->mesh);
    name.size = mesh->mesh->devices();
    for (const synth::MeshAxis& axis : mesh->mesh->axes()) {
      for (TextName& other : found.names) {
        const bool is_its = other.role == TextName::Role::axis && other.statement == name.statement;
        if (is_its && other.name == axis.name) other.size = axis.size;
      }
    }
  }
}

std::vector<UntypedLet> untyped_lets(const NamesOfText& found, const typeck::Typed& typed, const frontend::Ast& ast) {
  std::vector<UntypedLet> all;
  for (const auto& [number, statement] : found.lets) {
    const auto type = typed.let_types.find(statement);
    if (std::get<frontend::Let>(ast[statement].node).type || type == typed.let_types.end()) continue;
    all.push_back({found.names[number].range, type->second});
  }
  return all;
}

}  // namespace

struct Analyst::Impl {
  explicit Impl(Config given) : config(std::move(given)), plans(embed::to_machine(config.machine)) {}

  Result<Analysis> analyse(std::string_view text, std::string_view name, base::StopToken stop);
  void add_facts(Analysis& analysis, const Texts& texts, base::SourceId source, const typeck::Typed& typed,
                 NamesOfText found) const;

  Config config;
  synth::PlanCache plans;
};

void Analyst::Impl::add_facts(Analysis& analysis, const Texts& texts, base::SourceId source, const typeck::Typed& typed,
                              NamesOfText found) const {
  const frontend::Ast& ast = *typed.ast;
  TypesByPlace types(typed, source);
  tell_types(found, typed, types, ast);
  tell_meshes(found, typed.after);
  analysis.untyped_lets = untyped_lets(found, typed, ast);
  for (const auto& [expr, type] : typed.inserted_as)
    analysis.unwritten_moves.push_back({range_of(ast[expr].span), type});
  for (std::size_t number = 0; number < typed.statements.size(); ++number) {
    const typeck::Region& region = typed.statements[number].region;
    for (const typeck::Redistribute* one : typeck::redistributions(typed, region)) {
      if (one->why.asked_at.source != source) continue;
      analysis.moves.push_back({range_of(one->why.asked_at), embed::to_public(texts, *one, number, plans.machine())});
    }
    for (const typeck::Node* one : typeck::parts_moved(typed, region)) {
      if (one->span.source == source)
        analysis.parts_moved.push_back({range_of(one->span), embed::to_public(texts, typed, *one, number)});
    }
  }
  analysis.types = types.take();
  analysis.names = std::move(found.names);
  analysis.statements = std::move(found.statements);
  analysis.parts = std::move(found.parts);
}

Result<Analysis> Analyst::Impl::analyse(std::string_view text, std::string_view name, base::StopToken stop) {
  if (plans.size() > kPlansMax) plans = synth::PlanCache(plans.machine());
  Analysis analysis;
  Texts texts;
  const auto fail = [&](const base::Diagnostics& why) {
    analysis.failed = true;
    analysis.diagnostics = embed::to_public(texts, why);
    return analysis;
  };
  const base::SourceId source = texts.add(std::string(name), std::string(text));
  auto read = frontend::parse_partly(texts.sources, source, stop, typeck::operation_names);
  if (stop.asked()) return embed::failure(base::make(base::Kind::interrupted));
  if (!read) return fail(read.errors());
  analysis.tokens = tokens_of(read->tokens);
  auto options = embed::check_options(config, texts, stop);
  if (!options) return fail(options.errors());
  const auto ast = std::make_shared<const frontend::Ast>(std::move(read->ast));
  auto used = embed::used_files(*ast, texts, config, stop, embed::reader_of(config));
  if (!used) return fail(used.errors());
  options->used = std::move(*used);
  auto checked = typeck::check_partly(ast, texts.sources, {}, plans, *options);
  if (stop.asked()) return embed::failure(base::make(base::Kind::interrupted));
  if (!checked) return embed::to_public(texts, checked.errors());
  analysis.failed = checked->failed || !read->errors.empty();
  analysis.diagnostics = embed::to_public(texts, read->errors.empty() ? checked->diagnostics : read->errors);
  NamesOfText found = embed::names_of(*ast, static_cast<std::uint32_t>(text.size()));
  add_facts(analysis, texts, source, checked->typed, std::move(found));
  return analysis;
}

Analyst::Analyst(Config config) : impl_(std::make_unique<Impl>(std::move(config))) {}
Analyst::Analyst(Analyst&&) noexcept = default;
Analyst& Analyst::operator=(Analyst&&) noexcept = default;
Analyst::~Analyst() = default;

Result<Analysis> Analyst::analyse(std::string_view text, std::string_view name, const std::optional<StopToken>& stop) {
  return embed::safely([&]() -> Result<Analysis> {
    try {
      return impl_->analyse(text, name, embed::token_of(stop));
    } catch (const base::Interrupted&) {
      return embed::failure(base::make(base::Kind::interrupted));
    }
  });
}

}  // namespace tessera
