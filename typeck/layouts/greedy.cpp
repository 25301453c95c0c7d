// An assignment says for every index which axes split it. Worked example: `A[i@x,k] @ B[k@x,j]` on x:4. Index k
// disagrees (A does not split it, B splits it over x). Candidates: A's layout carried over (i@x, k whole, j whole: B is
// gathered), B's (k@x, j whole, i takes A's split less x: whole; A is resharded and the product is left pending over
// x), replication of k. The cheapest in seconds wins, then bytes, then peak, then this order.
#include "typeck/layouts/greedy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "synth/kinds.hpp"
#include "synth/moves/prices/prices.hpp"
#include "typeck/layouts/pending.hpp"

namespace tessera::typeck {

using synth::ArrayType;
using synth::AxisList;
using synth::Layout;

namespace {

std::vector<const ArrayType*> pointers(const std::vector<ArrayType>& types) {
  std::vector<const ArrayType*> all;
  for (const ArrayType& type : types) all.push_back(&type);
  return all;
}

// A constant as a float.
std::optional<double> number_of(const std::optional<KnownScalar>& known) {
  if (!known.has_value() || std::holds_alternative<bool>(*known)) return std::nullopt;
  if (const auto* integer = std::get_if<std::int64_t>(&*known)) return static_cast<double>(*integer);
  return std::get<double>(*known);
}

struct Candidate {
  std::string description;
  synth::IndexSplits splits;
};

// The layouts that an assignment gives an operand and the result.
std::optional<Layout> operand_layout(const Signature& signature, std::size_t operand, const ArrayType& type,
                                     const synth::IndexSplits& splits) {
  std::vector<AxisList> own;
  for (const int index : signature.indices.operands[operand]) {
    own.push_back(index == synth::IndexSignature::kWhole ? AxisList{} : splits[static_cast<std::size_t>(index)]);
  }
  auto layout = Layout::make(type.mesh(), std::move(own), type.layout().pending(), type.layout().reduce());
  if (!layout.ok()) return std::nullopt;
  return std::move(layout).value();
}

// Is the operand split as the assignment says already, in the same words?
bool lies_so(const Signature& signature, std::size_t operand, const ArrayType& type, const synth::IndexSplits& splits) {
  const auto& indices = signature.indices.operands[operand];
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const AxisList& own = type.layout().split(d);
    const bool is_whole = indices[d] == synth::IndexSignature::kWhole;
    if (is_whole ? !own.empty() : own != splits[static_cast<std::size_t>(indices[d])]) return false;
  }
  return true;
}

std::vector<Layout> layouts_of(const std::vector<const ArrayType*>& types) {
  std::vector<Layout> layouts;
  for (const ArrayType* type : types) layouts.push_back(type->layout());
  return layouts;
}

std::optional<Layout> layout_of_result(const Signature& signature, const std::vector<const ArrayType*>& types,
                                       const synth::IndexSplits& splits) {
  return synth::result_layout(signature.indices, types.front()->mesh(), layouts_of(types), splits);
}

std::string describe(const Signature& signature, const synth::Mesh& mesh, const synth::IndexSplits& splits) {
  std::string all;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const std::string name = i < signature.index_names.size() ? signature.index_names[i] : fmt::format("dim {}", i);
    if (!all.empty()) all += ", ";
    all += splits[i].empty() ? name : fmt::format("{}@{}", name, synth::print(mesh, splits[i]));
  }
  return all;
}

std::vector<Candidate> candidates(const Signature& signature, const Problem& problem, const synth::Mesh& mesh,
                                  std::size_t operand_count, const Want& want) {
  std::vector<Candidate> all;
  for (std::size_t k = 0; k < operand_count; ++k) {
    if (!signature.indices.operands[k].empty())
      all.push_back({fmt::format("as operand {} lies", k + 1), problem.carried_from(k)});
  }
  if (want.fits(signature.indices.result.size(), mesh))
    all.push_back({"as the annotation wants", problem.wanted(*want.layout)});
  all.push_back({"disputed dimensions whole", problem.undisputed()});
  for (Candidate& candidate : all) {
    if (want.fits(signature.indices.result.size(), mesh)) problem.split_free(candidate.splits, *want.layout);
  }
  return all;
}

