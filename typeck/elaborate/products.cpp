// einsum, take, one_hot.
#include <fmt/format.h>

#include <algorithm>

#include "synth/kinds.hpp"
#include "typeck/elaborate/fold.hpp"
#include "typeck/elaborate/table.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

namespace {

struct EinsumText {
  std::vector<std::string> operands;
  std::string result;
};

// `ij,jk->ik`; without an arrow the result is the letters that stand once, in alphabetical order, as NumPy has it.
std::optional<EinsumText> read_einsum(OperationCall& call, std::string written) {
  const auto wrong = [&](const std::string& what) {
    call.elaborator.report(base::make(Kind::bad_einsum, what).at(call.span_of(0)).suggest("write it as \"ij,jk->ik\""));
    return std::nullopt;
  };
  written.erase(std::remove(written.begin(), written.end(), ' '), written.end());
  const auto arrow = written.find("->");
  const std::string left = written.substr(0, arrow);
  EinsumText text{{""}, arrow == std::string::npos ? "" : written.substr(arrow + 2)};
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (const char c : left) {
    if (c == ',') {
      text.operands.emplace_back();
    } else if (is_letter(c)) {
      text.operands.back() += c;
    } else {
      return wrong(fmt::format("`{}` is not an index", c));
    }
  }
  if (!std::all_of(text.result.begin(), text.result.end(), is_letter))
    return wrong(fmt::format("`{}` is not a list of indices", text.result));
  if (arrow == std::string::npos) {
    std::string letters = left;
    std::erase(letters, ',');
    std::sort(letters.begin(), letters.end());
    std::copy_if(letters.begin(), letters.end(), std::back_inserter(text.result),
                 [&](char c) { return std::count(letters.begin(), letters.end(), c) == 1; });
  }
  for (const char c : text.result) {
    if (std::count(text.result.begin(), text.result.end(), c) > 1)
      return wrong(fmt::format("the index {} appears twice in the result", c));
    if (left.find(c) == std::string::npos) return wrong(fmt::format("the index {} of the result is in no operand", c));
  }
  return text;
}

}  // namespace

MaybeValue run_einsum(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const auto written = call.text(0);
  const auto parts = call.rest_in_ranges(1);
  const auto text = written.has_value() ? read_einsum(call, *written) : std::nullopt;
  if (!text.has_value() || !parts.has_value()) return std::nullopt;
  std::vector<Checked> values;
  for (const RangedPart& part : *parts) values.push_back(part.value);
  const auto wrong = [&](const std::string& what) {
    elaborator.report(base::make(Kind::bad_einsum, what).at(call.span));
    return std::nullopt;
  };
  if (text->operands.size() != values.size())
    return wrong(fmt::format("{} operands are written, but {} are given", text->operands.size(), values.size()));
  std::string letters;
  std::map<char, std::int64_t> extents;
  std::vector<std::vector<int>> indices;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const open::Type own = elaborator.type(values[k]);
    if (own.rank() != text->operands[k].size())
      return wrong(fmt::format("operand {} has rank {}, but `{}` has {} indices", k + 1, own.rank(), text->operands[k],
                               text->operands[k].size()));
    if (own.element() == ElementType::boolean) return wrong("bool has no products; cast to i64 first");
    if (synth::is_complex(own.element()) && values.size() > 2)
      return wrong("complex arrays are multiplied two at a time; take the first two, then the next");
    const ElementType first = elaborator.element(values.front());
    const ElementType element = synth::computed_as(own.element());
    if (element != first) {
      elaborator.report(base::make(Kind::element_mismatch, "`einsum`", synth::name(first), synth::name(element))
                            .at(call.span)
                            .also(values[k].span, elaborator.text(values[k]))
                            .suggest(cast_help(first, elaborator.text(values.front().span), element,
                                               elaborator.text(values[k].span))));
      return std::nullopt;
    }
    std::vector<int> dimensions;
    for (std::size_t d = 0; d < own.rank(); ++d) {
      const char letter = text->operands[k][d];
      const auto [at, fresh] = extents.emplace(letter, own.shape()[d]);
      if (!fresh && at->second != own.shape()[d])
        return wrong(
            fmt::format("the index {} is {} in one place and {} in another", letter, at->second, own.shape()[d]));
      if (letters.find(letter) == std::string::npos) letters += letter;
      dimensions.push_back(static_cast<int>(letters.find(letter)));
    }
    indices.push_back(std::move(dimensions));
  }
  std::vector<int> result;
  for (const char letter : text->result) result.push_back(static_cast<int>(letters.find(letter)));
  std::vector<std::string> names;
  for (const char letter : letters) names.emplace_back(1, letter);
  const auto inside = contracted_ranges(elaborator, call.span, "`einsum`", *parts, indices, result);
  if (!inside.has_value()) return std::nullopt;
  return elaborator.index_wise().contract(call.span, *inside, indices, result, "`einsum`", std::move(names));
}

namespace {

bool integer_ids(OperationCall& call, const Checked& ids) {
  return call.wants_element(ids, synth::is_integer(call.elaborator.element(ids)), "ids are integers: i64(...)");
}

}  // namespace

MaybeValue run_take(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const MaybeValue table = call.array(0);
  const MaybeValue ids = call.array(1);
  if (!table.has_value() || !ids.has_value() || !integer_ids(call, *ids)) return std::nullopt;
  const open::Type rows = elaborator.type(*table);
  const open::Type where = elaborator.type(*ids);
  if (rows.rank() == 0) {
    elaborator.report(
        base::make(Kind::rank_mismatch, "`take`", "a table of at least one dimension", "none").at(table->span));
    return std::nullopt;
  }
  if (rows.rank() - 1 + where.rank() > synth::kRankMax) {
    elaborator.report(base::make(synth::Kind::rank_too_large, rows.rank() - 1 + where.rank()).at(call.span));
    return std::nullopt;
  }
  Shape shape = where.shape();
  for (std::size_t d = 1; d < rows.rank(); ++d) shape.push_back(rows.shape()[d]);
  std::vector<Checked> operands = {*table, elaborator.index_wise().widened(*ids)};
  if (!elaborator.unify_meshes(operands, call.span)) return std::nullopt;
  const auto result = elaborator.made(call.span, rows.element(), shape, elaborator.type(operands.front()).mesh_ref());
  if (!result.has_value()) return std::nullopt;
  return elaborator.compute_as_wished(call.span, *result, synth::Operation(synth::Take{}), operands, call.quoted());
}

MaybeValue run_one_hot(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const MaybeValue ids = call.array(0);
  const auto count = call.integer(1);
  if (!ids.has_value() || !count.has_value() || !integer_ids(call, *ids)) return std::nullopt;
  const Checked whole = elaborator.finished(elaborator.index_wise().widened(*ids), call.quoted(), call.span);
  const open::Type own = elaborator.type(whole);
  Shape shape = own.shape();
  if (shape.size() == synth::kRankMax) {
    elaborator.report(base::make(synth::Kind::rank_too_large, shape.size() + 1).at(call.span));
    return std::nullopt;
  }
  shape.push_back(*count);
  const auto result = elaborator.made(call.span, ElementType::f32, shape, own.mesh_ref());
  if (!result.has_value()) return std::nullopt;
  return elaborator.compute(call.span, *result, synth::Operation(synth::OneHot{}), {whole}, call.quoted());
}

}  // namespace tessera::typeck
