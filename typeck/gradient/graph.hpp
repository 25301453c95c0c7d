// Makes the nodes of a gradient, in the region that is being made.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "typeck/open/limits.hpp"
#include "typeck/open/messages.hpp"
#include "typeck/open/open.hpp"

namespace tessera::typeck::gradient {

using base::Span;
using open::Use;
using open::ValueId;

class Graph {
 public:
  // Nodes inside of `local` are local.
  Graph(open::Program& program, open::Region& region, Messages& messages, Limits limits, bool is_local)
      : program_(program), region_(&region), messages_(messages), limits_(std::move(limits)), is_local_(is_local) {}

  const open::Program& program() const { return program_; }
  // Copies: nodes move when others are made.
  open::Node node(ValueId id) const { return program_.nodes[id]; }
  open::Type type(ValueId id) const { return program_.type(id); }
  open::Type type(const Use& use) const { return program_.type(use.value); }
  void report(base::Diagnostic diagnostic) { messages_.report(std::move(diagnostic), program_.nodes.size()); }
  void look() const { limits_.stop.look(); }
  std::size_t made() const { return program_.nodes.size(); }

  // Throws TooManyValues where there would be more than a check may make.
  ValueId emit(Span span, std::vector<open::Type> types, decltype(open::Node::body) body);
  ValueId enter(Span span, open::InstanceId function, std::vector<Use> arguments);
  Use compute(Span span, const open::Type& type, open::Operation operation, std::vector<Use> operands,
              std::string who = {});
  // The value is wished to be split as that one is, and whole.
  void wish(const Use& value, ValueId as_that);
  void set_wish(ValueId value, std::optional<open::Wish> wish) { program_.nodes[value].wish = std::move(wish); }
  // The node copies the one that nodes are being made for.
  void note_copy(ValueId made) { program_.nodes[made].copy_of = made_for_; }
  // The same value, which a gradient takes for a constant.
  Use flat(const Use& value);
  // A number of that element type.
  Use number(Span span, const KnownScalar& value, synth::ElementType element, const synth::MeshRef& mesh);
  ValueId parameter(Span span, const open::Type& type) {
    return program_.nodes.add(open::Node{span, {type}, open::Parameter{}});
  }
  // The results of a node: an element of each where there are several.
  std::vector<ValueId> elements_of(ValueId node, Span span);
  // Counts a piece of work that may be met again and again, such as a call inside of a gradient.
  void spend();

  // Runs f with a region of its own, which it returns in `region`.
  template <class F>
  auto in_region(open::Region& region, F&& f) {
    open::Region* const outer = std::exchange(region_, &region);
    auto result = std::forward<F>(f)();
    region_ = outer;
    return result;
  }
  // Runs f; the nodes that it makes belong to a pass.
  template <class F>
  auto in_pass(synth::Pass pass, F&& f) {
    const synth::Pass outer = std::exchange(pass_, pass);
    auto result = std::forward<F>(f)();
    pass_ = outer;
    return result;
  }
  // Runs f; the nodes that it makes are made for a node of the function that was entered there.
  template <class F>
  auto made_for(ValueId original, ValueId entered, F&& f) {
    const auto outer = std::pair(std::exchange(made_for_, original), std::exchange(entered_, entered));
    auto result = std::forward<F>(f)();
    std::tie(made_for_, entered_) = outer;
    return result;
  }
  // Runs f; the nodes that it makes compute the function again: those of a number belong together. With 0 they do not.
  template <class F>
  auto again(std::uint32_t number, synth::Pass pass_there, F&& f) {
    const auto outer = std::pair(std::exchange(again_, number), std::exchange(pass_there_, pass_there));
    auto result = std::forward<F>(f)();
    std::tie(again_, pass_there_) = outer;
    return result;
  }
  std::uint32_t new_number() { return ++program_.copies; }

 private:
  open::Program& program_;
  open::Region* region_;
  Messages& messages_;
  Limits limits_;
  bool is_local_;
  std::uint32_t again_ = 0;
  synth::Pass pass_there_ = synth::Pass::none;
  synth::Pass pass_ = synth::Pass::none;
  ValueId made_for_;
  ValueId entered_;
  std::size_t spent_ = 0;
};

}  // namespace tessera::typeck::gradient
