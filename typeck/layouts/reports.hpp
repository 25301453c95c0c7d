// What is reported while layouts are found: where in the text the work is, how types read there, and types that the
// text may be wrong about.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "synth/layout/array_type.hpp"
#include "typeck/open/messages.hpp"
#include "typeck/typed/environment.hpp"

namespace tessera::typeck {

class Reports {
 public:
  // Both outlive it.
  Reports(Messages& messages, const Environment& environment) : messages_(messages), environment_(environment) {}

  // The open node that is being closed, and the moment at which its statement began.
  void at(std::size_t position) { position_ = std::max(position_, position); }
  void at_moment(Moment moment) { moment_ = moment; }
  void at_place_of(const Reports& other) {
    position_ = other.position_;
    moment_ = other.moment_;
  }

  void report(base::Diagnostic diagnostic) { messages_.report(std::move(diagnostic), position_); }
  std::string text(const synth::ArrayType& type) const { return describe_type(type, environment_, moment_); }
  std::string printed(const synth::ArrayType& type) const { return print_type(type, environment_, moment_); }

  // The value; else its errors are reported at the span.
  template <class T>
  std::optional<T> made(base::Result<T> result, base::Span span) {
    if (result.ok()) return std::move(result).value();
    for (base::Diagnostic& diagnostic : std::move(result).errors()) report(std::move(diagnostic).at(span));
    return std::nullopt;
  }
  std::optional<synth::ArrayType> make_type(base::Span span, synth::ElementType element, const synth::Shape& shape,
                                            const synth::MeshRef& mesh, std::vector<synth::AxisList> splits,
                                            synth::AxisList pending = {},
                                            synth::ReduceOp reduce = synth::ReduceOp::sum);
  std::optional<synth::ArrayType> with_layout(base::Span span, const synth::ArrayType& array, synth::Layout layout) {
    return made(array.with_layout(std::move(layout)), span);
  }
  std::optional<synth::ArrayType> written(base::Span span, const open::Type& type, const open::WrittenLayout& layout) {
    return make_type(span, type.element(), type.shape(), type.mesh_ref(), layout.splits, layout.pending, layout.reduce);
  }

 private:
  Messages& messages_;
  const Environment& environment_;
  std::size_t position_ = 0;
  Moment moment_ = 0;
};

}  // namespace tessera::typeck
