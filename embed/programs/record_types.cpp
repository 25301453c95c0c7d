#include "embed/programs/record_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "embed/kinds.hpp"
#include "frontend/parse.hpp"

namespace tessera::embed {

namespace {

using frontend::TypeField;

void add_type(WrittenArrays& all, const frontend::Ast& ast, frontend::TypeId type, const Texts& texts,
              const Function::Part& part) {
  const frontend::TypeExpr& own = ast[type];
  if (own.fields.empty()) {
    all.parts.push_back(part);
    all.types.emplace_back(texts.sources.text(own.span));
    return;
  }
  for (const TypeField& field : own.fields) {
    const std::string path = part.field.empty() ? field.name.text : part.field + "." + field.name.text;
    add_type(all, ast, field.type, texts, {part.of, path});
  }
}

// A record names each field once.
base::Status fields_differ(const std::vector<Function::Part>& parts, std::size_t of) {
  std::vector<std::string> fields;
  for (const Function::Part& part : parts) {
    if (part.of == of) fields.push_back(part.field);
  }
  std::sort(fields.begin(), fields.end());
  const auto twice = std::adjacent_find(fields.begin(), fields.end());
  if (twice == fields.end()) return base::Done{};
  return base::make(
      embed::Kind::bad_call,
      fmt::format("the type of argument {} has two fields `{}`: give one of them another name", of + 1, *twice));
}

// A type alone: the program's, and which it is there. The text around that of a record must not complete what is none.
struct WrittenType {
  frontend::Ast ast;
  frontend::TypeId type;
};
base::Result<WrittenType> read_type_alone(const std::string& text, Texts& texts) {
  constexpr std::string_view kBefore = "let it: ";
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first != std::string::npos && text[first] == '{') {
    const base::SourceId source = texts.add("type", fmt::format("{}{} = 0\n", kBefore, text));
    TESSERA_TRY(ast, frontend::parse(texts.sources, source));
    const auto* const let =
        ast.program.size() == 1 ? std::get_if<frontend::Let>(&ast[ast.program.front()].node) : nullptr;
    const std::size_t end = kBefore.size() + text.find_last_not_of(" \t\n") + 1;
    if (let != nullptr && let->type && ast[*let->type].span.end == end) {
      const frontend::TypeId type = *let->type;
      return WrittenType{std::move(ast), type};
    }
  }
  TESSERA_TRY(ast, frontend::parse_type(texts.sources, texts.add("type", text)));
  return WrittenType{std::move(ast), frontend::TypeId(0)};
}

}  // namespace

void WrittenArrays::add(const frontend::Ast& ast, frontend::TypeId type, const Texts& texts, std::size_t of) {
  add_type(*this, ast, type, texts, {of, {}});
}

base::Result<WrittenArrays> arrays_of_types(const std::vector<std::string>& types, Texts& texts) {
  WrittenArrays all;
  for (std::size_t k = 0; k < types.size(); ++k) {
    TESSERA_TRY(written, read_type_alone(types[k], texts));
    all.add(written.ast, written.type, texts, k);
    const base::Status differ = fields_differ(all.parts, k);
    if (!differ) return differ.errors();
  }
  return all;
}

std::string describe(const Function::Part& part, const std::string& function) {
  const std::string argument = fmt::format("argument {} of `{}`", part.of + 1, function);
  return part.field.empty() ? argument : fmt::format("field `{}` of {}", part.field, argument);
}

}  // namespace tessera::embed