// Prices candidates for one operation.
class Pricing {
 public:
  // The types must outlive the pricing.
  Pricing(Plans& plans, const Signature& signature, std::vector<const ArrayType*> types, const Want& want)
      : plans_(plans), signature_(signature), types_(std::move(types)), want_(want) {}

  // Seconds of all redistributions of operands, plus reaching the wanted layout, plus finishing a sum nobody wants.
  std::optional<Alternative> price(const synth::IndexSplits& splits) const {
    auto begun = brought_together(splits);
    if (!begun.has_value() || !add_afterwards(begun->total, begun->result)) return std::nullopt;
    return std::move(begun->total);
  }

  // The cheapest way to bring the operands together; nothing where there is none.
  std::optional<Alternative> least() const {
    const Problem problem(signature_.indices, types_);
    if (const auto as_they_are = problem.as_they_are()) return price(*as_they_are);
    const auto all = candidates(signature_, problem, types_.front()->mesh(), types_.size(), want_);
    auto found = least_of(problem, all);
    return found.has_value() ? std::optional(std::move(found->second)) : std::nullopt;
  }

  // The first of the cheapest candidates. Those that take too long before their result is laid out are priced no
  // further: what becomes of sums is what takes long to plan.
  std::optional<std::pair<std::size_t, Alternative>> least_of(const Problem& problem,
                                                              const std::vector<Candidate>& all) const {
    std::vector<std::pair<std::size_t, Begun>> begun;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!problem.valid(all[k].splits)) continue;
      if (auto own = brought_together(all[k].splits)) begun.emplace_back(k, std::move(*own));
    }
    std::ranges::stable_sort(begun, {}, [](const auto& one) { return one.second.total.seconds; });
    std::optional<std::pair<std::size_t, Alternative>> best;
    for (auto& [k, own] : begun) {
      if (best.has_value() && own.total.seconds > best->second.seconds) break;
      if (!add_afterwards(own.total, own.result)) continue;
      const bool is_better = !best.has_value() || cheaper(own.total, best->second) ||
                             (!cheaper(best->second, own.total) && k < best->first);
      if (is_better) best = std::pair(k, std::move(own.total));
    }
    return best;
  }

 private:
  // What bringing the operands together takes, and the result then.
  struct Begun {
    Alternative total;
    ArrayType result;
  };
  std::optional<Begun> brought_together(const synth::IndexSplits& splits) const {
    Alternative total;
    for (std::size_t k = 0; k < types_.size(); ++k) {
      const auto layout = operand_layout(signature_, k, *types_[k], splits);
      if (!layout.has_value() || !add_change(total, *types_[k], *layout)) return std::nullopt;
    }
    const auto layout = layout_of_result(signature_, types_, splits);
    if (!layout.has_value()) return std::nullopt;
    auto result = ArrayType::make(signature_.element, signature_.shape, types_.front()->mesh_ref(), *layout);
    if (!result.ok()) return std::nullopt;
    return Begun{std::move(total), std::move(result).value()};
  }

  bool add_change(Alternative& total, const ArrayType& from, const Layout& to) const {
    auto target = from.with_layout(to);
    if (!target.ok()) return false;
    return synth::same_type(from, *target) || add(total, from, *target);
  }

  bool add(Alternative& total, const ArrayType& from, const ArrayType& to) const {
    const auto plan = plans_.price(from, to, signature_.span);
    if (!plan.has_value()) return false;
    add_plan(total, **plan);
    return true;
  }

  bool add_afterwards(Alternative& total, const ArrayType& result) const {
    if (want_.fits(result.rank(), result.mesh())) {
      auto wanted = result.with_layout(*want_.layout);
      return wanted.ok() && (synth::same_type(result, *wanted) || add(total, result, *wanted));
    }
    if (result.layout().pending().empty()) return true;
    std::vector<AxisList> splits = result.layout().splits();
    if (!splits.empty()) {
      splits[0].insert(splits[0].end(), result.layout().pending().begin(), result.layout().pending().end());
    }
    auto finished = Layout::make(result.mesh(), std::move(splits));
    return finished.ok() && add_change(total, result, *finished);
  }

  Plans& plans_;
  const Signature& signature_;
  std::vector<const ArrayType*> types_;
  const Want& want_;
};

