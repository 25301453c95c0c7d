#include "embed/plans/read_types.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "embed/kinds.hpp"
#include "frontend/kinds.hpp"
#include "frontend/parse.hpp"
#include "synth/kinds.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "typeck/check.hpp"

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

// The items of the longest list of a text: outside of all brackets, in one pair of them, and in one inside another.
struct LongestLists {
  std::size_t outside = 1;
  std::size_t inside = 1;
  std::size_t innermost = 1;
};

LongestLists longest_lists(std::string_view text) {
  LongestLists longest;
  std::vector<std::size_t> open{1};  // the items so far of every list that has begun and not ended
  for (const char c : text) {
    if (c == '(' || c == '[' || c == '{') open.push_back(1);
    if (open.size() > 1 && (c == ')' || c == ']' || c == '}')) open.pop_back();
    if (c == ',') ++open.back();
    std::size_t& known = open.size() == 1 ? longest.outside : (open.size() == 2 ? longest.inside : longest.innermost);
    known = std::max(known, open.back());
  }
  return longest;
}

// What is far too long is refused before it is parsed, which takes a second for tens of thousands of items; a little
// more than there may be is left to the checks that know where it stands.
constexpr std::size_t kFarTooMany = 1000;

std::optional<base::Diagnostic> too_long_for_a_mesh(const std::string& text) {
  const LongestLists longest = longest_lists(text);
  if (longest.outside > kFarTooMany) return base::make(synth::Kind::mesh_axes_too_many, longest.outside);
  if (std::max(longest.inside, longest.innermost) <= static_cast<std::size_t>(synth::kDevicesMax)) return std::nullopt;
  return base::make(embed::Kind::bad_call,
                    "a list of the mesh has more than 65,536 items, the most devices there may be");
}

std::optional<base::Diagnostic> too_long_for_a_type(const std::string& text) {
  const LongestLists dimensions = longest_lists(std::string_view(text).substr(0, text.find('{')));
  if (dimensions.inside > kFarTooMany) return base::make(synth::Kind::rank_too_large, dimensions.inside);
  const LongestLists longest = longest_lists(text);
  if (std::max({longest.outside, longest.inside, longest.innermost}) <= kFarTooMany) return std::nullopt;
  return base::make(embed::Kind::bad_call, "a list of the type has more than 1,000 items");
}

}  // namespace

Result<ReadMesh> read_mesh(const std::string& text, const Machine& machine) {
  if (auto why = too_long_for_a_mesh(text)) return failure(std::move(*why));
  Texts texts;
  auto ast = frontend::parse_mesh(texts.sources, texts.add("mesh", text));
  if (!ast) return unreadable(texts, ast.errors());
  auto mesh = typeck::check_mesh(*ast, to_machine(machine));
  if (!mesh) return to_public(texts, mesh.errors());
  const auto& statement = std::get<frontend::MeshStatement>((*ast)[ast->program.at(0)].node);
  return ReadMesh{*mesh, statement.place && statement.place->rows.empty()};
}

Result<synth::ArrayType> read_type(const char* name, const std::string& text, const synth::MeshRef& mesh) {
  if (auto why = too_long_for_a_type(text)) return failure(std::move(*why));
  Texts texts;
  // Parts of axes, `x:(1)2`, are written by plans and by `convert`; programs have no words for them.
  if (text.find(":(") != std::string::npos) {
    auto type = synth::parse_array_type(text, mesh);
    if (!type) return to_public(texts, type.errors());
    return *type;
  }
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
