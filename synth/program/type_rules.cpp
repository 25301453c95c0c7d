#include "synth/program/type_rules.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "synth/moves/collective/programmed.hpp"
#include "synth/program/signature.hpp"
#include "synth/program/type_checks.hpp"

namespace tessera::synth {

namespace {

// A constructor's seed or fill value.
Error scalar_operand(const Operands& operands, ElementType element, const ArrayType& result) {
  if (operands.size() != 1) return "it takes one operand";
  if (!is_plain_scalar(*operands[0], element))
    return "its operand is not a replicated scalar of the right element type";
  if (operands[0]->devices() != result.devices()) return "its operand is on other devices";
  return std::nullopt;
}

Error random_error(const Operands& operands, const ArrayType& result) {
  if (!is_float(result.element())) return "its result is not of floats";
  return scalar_operand(operands, ElementType::i64, result);
}

Error no_operand(const Operands& operands) {
  if (operands.empty()) return std::nullopt;
  return "it takes no operand";
}

Error iota_error(const Operands& operands, const ArrayType& result) {
  if (is_storage(result.element())) return "it does not work on a storage type";
  if (is_complex(result.element())) return "the element types do not fit";
  return no_operand(operands);
}

Error constant_error(const Program& program, const Constant& constant, const Operands& operands,
                     const ArrayType& result) {
  if (constant.literal.value >= program.literals.size()) return "its literal is not in the table";
  const Literal& literal = program.literals[constant.literal];
  if (literal.element != result.element() || literal.shape != result.shape()) return "its literal is of another type";
  return no_operand(operands);
}

// From the first on, operands are the numbers of a path.
Error numbers_error(const Operands& operands, std::ptrdiff_t first) {
  const bool numbers = std::all_of(operands.begin() + first, operands.end(), [](const ArrayType* operand) {
    return is_plain_scalar(*operand, ElementType::i64);
  });
  return numbers ? Error() : Error("its path holds other numbers than i64 scalars");
}

Error load_error(const Program& program, const Load& load, const Operands& operands, const ArrayType& result) {
  if (load.path.value >= program.strings.size()) return "its path is not in the table";
  if (is_pending(result)) return "its result is pending";
  return numbers_error(operands, 0);
}

// The elements of a tile in row-major order, by their numbers in the whole array: the first, and the fewest (count,
// stride) pairs, from within outwards, that give the others. Two tiles are the same run of elements iff these are
// equal.
struct Run {
  std::int64_t first = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  friend bool operator==(const Run&, const Run&) = default;
};

Run run_of(const Box& box, const Shape& shape) {
  Run run;
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
    const std::int64_t count = box[d].length();
    run.first += box[d].begin * stride;
    if (count == 1) continue;
    const bool goes_on = !run.steps.empty() && run.steps.back().first * run.steps.back().second == stride;
    if (goes_on) {
      run.steps.back().first *= count;
    } else {
      run.steps.emplace_back(count, stride);
    }
  }
  return run;
}

bool same_run(const ArrayType& a, const ArrayType& b, std::int64_t device) {
  const Box first = tile(a, device);
  const Box second = tile(b, device);
  if (empty(first) || empty(second)) return empty(first) == empty(second);
  return run_of(first, a.shape()) == run_of(second, b.shape());
}

Error reshape_error(const Operands& operands, const ArrayType& result) {
  if (operands.size() != 1) return "it takes one operand";
  const ArrayType& operand = *operands[0];
  if (operand.mesh() != result.mesh()) return "its operand is on another mesh";
  if (operand.element() != result.element() || !same_pending(operand, result)) {
    return "its result has another element type or pending set";
  }
  if (elements(operand.shape()) != elements(result.shape())) return "its result has another number of elements";
  for (std::int64_t device = 0; device < result.devices(); ++device) {
    if (!same_run(operand, result, device)) return "a device's tile is not made of the same elements";
  }
  return std::nullopt;
}

Error candidates_error(const Candidates& candidates, const Operands& operands, const ArrayType& result) {
  if (operands.size() != 1) return "it takes one operand";
  const ArrayType& operand = *operands[0];
  if (operand.mesh() != result.mesh()) return "its operand is on another mesh";
  if (is_pending(operand) || is_pending(result)) return "a pending operand may not pass through it";
  if (is_storage(operand.element())) return "it does not work on a storage type";
  if (is_complex(operand.element())) return "the element types do not fit";
  if (result.element() != (candidates.positions ? ElementType::i64 : operand.element()))
    return "the element types do not fit";
  if (operand.rank() == 0 || operand.rank() != result.rank()) return "the shapes do not fit";
  const std::size_t last = operand.rank() - 1;
  for (std::size_t d = 0; d < last; ++d) {
    if (operand.shape()[d] != result.shape()[d] || !same_cuts(operand, d, result, d))
      return "its result is not cut as it should be";
  }
  if (operand.layout().split(last) != result.layout().split(last)) return "its result is not cut as it should be";
  const Cuts tiles = cuts(operand, last);
  const Cuts of_result = cuts(result, last);
  for (std::int64_t t = 0; t < tiles.tiles(); ++t) {
    if (candidates.count < 0 || tiles.tile(t).length() < candidates.count) return "there are not so many elements";
    if (of_result.tile(t).length() != candidates.count) return "a tile of its result has not so many elements";
  }
  return std::nullopt;
}

Error collect_error(const Collect& collect, const Operands& operands, const ArrayType& result) {
  if (operands.size() != 1) return "it takes one operand";
  if (collect.rounds == 0 || (collect.rounds > 1 && kind_of(collect.collective) != CollectiveKind::exchange)) {
    return "it is cut into rounds that it cannot have";
  }
  if (round_of(collect.collective) != nullptr)
    return "a round of an exchange is no step of a program: its source lives on";
  const auto after = apply(collect.collective, *operands[0]);
  if (!after.ok()) return after.errors()[0].message;
  const bool has_program = program_of(collect.collective) != nullptr;
  if (has_program && !EvenSum::of(collect.collective, *operands[0], *after) &&
      !ProgrammedReduction::of(collect.collective, *operands[0], *after))
    return "its program does not do what the collective does";
  return same_type(*after, result) ? std::nullopt : Error("its result is not of the type the collective gives");
}

Error string_error(const Program& program, StringId id) {
  if (id.value < program.strings.size()) return std::nullopt;
  return "its text is not in the table";
}

Error print_error(const Program& program, const Print& print, const Operands& operands) {
  for (const PrintItem& item : print.items) {
    const bool names_operand = item.operand >= 0 && static_cast<std::size_t>(item.operand) < operands.size();
    if (item.operand != -1 && !names_operand) return "an item names an operand that is not there";
    if (item.operand == -1 && string_error(program, item.text)) return "an item's text is not in the table";
  }
  return std::nullopt;
}

Error show_error(const Program& program, StringId text, const Operands& operands) {
  if (operands.size() != 1) return "it takes one operand";
  return string_error(program, text);
}

// Behind the array come the numbers of the path.
Error save_error(const Program& program, const Save& save, const Operands& operands) {
  if (operands.empty()) return "it takes an array";
  if (auto error = numbers_error(operands, 1)) return error;
  return string_error(program, save.path);
}

Error assert_error(const Program& program, const Assert& assertion, const Operands& operands) {
  if (operands.empty() || !is_plain_scalar(*operands[0], ElementType::boolean)) return "it takes a bool scalar";
  const bool scalars = std::all_of(operands.begin() + 1, operands.end(), [](const ArrayType* operand) {
    return is_plain_scalar(*operand, operand->element());
  });
  return scalars ? string_error(program, assertion.message) : Error("what it shows is no scalar");
}

// One call for each operation.
struct Rules {
  const Program& program;
  const Operands& operands;
  const ArrayType* type;

