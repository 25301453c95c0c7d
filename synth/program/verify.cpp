// Programs checked: types of every step, single assignment, scopes.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "synth/kinds.hpp"
#include "synth/program/pipeline_order.hpp"
#include "synth/program/program.hpp"
#include "synth/program/type_rules.hpp"

namespace tessera::synth {

namespace {

using base::make;

constexpr std::size_t kDepthMax = 512;

class ProgramVerifier {
 public:
  explicit ProgramVerifier(const Program& program)
      : program_(program), written_(program.registers.size(), false), visible_(program.registers.size(), false) {}

  base::Status run() {
    TESSERA_TRY_STATUS(literals());
    for (const RegisterId input : program_.inputs) TESSERA_TRY_STATUS(write(input));
    TESSERA_TRY_STATUS(body(program_.body));
    what_ = "outputs";
    return read_all(program_.outputs);
  }

 private:
  base::Diagnostic wrong(std::string_view why) const {
    const std::string where = what_.empty() ? "its tables" : fmt::format("`{}`", what_);
    return make(base::Kind::internal, fmt::format("the device program is wrong at {}: {}", where, why))
        .from_step(origin_);
  }

  base::Status literals() const {
    for (const Literal& literal : program_.literals.items()) {
      const std::int64_t bytes = elements(literal.shape) * bytes_of(literal.element);
      if (static_cast<std::int64_t>(literal.bytes.size()) != bytes) return wrong("a literal's size is not its shape's");
    }
    return base::Done{};
  }

  base::Status write(RegisterId id) {
    if (id.value >= written_.size()) return wrong("a register is not in the table");
    if (written_[id.value]) return wrong(fmt::format("register r{} is written twice", id.value));
    written_[id.value] = true;
    visible_[id.value] = true;
    scope_.push_back(id);
    return base::Done{};
  }

  base::Status read(RegisterId id) const {
    if (id.value >= visible_.size()) return wrong("a register is not in the table");
    if (!visible_[id.value]) return wrong(fmt::format("register r{} is read where it has no value", id.value));
    return base::Done{};
  }

  base::Status read_all(const std::vector<RegisterId>& ids) const {
    for (const RegisterId id : ids) TESSERA_TRY_STATUS(read(id));
    return base::Done{};
  }

  const ArrayType& type(RegisterId id) const { return program_.registers[id]; }

  base::Status same_types(const std::vector<RegisterId>& a, const std::vector<RegisterId>& b) const {
    if (a.size() != b.size()) return wrong("its lists of values are of different lengths");
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (!same_type(type(a[k]), type(b[k]))) return wrong("a value's type changes on its way");
    }
    return base::Done{};
  }

  // Everything written since is out of sight again.
  void leave_scope(std::size_t size) {
    while (scope_.size() > size) {
      visible_[scope_.back().value] = false;
      scope_.pop_back();
    }
  }

  base::Status body(const Body& steps) {
    if (++depth_ > kDepthMax) return make(Kind::program_too_large, kDepthMax, "nested blocks");
    follows_relay_ = false;
    for (const Step& step : steps) {
      if (++steps_ > kProgramStepsMax) return make(Kind::program_too_large, kProgramStepsMax, "steps");
      origin_ = step.origin;
      TESSERA_TRY_STATUS(company(step));
      TESSERA_TRY_STATUS(std::visit([&](const auto& node) { return check(node); }, step.node));
    }
    --depth_;
    follows_relay_ = false;
    return base::Done{};
  }

  // Relays that go on at once: what they make none of them reads.
  base::Status company(const Step& step) {
    const auto* const apply = std::get_if<Apply>(&step.node);
    const auto* const collect = apply == nullptr ? nullptr : std::get_if<Collect>(&apply->operation);
    const bool is_relay = collect != nullptr && kind_of(collect->collective) == CollectiveKind::relay;
    if (collect != nullptr && collect->joins) {
      what_ = describe(apply->operation);
      if (!is_relay || !follows_relay_) return wrong("it joins a step that is no relay, or is none");
      for (const RegisterId id : apply->operands) {
        if (std::find(made_by_relays_.begin(), made_by_relays_.end(), id) != made_by_relays_.end())
          return wrong("it reads what a relay that goes on at the same time makes");
      }
    } else {
      made_by_relays_.clear();
    }
    follows_relay_ = is_relay;
    if (is_relay) made_by_relays_.insert(made_by_relays_.end(), apply->results.begin(), apply->results.end());
    return base::Done{};
  }

