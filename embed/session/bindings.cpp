#include "embed/session/bindings.hpp"

#include <utility>

#include "embed/host/convert.hpp"

namespace tessera::embed {

Binding binding(const Texts& texts, std::string name, std::string type, base::Span span,
                const synth::ArrayType& placed) {
  Binding result{std::move(name), std::move(type), 0, 0, placement(placed), 0};
  if (!span.known()) return result;
  const base::Position position = texts.sources[span.source].position(span.begin);
  result.line = position.line + texts.first_line(span.source) - 1;
  result.column = position.column;
  return result;
}

std::vector<Binding> bindings_of(const Texts& texts, const typeck::Typed& typed) {
  std::vector<Binding> result;
  for (std::size_t number = 0; number < typed.statements.size(); ++number) {
    for (const typeck::Bound& bound : typed.statements[number].bound) {
      const synth::ArrayType& type = typed.type(bound.node);
      const std::string text = typeck::describe_type(type, typed.after, typed.after.now());
      result.push_back(binding(texts, bound.name, text, bound.span, type));
      result.back().statement = static_cast<std::uint32_t>(number);
    }
  }
  return result;
}

std::vector<Place> shown_in(const Texts& texts, const typeck::Typed& typed) {
  std::vector<Place> result;
  for (const typeck::TypedStatement& statement : typed.statements) {
    if (statement.shown) result.push_back(place(texts, statement.span));
  }
  return result;
}

std::vector<Declaration> declared_in(const frontend::Ast& ast) {
  std::vector<Declaration> result;
  for (const frontend::StatementId id : ast.program) {
    if (const auto* mesh = std::get_if<frontend::MeshStatement>(&ast[id].node)) {
      result.push_back({Declaration::Kind::mesh, mesh->name.text});
    } else if (const auto* fn = std::get_if<frontend::Fn>(&ast[id].node)) {
      result.push_back({Declaration::Kind::function, fn->name.text});
    }
  }
  return result;
}

}  // namespace tessera::embed