// The layout an operand would have if the result were laid out as wanted.
std::optional<Layout> operand_of_wanted(const Signature& signature, std::size_t operand, const ArrayType& type,
                                        const Want& want) {
  if (!signature.indices.index_wise || !want.fits(signature.indices.result.size(), type.mesh()) ||
      !want.layout->pending().empty())
    return std::nullopt;
  std::vector<AxisList> splits;
  for (const int index : signature.indices.operands[operand]) {
    const auto found = std::find(signature.indices.result.begin(), signature.indices.result.end(), index);
    const bool carried = index != synth::IndexSignature::kWhole && found != signature.indices.result.end();
    splits.push_back(carried ? want.layout->split(static_cast<std::size_t>(found - signature.indices.result.begin()))
                             : AxisList{});
  }
  auto layout = Layout::make(type.mesh(), std::move(splits));
  if (!layout.ok()) return std::nullopt;
  return std::move(layout).value();
}

// The operand's layout with what is pending finished where it is.
std::optional<Layout> whole_sum(const ArrayType& type) {
  auto layout = Layout::make(type.mesh(), type.layout().splits());
  TESSERA_CHECK(layout.ok(), "the splits of a type are no layout");
  return std::move(layout).value();
}

// A pending operand's layout with the splits of another one; nothing where there is none, or none for this operand.
std::optional<Layout> split_like(const Signature& signature, const std::vector<ArrayType>& types, std::size_t operand,
                                 std::size_t like) {
  if (!is_pending(types[operand]) || is_pending(types[like])) return std::nullopt;
  std::vector<AxisList> splits;
  for (std::size_t d = 0; d < signature.indices.operands[operand].size(); ++d) {
    const int index = signature.indices.operands[operand][d];
    const auto& others = signature.indices.operands[like];
    const auto found = std::find(others.begin(), others.end(), index);
    const bool carried = index != synth::IndexSignature::kWhole && found != others.end();
    splits.push_back(carried ? types[like].layout().split(static_cast<std::size_t>(found - others.begin()))
                             : types[operand].layout().split(d));
  }
  auto layout = Layout::make(types[operand].mesh(), std::move(splits));
  if (!layout.ok()) return std::nullopt;
  return std::move(layout).value();
}

}  // namespace

void add_plan(Alternative& price, const synth::Plan& plan) {
  price.seconds += plan.seconds;
  price.received_bytes += plan.received_bytes_total;
  price.peak_bytes = std::max(price.peak_bytes, plan.peak_bytes);
}

void add_price(Alternative& price, const Alternative& rest) {
  price.seconds += rest.seconds;
  price.received_bytes += rest.received_bytes;
  price.peak_bytes = std::max(price.peak_bytes, rest.peak_bytes);
}

ArrayType widened(const ArrayType& type) {
  auto wide = type.with_element(synth::computed_as(type.element()));
  TESSERA_CHECK(wide.ok(), "an array cannot be widened");
  return std::move(wide).value();
}

void Greedy::change(Changes& way, const ArrayType& from, const ArrayType& to, Reason why) {
  if (from != to) way.push_back({to, std::move(why)});
}

std::optional<NodeLayouts> Greedy::solve(const Signature& signature, const std::vector<Operand>& operands,
                                         const Want& want) {
  NodeLayouts layouts;
  layouts.uses.resize(operands.size());
  std::vector<ArrayType> types;
  for (const Operand& operand : operands) types.push_back(operand.type);
  if (!finish_all(signature, operands, want, types, layouts.uses)) return std::nullopt;
  const Problem problem(signature.indices, pointers(types));
  if (const auto clash = problem.clash()) {
    report_clash(signature, operands, types, clash->first, clash->second);
    return std::nullopt;
  }
  Reason why{Reason::Asker::operation, signature.who, signature.span, {}, {}};
  auto chosen = problem.as_they_are();
  const bool wanted_fits = want.fits(signature.indices.result.size(), types.front().mesh());
  if (chosen.has_value() && wanted_fits) problem.split_free(*chosen, *want.layout);
  if (!chosen.has_value()) chosen = cheapest(signature, problem, types, want, why);
  if (!chosen.has_value()) return std::nullopt;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (lies_so(signature, k, types[k], *chosen)) continue;
    const auto layout = operand_layout(signature, k, types[k], *chosen);
    TESSERA_CHECK(layout.has_value(), "a chosen layout is not valid");
    const auto target = reports_.with_layout(operands[k].span, types[k], *layout);
    if (!target.has_value()) return std::nullopt;
    if (types[k] == *target) continue;
    Reason own = why;
    own.because = operands.size() > 1 ? operands[k == 0 ? 1 : 0].span : want.because;
    change(layouts.uses[k], types[k], *target, std::move(own));
  }
  const auto layout = layout_of_result(signature, pointers(types), *chosen);
  TESSERA_CHECK(layout.has_value(), "a chosen layout gives no result");
  auto result = reports_.made(ArrayType::make(signature.element, signature.shape, types.front().mesh_ref(), *layout),
                              signature.span);
  if (!result.has_value()) return std::nullopt;
  layouts.types.push_back(std::move(*result));
  return layouts;
}

