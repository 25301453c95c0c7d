#include "typeck/typed/early_slices.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "synth/program/registers.hpp"

namespace tessera::typeck {

namespace {

using synth::RegisterId;

// The moves of a step that is a slice; else null.
const synth::Slice* slice_of(const synth::Apply& apply) {
  const auto* collect = std::get_if<synth::Collect>(&apply.operation);
  return collect == nullptr ? nullptr : std::get_if<synth::Slice>(&collect->collective.effect);
}

class EarlySlices {
 public:
  explicit EarlySlices(synth::Program& program) : program_(program), reads_(program.registers.size(), 0) {}

  void run() {
    synth::for_each_read(program_.body, [&](RegisterId id) { ++reads_[id.value]; });
    for (const RegisterId id : program_.outputs) ++reads_[id.value];
    walk(program_.body);
  }

 private:
  void walk(synth::Body& body) {
    for (synth::Step& step : body) {
      if (auto* repeat = std::get_if<synth::Repeat>(&step.node)) walk(repeat->body);
      if (auto* choose = std::get_if<synth::Choose>(&step.node)) {
        walk(choose->then_body);
        walk(choose->else_body);
      }
    }
    OneBody(*this, body).run();
  }

  bool has_pending(RegisterId id) const { return !program_.registers[id].layout().pending().empty(); }

  // The slice of an operand that gives the slice of a result; nothing if the operand has none of the dimensions.
  std::optional<synth::Collect> slice_of_operand(const synth::Slice& slice, RegisterId result,
                                                 RegisterId operand) const {
    const synth::Shape& shape = program_.registers[operand].shape();
    const synth::Shape& whole = program_.registers[result].shape();
    synth::Slice own;
    for (const synth::AxesAt& move : slice.moves) {
      const std::size_t missing = whole.size() - shape.size();
      if (move.dimension < missing || shape[move.dimension - missing] != whole[move.dimension]) continue;
      own.moves.push_back({move.axes, move.dimension - missing});
    }
    if (own.moves.empty()) return std::nullopt;
    return synth::Collect{synth::Collective{std::move(own), synth::Direct{}}, 1};
  }

  // The steps of one body, those that are new before the one that reads them.
  class OneBody {
   public:
    OneBody(EarlySlices& all, synth::Body& body) : all_(all), body_(body) {}

    void run() {
      bool has_slices = false;
      for (std::size_t i = 0; i < body_.size(); ++i) {
        const auto* apply = std::get_if<synth::Apply>(&body_[i].node);
        if (apply == nullptr) continue;
        if (std::holds_alternative<synth::Map>(apply->operation)) makers_.emplace(apply->results[0], i);
        has_slices = has_slices || slice_of(*apply) != nullptr;
      }
      if (!has_slices || makers_.empty()) return;
      before_.resize(body_.size());
      std::vector<bool> gone(body_.size(), false);
      for (std::size_t i = body_.size(); i-- > 0;) {
        const auto* apply = std::get_if<synth::Apply>(&body_[i].node);
        gone[i] = apply != nullptr && slice_of(*apply) != nullptr && pass(*apply);
      }
      synth::Body made;
      for (std::size_t i = 0; i < body_.size(); ++i) {
        std::move(before_[i].begin(), before_[i].end(), std::back_inserter(made));
        if (!gone[i]) made.push_back(std::move(body_[i]));
      }
      body_ = std::move(made);
    }

   private:
    // Takes the slice before the elementwise step that makes its operand, if nothing else reads that.
    bool pass(const synth::Apply& slice) {
      const RegisterId whole = slice.operands[0];
      const auto maker = makers_.find(whole);
      if (maker == makers_.end() || all_.reads_[whole.value] != 1 || all_.has_pending(whole)) return false;
      auto& map = std::get<synth::Apply>(body_[maker->second].node);
      std::map<RegisterId, synth::Apply> slices;  // by what they are of
      for (const RegisterId operand : map.operands) {
        if (all_.has_pending(operand)) return false;
        auto own = all_.slice_of_operand(*slice_of(slice), whole, operand);
        if (!own || slices.contains(operand)) continue;
        auto type = synth::apply(own->collective, all_.program_.registers[operand]);
        if (!type.ok()) return false;
        slices.emplace(operand, synth::Apply{std::move(*own), {operand}, {all_.fresh(std::move(type).value())}});
      }
      for (RegisterId& operand : map.operands) {
        if (const auto own = slices.find(operand); own != slices.end()) operand = own->second.results[0];
      }
      map.results = slice.results;
      const std::size_t at = maker->second;
      for (auto& [operand, own] : slices) {
        if (!pass(own)) before_[at].push_back(synth::Step{body_[at].origin, std::move(own)});
      }
      return true;
    }

    EarlySlices& all_;
    synth::Body& body_;
    std::map<RegisterId, std::size_t> makers_;
    std::vector<synth::Body> before_;
  };

  RegisterId fresh(synth::ArrayType type) {
    reads_.push_back(1);
    return program_.registers.add(std::move(type));
  }

  synth::Program& program_;
  std::vector<std::uint32_t> reads_;
};

}  // namespace

void slice_early(synth::Program& program) { EarlySlices(program).run(); }

}  // namespace tessera::typeck
