// The open program while it is made: nodes and regions, what is reported of them, and the text that is being walked.
// Private to typeck/elaborate/. The parts of an elaboration all work on one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "typeck/elaborate/options.hpp"
#include "typeck/elaborate/values.hpp"
#include "typeck/kinds.hpp"
#include "typeck/open/messages.hpp"

namespace tessera::typeck {

class OpenGraph {
 public:
  OpenGraph(std::shared_ptr<const Ast> ast, base::SourceMap& sources, const Environment& environment,
            const synth::Machine& machine, const CheckOptions& options, Messages& messages);

  void report(Diagnostic diagnostic) { messages_.report(std::move(diagnostic), program_.nodes.size()); }
  const Ast& ast() const { return *frame_->ast; }
  const open::Type& type(const Checked& value) const { return program_.type(value.node()); }
  const open::Type& type(ValueId node) const { return program_.type(node); }
  // The value's type, for a message; it is written when its layout is known.
  std::string text(const Checked& value) { return text(value.node()); }
  std::string text(ValueId value) { return messages_.type_of(value, environment_.now()); }
  std::string text(Span span) const;
  std::string text(const WrittenType& written) {
    return messages_.type_of(written.type(), written.layout, environment_.now());
  }
  // A type without a layout.
  std::string text(const open::Type& type) const;
  // From where names are looked up.
  Seen seen() const { return {frame_->top_level ? environment_.now() : frame_->moment, frame_->file}; }
  Moment mesh_moment() const;
  MeshRef default_mesh() const;
  Limits limits() const;
  ValueId emit(Span span, std::vector<open::Type> types, decltype(open::Node::body) body);
  ValueId parameter(Span span, const open::Type& type) {
    return program_.nodes.add(open::Node{span, {type}, open::Parameter{}});
  }
  Checked compute(Span span, const open::Type& result, open::Operation operation, const std::vector<Checked>& operands,
                  std::string who = {});
  // The same for an operation that goes by what is wished for its result.
  Checked compute_as_wished(Span span, const open::Type& result, open::Operation operation,
                            const std::vector<Checked>& operands, std::string who);
  // The same value, which a gradient takes for a constant.
  MaybeValue flat(const MaybeValue& value);
  Checked scalar(Span span, const KnownScalar& value, ElementType element, const MeshRef& mesh);
  Checked constant(Span span, synth::Literal literal, const MeshRef& mesh);
  // The type of an array that there can be; a failure is reported at span.
  std::optional<open::Type> made(Span span, ElementType element, const Shape& shape, const MeshRef& mesh);
  std::optional<open::Type> made(const WrittenType& written) {
    return made(written.span, written.element.value(), written.shape, written.mesh);
  }
  static open::Use use(const Checked& value) { return {value.node(), value.span, value.expr, value.known}; }
  static std::vector<open::Use> uses(const std::vector<Checked>& values);
  // Runs f with a region of its own, which it returns in `region`.
  template <class F>
  auto in_region(open::Region& region, F&& f) {
    open::Region* const outer = std::exchange(region_, &region);
    auto result = std::forward<F>(f)();
    region_ = outer;
    return result;
  }
  // Tells the operation that made the value of an expression what the text around it wants; `begun` is how many nodes
  // there were before the expression.
  void wish(const MaybeValue& value, ExprId expr, std::size_t begun, open::Wish wish);
  // The operation that reads the value, which stands in its text, adds up these dimensions of it. If it is a take, and
  // ids are among them, that is noted.
  void note_summed(const Checked& value, const std::vector<std::size_t>& dimensions);
  // What is wished for the value goes for this step of its operation, too.
  void share_wish(const Checked& value, const Checked& step) { program_.nodes[value.node()].shares_wish = step.node(); }
  std::size_t begun() const { return program_.nodes.size(); }
  // The value without pending sums: in place of it, where it may hold some.
  Checked finished(const Checked& value, const std::string& who, Span asked_at, bool is_output = false);
  bool may_be_pending(ValueId value) const;
  // The type that operations take a value's elements as; and the value with such elements, where it lies.
  ElementType element(const Checked& value) const { return synth::computed_as(type(value).element()); }
  Environment& environment() { return environment_; }
  const CheckOptions& options() const { return options_; }
  synth::StringId add_string(std::string text_value) { return program_.strings.add(std::move(text_value)); }
  std::optional<std::int64_t> known_integer(const Checked& value) const;
  Frame& frame() { return *frame_; }
  open::Program& program() { return program_; }
  const open::Program& program() const { return program_; }
  void effect(Span span, synth::Operation operation, const std::vector<Checked>& operands);

  const synth::Machine& machine() const { return machine_; }
  base::SourceMap& sources() { return sources_; }
  Messages& messages() { return messages_; }
  open::Region& region() { return *region_; }
  // Walks another text; the one that was walked before.
  Frame* walk(Frame* frame) { return std::exchange(frame_, frame); }
  // Runs f outside of the `local` blocks that are open.
  template <class F>
  auto outside_local(F&& f) {
    const std::size_t outer = std::exchange(local_depth_, 0);
    auto result = std::forward<F>(f)();
    local_depth_ = outer;
    return result;
  }

 protected:
  base::SourceMap& sources_;
  Environment environment_;
  const synth::Machine& machine_;
  CheckOptions options_;
  Messages& messages_;
  open::Program program_;
  Frame* frame_ = nullptr;
  open::Region* region_ = nullptr;
  std::size_t local_depth_ = 0;
};

}  // namespace tessera::typeck
