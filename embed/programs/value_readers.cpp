#include "embed/programs/value_readers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "embed/host/convert.hpp"

namespace tessera::embed {

namespace {

using typeck::NodeId;

class ReaderFinder {
 public:
  ReaderFinder(const typeck::Typed& typed, NodeId value, const Texts& texts)
      : typed_(typed), value_(value), texts_(texts) {}

  std::vector<ValueReader> run(const typeck::Region& body) {
    region(body);
    for (const NodeId result : body.results) read(result, {}, "the result");
    return std::move(found_);
  }

 private:
  // The conversions that a choice has made between the value and this; nothing: it is something else.
  std::optional<double> seconds_to(NodeId id) const {
    double seconds = 0;
    while (id != value_) {
      const auto* moved = std::get_if<typeck::Redistribute>(&typed_.nodes[id].body);
      if (moved == nullptr || moved->why.asker != typeck::Reason::Asker::chosen) return std::nullopt;
      seconds += moved->plan->seconds;
      id = moved->operand;
    }
    return seconds;
  }

  void read(NodeId operand, base::Span reader, const std::string& what, synth::Pass pass = synth::Pass::none) {
    const auto seconds = seconds_to(operand);
    if (!seconds) return;
    ValueReader own;
    own.type = synth::print(typed_.type(operand));
    own.seconds = *seconds;
    own.reader = what.empty() ? std::string(texts_.sources.text(reader)) : what;
    std::replace(own.reader.begin(), own.reader.end(), '\n', ' ');
    if (reader.known()) own.place = place(texts_, reader);
    own.is_backward = pass == synth::Pass::backward;
    const bool is_known = std::any_of(found_.begin(), found_.end(), [&](const ValueReader& one) {
      return one.type == own.type && one.reader == own.reader && one.place.line == own.place.line &&
             one.place.column == own.place.column && one.is_backward == own.is_backward;
    });
    if (!is_known) found_.push_back(std::move(own));
  }

  void region(const typeck::Region& nodes) {
    for (const NodeId id : nodes.order) std::visit([&](const auto& own) { node(id, own); }, typed_.nodes[id].body);
  }
  void all(const std::vector<NodeId>& operands, NodeId reader) {
    const typeck::Node& node = typed_.nodes[reader];
    for (const NodeId own : operands) read(own, node.span, node.span.known() ? "" : "an operation", node.pass);
  }

  void node(NodeId, const typeck::Parameter&) {}
  void node(NodeId, const typeck::Input&) {}
  void node(NodeId id, const typeck::Compute& body) { all(body.operands, id); }
  void node(NodeId id, const typeck::Redistribute& body) {
    if (body.why.asker != typeck::Reason::Asker::chosen) all({body.operand}, id);
  }
  void node(NodeId id, const typeck::Call& body) { all(body.arguments, id); }
  void node(NodeId id, const typeck::Loop& body) {
    all({body.count}, id);
    all(body.initial, id);
    region(body.body);
    all(body.body.results, id);
  }
  void node(NodeId id, const typeck::If& body) {
    all({body.condition}, id);
    for (const typeck::Region* branch : {&body.then_region, &body.else_region}) {
      region(*branch);
      all(branch->results, id);
    }
  }
  void node(NodeId, const typeck::Again& body) { region(body.body); }
  void node(NodeId, const typeck::Element&) {}

  const typeck::Typed& typed_;
  NodeId value_;
  const Texts& texts_;
  std::vector<ValueReader> found_;
};

}  // namespace

std::vector<ValueReader> readers_of(const typeck::Typed& typed, const typeck::ChosenFunction& chosen,
                                    typeck::NodeId value, const Texts& texts) {
  return ReaderFinder(typed, value, texts).run(typed.instances[chosen.instance].body);
}

}  // namespace tessera::embed
