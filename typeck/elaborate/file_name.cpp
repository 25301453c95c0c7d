// Names of files, and of strings.
#include <fmt/format.h>

#include "frontend/token.hpp"
#include "synth/program/stored_path.hpp"
#include "synth/program/type_rules.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/typed/file_name.hpp"

namespace tessera::typeck {

// The integer that a name in braces stands for; digits where it is known when the program is checked.
std::optional<std::variant<std::string, Checked>> Names::file_name_part(const std::string& name, Span span) {
  if (!frontend::is_name(name)) {
    const std::string help = fmt::format("braces hold one name: `let n = {}` before it, then `{{n}}`", name);
    elaborator_.report(base::make(Kind::unknown_name, name).at(span).suggest(help));
    return std::nullopt;
  }
  if (auto text = named_text(name)) return std::move(*text);
  MaybeValue number = named_value(name, span, {});
  if (!number.has_value()) return std::nullopt;
  if (const auto known = elaborator_.known_integer(*number)) return std::to_string(*known);
  if (synth::is_integer(elaborator_.type(*number).element()))
    number = elaborator_.index_wise().cast_to(span, *number, ElementType::i64);
  if (number.has_value()) number = elaborator_.scalar_of(*number, ElementType::i64, "an integer in a file's name");
  if (!number.has_value()) return std::nullopt;
  return std::move(*number);
}

namespace {

// `name=` is there exactly where the file holds several arrays.
std::optional<Diagnostic> wrong_holder(const std::string& who, const WrittenFile& written, const std::string& form) {
  const bool is_named = synth::stored_name(form).has_value();
  if (written.array && (!is_named || who == "save_shards")) {
    const std::string_view why = is_named ? "it writes a .npy file for each device"
                                          : "only a .safetensors file, its index or a .npz archive has names of arrays";
    return base::make(Kind::wrong_arguments, who, why).at(written.array_span).suggest("leave `name=` out");
  }
  if (written.array || (!is_named && !synth::holder_of(form))) return std::nullopt;
  const std::string_view help = who == "load"   ? "say which one: `load(\"model.safetensors\", T, name=\"w\")`"
                                : who == "save" ? "say which one: `save(a, \"model.safetensors\", name=\"w\")`"
                                                : "it writes a .npy file for each device: `save_shards(a, \"w\")`";
  return base::make(Kind::wrong_arguments, who, std::string_view("the file holds several arrays"))
      .at(written.span)
      .suggest(std::string(help));
}

}  // namespace

std::optional<FileName> Names::file_name(const std::string& who, const WrittenFile& written) {
  const std::string whole = written.array ? synth::path_of(written.path, *written.array) : written.path;
  const auto pieces = file_name_pieces(whole);
  if (!pieces.has_value()) {
    elaborator_.report(
        base::make(Kind::wrong_arguments, who, "braces in a file's name hold the name of a string or an integer")
            .at(written.span)
            .suggest("write it as in \"step{i}.npy\"; a brace itself is written twice"));
    return std::nullopt;
  }
  FileName made;
  std::string plain;
  for (const FileNamePiece& piece : *pieces) {
    std::variant<std::string, Checked> part = piece.text;
    if (piece.is_name) {
      auto value = file_name_part(piece.text, written.span);
      if (!value.has_value()) return std::nullopt;
      part = std::move(*value);
    }
    if (const auto* text = std::get_if<std::string>(&part)) {
      plain += *text;
      made.form += with_braces_doubled(*text);
    } else {
      made.form += "{}";
      made.numbers.push_back(std::get<Checked>(part));
    }
  }
  if (made.numbers.empty()) made.form = std::move(plain);
  if (auto wrong = wrong_holder(who, written, made.form)) {
    elaborator_.report(std::move(*wrong));
    return std::nullopt;
  }
  return made;
}

// ---- Names of strings

std::optional<std::string> Names::named_text(std::string_view name) const {
  for (auto at = elaborator_.frame().locals.rbegin(); at != elaborator_.frame().locals.rend(); ++at) {
    if (at->name == name) return at->text;
  }
  const NamedText* bound = elaborator_.environment().text(name, elaborator_.seen());
  return bound == nullptr ? elaborator_.statements().used_files().text_of(name) : std::optional(bound->text);
}

std::optional<std::string> Names::text_of(ExprId id) const {
  const auto& node = elaborator_.ast()[id].node;
  if (const auto* literal = std::get_if<frontend::StringLiteral>(&node)) return literal->value;
  if (const auto* name = std::get_if<frontend::NameRef>(&node)) return named_text(name->name);
  return std::nullopt;
}

namespace {

// A shell leaves the quotes of `--define path='"b.npy"'`, as a program has them, where they are.
std::string without_quotes(const std::string& text) {
  const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return quoted && text.find('"', 1) == text.size() - 1 ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

// `let dir = "out"`, in whose place --define gives other letters.
bool Names::check_let_text(const frontend::Let& let) {
  if (let.names.size() != 1 || let.type.has_value()) return false;
  auto text = text_of(let.value);
  if (!text.has_value()) return false;
  const frontend::Name& name = let.names[0];
  if (!elaborator_.frame().binds_globally()) {
    elaborator_.frame().locals.push_back({name.text, std::nullopt, std::move(text)});
    return true;
  }
  if (const auto define = elaborator_.options().defines.find(name.text);
      define != elaborator_.options().defines.end()) {
    defines_used_.insert(name.text);
    text = without_quotes(define->second);
  }
  poisoned_.erase(name.text);
  const auto hidden = elaborator_.environment().bind(NamedText{name.text, std::move(*text), name.span});
  if (hidden.has_value()) hidden_slots_.insert(*hidden);
  return true;
}

}  // namespace tessera::typeck