std::optional<ArrayType> Greedy::finish(const Operand& operand, const std::string& who, base::Span asked_at,
                                        const Want* want, Changes& way) {
  const ArrayType& from = operand.type;
  if (from.layout().pending().empty()) return from;
  Layout target = *Layout::make(from.mesh(), from.layout().splits());
  Reason why{Reason::Asker::pending_resolution, who, asked_at, {}, {}};
  if (want != nullptr && want->fits(from.rank(), from.mesh()) && want->layout->pending().empty()) {
    target = *want->layout;
    why.because = want->because;
  }
  auto type = reports_.with_layout(operand.span, from, std::move(target));
  if (type.has_value()) change(way, from, *type, std::move(why));
  return type;
}

// The layouts into which pending operands are finished: the wanted one, where one is known, or their own splits, or of
// an elementwise operation the splits of another operand, whichever is cheaper in the end. Worked example: on data:4,
// `f32[16@data,64]` minus a `f32[16,64]{+data}` is a reduce_scatter, and nothing is left to do.
Greedy::Layouts Greedy::finishing_layouts(const Signature& signature, const std::vector<ArrayType>& types,
                                          const Want& want) {
  Layouts best;
  for (std::size_t k = 0; k < types.size(); ++k) best.push_back(operand_of_wanted(signature, k, types[k], want));
  if (!signature.indices.index_wise || types.size() < 2) return best;
  auto least = finishing_price(signature, types, best, want);
  for (std::size_t like = 0; like < types.size(); ++like) {
    Layouts own;
    for (std::size_t k = 0; k < types.size(); ++k) own.push_back(split_like(signature, types, k, like));
    auto price = finishing_price(signature, types, own, want);
    if (!price.has_value() || (least.has_value() && !cheaper(*price, *least))) continue;
    best = std::move(own);
    least = std::move(price);
  }
  return best;
}

// Prices finishing the pending operands into these layouts, and everything after it.
std::optional<Alternative> Greedy::finishing_price(const Signature& signature, const std::vector<ArrayType>& types,
                                                   const Layouts& layouts, const Want& want) {
  std::vector<ArrayType> finished = types;
  Alternative total;
  for (std::size_t k = 0; k < types.size(); ++k) {
    if (!is_pending(types[k])) continue;
    auto own = layouts[k].has_value() ? layouts[k] : whole_sum(types[k]);
    const auto target = types[k].with_layout(std::move(*own));
    const auto change = target.ok() ? plans_.price(types[k], *target, signature.span) : std::nullopt;
    if (!change.has_value()) return std::nullopt;
    add_plan(total, **change);
    finished[k] = *target;
  }
  if (Problem(signature.indices, pointers(finished)).clash().has_value()) return std::nullopt;
  const auto rest = Pricing(plans_, signature, pointers(finished), want).least();
  if (!rest.has_value()) return std::nullopt;
  add_price(total, *rest);
  return total;
}

// Rule 3: pending operands that do not pass through the operation are finished, into the wanted layout where one is
// known.
bool Greedy::finish_all(const Signature& signature, const std::vector<Operand>& operands, const Want& want,
                        std::vector<ArrayType>& types, std::vector<Changes>& uses) {
  if (std::ranges::none_of(types, is_pending)) return true;
  std::vector<PendingOperand> seen;
  for (const Operand& operand : operands) seen.push_back({&operand.type, number_of(operand.known)});
  if (passes(signature.indices, seen, want.written_pending)) return true;
  const Layouts layouts = finishing_layouts(signature, types, want);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Want for_operand{layouts[k], types[k].mesh_ref(), want.because, {}};
    const auto finished = finish(operands[k], signature.who, signature.span, &for_operand, uses[k]);
    if (!finished.has_value()) return false;
    types[k] = *finished;
  }
  return true;
}

