#include "embed/read_types.hpp"

#include <utility>
#include <variant>

#include "frontend/kinds.hpp"
#include "frontend/parse.hpp"

namespace tessera::embed {

namespace {

// A text that does not parse is the command's fault, unless it can be read and is only too large to be represented.
Diagnostics unreadable(const Texts& texts, const base::Diagnostics& errors) {
  Diagnostics result = to_public(texts, errors);
  for (Diagnostic& diagnostic : result) {
    const bool too_large = diagnostic.slug == frontend::Kind::number_too_large.slug;
    if (diagnostic.blame == Blame::program && !too_large) diagnostic.blame = Blame::command;
  }
  return result;
}

}  // namespace

Result<ReadMesh> read_mesh(const std::string& text, const Machine& machine) {
  Texts texts;
  auto ast = frontend::parse_mesh(texts.sources, texts.add("mesh", text));
  if (!ast) return unreadable(texts, ast.errors());
  auto mesh = typeck::check_mesh(*ast, to_machine(machine));
  if (!mesh) return to_public(texts, mesh.errors());
  const auto& statement = std::get<frontend::MeshStatement>((*ast)[ast->program.at(0)].node);
  return ReadMesh{*mesh, statement.place && statement.place->rows.empty()};
}

Result<synth::ArrayType> read_type(const char* name, const std::string& text, const synth::MeshRef& mesh) {
  Texts texts;
  auto ast = frontend::parse_type(texts.sources, texts.add(name, text));
  if (!ast) return unreadable(texts, ast.errors());
  auto type = typeck::check_type(*ast, mesh);
  if (!type) return to_public(texts, type.errors());
  return *type;
}

}  // namespace tessera::embed

namespace tessera {

Result<std::int64_t> parse_size(std::string_view text) {
  return embed::safely([&]() -> Result<std::int64_t> {
    embed::Texts texts;
    auto size = frontend::parse_size(texts.sources, texts.add("within", std::string(text)));
    if (!size) return embed::unreadable(texts, size.errors());
    return *size;
  });
}

}  // namespace tessera