  const ArrayType& result() const { return *type; }
  Error operator()(const Constant& o) const { return constant_error(program, o, operands, result()); }
  Error operator()(const Fill&) const { return scalar_operand(operands, result().element(), result()); }
  Error operator()(const Iota&) const { return iota_error(operands, result()); }
  Error operator()(const Random&) const { return random_error(operands, result()); }
  Error operator()(const Normal&) const { return random_error(operands, result()); }
  Error operator()(const Load& o) const { return load_error(program, o, operands, result()); }
  Error operator()(const Candidates& o) const { return candidates_error(o, operands, result()); }
  Error operator()(const Reshape&) const { return reshape_error(operands, result()); }
  Error operator()(const Assemble& o) const { return assemble_error(o, operands, result()); }
  Error operator()(const Collect& o) const { return collect_error(o, operands, result()); }
  Error operator()(const PrintText& o) const { return string_error(program, o.text); }
  Error operator()(const Print& o) const { return print_error(program, o, operands); }
  Error operator()(const Show& o) const { return show_error(program, o.label, operands); }
  Error operator()(const Save& o) const { return save_error(program, o, operands); }
  Error operator()(const Assert& o) const { return assert_error(program, o, operands); }
  template <class Signed>
  Error operator()(const Signed& o) const {
    std::vector<Shaped> shaped;
    for (const ArrayType* operand : operands) shaped.push_back({operand->element(), &operand->shape()});
    return signed_error(o, shaped, {result().element(), &result().shape()});
  }
};

}  // namespace

bool is_plain_scalar(const ArrayType& type, ElementType element) {
  return type.rank() == 0 && type.element() == element && !is_pending(type);
}

bool has_result(const Operation& operation) {
  return !std::holds_alternative<PrintText>(operation) && !std::holds_alternative<Print>(operation) &&
         !std::holds_alternative<Show>(operation) && !std::holds_alternative<Save>(operation) &&
         !std::holds_alternative<Assert>(operation);
}

Error type_error(const Program& program, const Operation& operation, const Operands& operands,
                 const ArrayType* result) {
  auto error = std::visit(Rules{program, operands, result}, operation);
  const bool has_layouts = !error.has_value() && has_signature(operation);
  return has_layouts ? layouts_error(operation, operands, *result) : error;
}

}  // namespace tessera::synth