  base::Status check(const Apply& step) {
    what_ = describe(step.operation);
    TESSERA_TRY_STATUS(read_all(step.operands));
    if (step.results.size() != (has_result(step.operation) ? 1U : 0U))
      return wrong("it has the wrong number of results");
    for (const RegisterId id : step.results) TESSERA_TRY_STATUS(write(id));
    Operands operands;
    for (const RegisterId id : step.operands) operands.push_back(&type(id));
    const ArrayType* result = step.results.empty() ? nullptr : &type(step.results[0]);
    if (const auto error = type_error(program_, step.operation, operands, result)) return wrong(*error);
    return base::Done{};
  }

  base::Status check(const Repeat& step) {
    what_ = "repeat";
    TESSERA_TRY_STATUS(read(step.count));
    TESSERA_TRY_STATUS(read_all(step.initial));
    if (!is_plain_scalar(type(step.count), ElementType::i64)) return wrong("its count is not an i64 scalar");
    const std::size_t outer = scope_.size();
    TESSERA_TRY_STATUS(write(step.index));
    if (!is_plain_scalar(type(step.index), ElementType::i64)) return wrong("its index is not an i64 scalar");
    for (const RegisterId id : step.indices_elsewhere) {
      TESSERA_TRY_STATUS(write(id));
      if (!is_plain_scalar(type(id), ElementType::i64)) return wrong("its index is not an i64 scalar");
    }
    for (const RegisterId id : step.parameters) TESSERA_TRY_STATUS(write(id));
    TESSERA_TRY_STATUS(same_types(step.initial, step.parameters));
    const bool is_good =
        !step.condition || (*step.condition < step.initial.size() &&
                            is_plain_scalar(type(step.initial[*step.condition]), ElementType::boolean));
    if (!is_good) return wrong("its condition is not a bool scalar that it carries");
    if (step.is_limited && !step.condition) return wrong("it is limited and has no condition");
    TESSERA_TRY_STATUS(body(step.body));
    what_ = "repeat";
    TESSERA_TRY_STATUS(read_all(step.next));
    TESSERA_TRY_STATUS(same_types(step.parameters, step.next));
    leave_scope(outer);
    return finish(step.results, step.next);
  }

  base::Status check(const Choose& step) {
    what_ = "choose";
    TESSERA_TRY_STATUS(read(step.condition));
    if (!is_plain_scalar(type(step.condition), ElementType::boolean))
      return wrong("its condition is not a bool scalar");
    TESSERA_TRY_STATUS(branch(step.then_body, step.then_results));
    TESSERA_TRY_STATUS(branch(step.else_body, step.else_results));
    TESSERA_TRY_STATUS(same_types(step.then_results, step.else_results));
    return finish(step.results, step.then_results);
  }

  base::Status branch(const Body& steps, const std::vector<RegisterId>& results) {
    const std::size_t outer = scope_.size();
    TESSERA_TRY_STATUS(body(steps));
    what_ = "choose";
    TESSERA_TRY_STATUS(read_all(results));
    leave_scope(outer);
    return base::Done{};
  }

  base::Status check(const Pipeline& step) {
    what_ = "pipeline";
    TESSERA_TRY_STATUS(read_all(step.initial));
    const std::size_t outer = scope_.size();
    for (const RegisterId id : step.indices) {
      TESSERA_TRY_STATUS(write(id));
      if (!is_plain_scalar(type(id), ElementType::i64)) return wrong("its index is not an i64 scalar");
    }
    for (const RegisterId id : step.parameters) TESSERA_TRY_STATUS(write(id));
    TESSERA_TRY_STATUS(same_types(step.initial, step.parameters));
    for (const Body& visit : step.visits) TESSERA_TRY_STATUS(body(visit));
    what_ = "pipeline";
    TESSERA_TRY_STATUS(read_all(step.next));
    TESSERA_TRY_STATUS(same_types(step.parameters, step.next));
    if (const auto fault = order_fault(step)) return wrong(*fault);
    leave_scope(outer);
    return finish(step.results, step.next);
  }

  base::Status finish(const std::vector<RegisterId>& results, const std::vector<RegisterId>& values) {
    for (const RegisterId id : results) TESSERA_TRY_STATUS(write(id));
    return same_types(results, values);
  }

  bool follows_relay_ = false;              // is the step before this one a relay?
  std::vector<RegisterId> made_by_relays_;  // by it, and by those that it joins
  const Program& program_;
  std::vector<bool> written_;
  std::vector<bool> visible_;
  std::vector<RegisterId> scope_;  // what is visible, in the order it was written
  std::size_t depth_ = 0;
  std::size_t steps_ = 0;
  std::uint32_t origin_ = 0;
  std::string what_;
};

}  // namespace

base::Status verify(const Program& program) {
  return base::guarded([&]() -> base::Status { return ProgramVerifier(program).run(); });
}

}  // namespace tessera::synth
