// A function of a typed program as text, with every operation and every layout written out: checking the text gives the
// same types. Where an `auto fn` takes gradients, these are spelled out, too.
//
//     fn step(x: f32[64@d, 32], w: f32[32, 8]) -> f32[64@d, 8] {
//       let v1: f32[64@d, 8] = einsum("ab,bc->ac", x, w)
//       v1
//     }
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

class ClosedText {
 public:
  // `taken` are names that the program uses otherwise. All of them outlive it.
  ClosedText(const Typed& typed, const Environment& environment, Moment moment, const std::set<std::string>& taken)
      : typed_(typed), environment_(environment), moment_(moment), taken_(taken) {}

  // The function under a name, behind those that it calls. Nothing where the language has no words for an operation of
  // it: `lacks` then says for which.
  std::optional<std::string> function(const ChosenFunction& chosen, const std::string& name);
  const std::string& lacks() const { return lacks_; }

 private:
  void need(const Region& region);
  void need(NodeId id);
  void write(NodeId id);
  // `result_names` say which results are records, as `ChosenFunction::Name` does; none: all are arrays.
  void instance(InstanceId id, const std::string& name, const std::map<NodeId, std::string>& named,
                const std::vector<std::string>& result_names);
  void body(const Region& region, const std::vector<std::string>& result_names = {});
  void results(const Region& region, const std::vector<std::string>& result_names);

  void write(NodeId id, const Compute& compute);
  void effect(const Compute& compute);
  void write(NodeId id, const Loop& loop);
  void write(NodeId id, const If& both);
  std::optional<std::string> expression(NodeId id, const Compute& compute);
  // ---- Parts: closed_parts.cpp
  std::optional<std::string> assembled(NodeId id, const Compute& compute, const synth::Assemble& assemble);
  std::optional<std::string> sliced(NodeId id, const Compute& compute, const synth::Part& part);
  std::optional<std::string> joined(NodeId id, const Compute& compute, const synth::Assemble& assemble);
  std::optional<std::string> rolled(NodeId id, const Compute& compute, const synth::Assemble& assemble);
  std::optional<std::string> laid_over(NodeId id, const Compute& compute, const synth::Part& part);

  std::optional<std::string> literal(const synth::Literal& literal) const;

  std::string fresh();
  std::string name_of(NodeId id);
  std::string names_of(const std::vector<NodeId>& nodes);
  std::string type_text(NodeId id) const { return print_type(typed_.type(id), environment_, moment_); }
  void line(const std::string& text);
  void let(NodeId id, const std::string& expression);
  // `let (a, b) = `, for the results of a node.
  std::string let_all(NodeId id);
  void lack(std::string what) {
    if (lacks_.empty()) lacks_ = std::move(what);
  }

  const Typed& typed_;
  const Environment& environment_;
  Moment moment_;
  const std::set<std::string>& taken_;
  std::string lacks_;
  std::string text_;
  std::string functions_;
  std::size_t depth_ = 0;
  std::size_t numbered_ = 0;
  std::set<NodeId> needed_;
  std::map<NodeId, std::vector<NodeId>> elements_;  // of a node with several results
  std::map<NodeId, std::string> names_;
  std::set<std::string> used_;
  std::map<InstanceId, std::string> written_;
};

}  // namespace tessera::typeck
