// What the rules of layouts decide: the layout in which each value of an open program is made, and those in which it is
// wanted where it is used. The rules of the language give one (operation_layouts.hpp); redistributions are inserted
// where a use wants another layout than its value has (typeck/insert), and nowhere else.
//
// Example: on x:2, `a @ b` of f32[8@x, 4] and f32[4@x, 6]: the first use of the product is as a lies, the second is
// changed to f32[4, 6] since `@` asks for it, and the product is made as f32[8@x, 6].
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "typeck/open/open.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// A value gets another type on its way to where it is used.
struct Change {
  synth::ArrayType to;
  Reason why;
};
using Changes = std::vector<Change>;  // one after the other; none: the value is used as it lies

// What is decided for one node. An operation that is made in several steps may change what it makes on its way, too,
// but there is nothing to decide in that (shape_rules.hpp).
struct NodeLayouts {
  std::vector<Changes> uses = {};            // of its operands, in their order
  std::vector<synth::ArrayType> types = {};  // of its results
  std::vector<Alternative> compared = {};    // layouts that a result made of parts could have had
};

// The nodes of the program itself, or of a function for one list of its arguments' types.
struct BodyLayouts {
  std::optional<open::InstanceId> function = {};
  std::vector<synth::ArrayType> arguments = {};
  std::map<open::ValueId, NodeLayouts> nodes = {};
};

class Assignment {
 public:
  Assignment() { bodies_.emplace_back(); }
  explicit Assignment(std::deque<BodyLayouts> bodies) : bodies_(std::move(bodies)) {}

  const std::deque<BodyLayouts>& bodies() const { return bodies_; }  // the program's first
  BodyLayouts& program() { return bodies_.front(); }
  BodyLayouts* find(open::InstanceId function, const std::vector<synth::ArrayType>& arguments);
  BodyLayouts& add(open::InstanceId function, std::vector<synth::ArrayType> arguments);

 private:
  std::deque<BodyLayouts> bodies_;
};

// Are the layouts those of the program's values?
base::Status verify(const open::Program& program, const Assignment& assignment);

// As text, for people and for read_assignment, whose result prints the same: assignment_text.cpp has an example.
std::string print(const Assignment& assignment);
base::Result<Assignment> read_assignment(std::string_view text);

}  // namespace tessera::typeck