// Rule 2: prices the candidates in order; the first of the cheapest wins.
std::optional<synth::IndexSplits> Greedy::cheapest(const Signature& signature, const Problem& problem,
                                                   const std::vector<ArrayType>& types, const Want& want, Reason& why) {
  const synth::Mesh& mesh = types.front().mesh();
  const Pricing pricing(plans_, signature, pointers(types), want);
  if (plans_.only_prices()) {
    const auto all = candidates(signature, problem, mesh, types.size(), want);
    const auto least = pricing.least_of(problem, all);
    TESSERA_CHECK(least.has_value(), "no layout fits an operation");
    return all[least->first].splits;
  }
  std::optional<std::size_t> best;
  std::optional<synth::IndexSplits> chosen;
  for (const Candidate& candidate : candidates(signature, problem, mesh, types.size(), want)) {
    if (!problem.valid(candidate.splits)) continue;
    auto price = pricing.price(candidate.splits);
    if (!price.has_value()) continue;
    price->description = fmt::format("{}: {}", candidate.description, describe(signature, mesh, candidate.splits));
    if (!best.has_value() || cheaper(*price, why.compared[*best])) {
      best = why.compared.size();
      chosen = candidate.splits;
    }
    why.compared.push_back(std::move(*price));
  }
  if (!best.has_value()) {  // a machine that does not fit the mesh has no prices
    const auto fitting = reports_.made(synth::machine_for(plans_.machine(), mesh.devices_end()), signature.span);
    TESSERA_CHECK(!fitting.has_value(), "no layout fits an operation");
    return std::nullopt;
  }
  why.compared[*best].chosen = true;
  return chosen;
}

namespace {

// The extents and splits of a type, as they are written behind `as`, with one dimension whole.
std::string whole_over(const ArrayType& type, std::size_t dimension) {
  std::vector<AxisList> splits = type.layout().splits();
  splits[dimension].clear();
  const auto layout = Layout::make(type.mesh(), std::move(splits));
  const auto whole = layout.ok() ? type.with_layout(*layout) : base::Result<ArrayType>(type);
  const std::string text = synth::print(whole.ok() ? *whole : type);
  return text.substr(text.find('['));
}

}  // namespace

// `A[i@x,k] @ B[k,j@x]`: both culprits are shown.
void Greedy::report_clash(const Signature& signature, const std::vector<Operand>& operands,
                          const std::vector<ArrayType>& types, std::size_t a, std::size_t b) {
  const auto culprit = [&](std::size_t index) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const auto& dimensions = signature.indices.operands[k];
      const auto found = std::find(dimensions.begin(), dimensions.end(), static_cast<int>(index));
      if (found != dimensions.end()) return std::pair(k, static_cast<std::size_t>(found - dimensions.begin()));
    }
    return std::pair<std::size_t, std::size_t>(0, 0);
  };
  const auto [operand_a, dim_a] = culprit(a);
  const auto [operand_b, dim_b] = culprit(b);
  const ArrayType& type_a = types[operand_a];
  const ArrayType& type_b = types[operand_b];
  AxisList shared;
  for (const synth::AxisPart& part : type_a.layout().split(dim_a)) {
    if (any_overlap({part}, type_b.layout().split(dim_b))) shared.push_back(part);
  }
  const std::string axis = synth::print(type_a.mesh(), {shared.front()});
  const std::size_t result_a = result_dimension(signature.indices, a);
  const std::size_t result_b = result_dimension(signature.indices, b);
  base::Diagnostic diagnostic = base::make(synth::Kind::axis_used_twice, axis);
  diagnostic.message =
      fmt::format("mesh axis `{}` would split two dimensions of the result of {}", axis, signature.who);
  reports_.report(std::move(diagnostic)
                      .at(signature.span)
                      .also(operands[operand_a].span, fmt::format("{}: dimension {} gives the result's dimension {}",
                                                                  reports_.text(type_a), dim_a, result_a))
                      .also(operands[operand_b].span, fmt::format("{}: dimension {} gives the result's dimension {}",
                                                                  reports_.text(type_b), dim_b, result_b))
                      .suggest(fmt::format("replicate one of them over `{}` first, with `as`: operand {} `as {}`", axis,
                                           operand_b + 1, whole_over(type_b, dim_b))));
}

}  // namespace tessera::typeck
