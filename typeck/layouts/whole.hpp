// A function on whole arrays: what an `auto fn` computes, its gradients among it, without a word on where anything
// lies. What the text says of layouts is beside it, as pins.
//
// Say, `let h = x @ w as [8@d, 4]` is a contraction, and a redistribution of its result from whole to whole, whose
// pin is [8@d, 4].
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "synth/layout/layout.hpp"
#include "typeck/open/open.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

struct WholeFunction {
  struct Name {
    std::string name;
    base::Span span;
    NodeId node;
  };

  // A node of a gradient: for which node of a function it was made, and which call of that function.
  struct MadeFor {
    open::ValueId node;
    open::InstanceId function;
    open::ValueId entered;
  };

  // Its nodes, those of the functions that it calls, and no statement. Of types only elements, shapes and meshes count.
  Typed typed;
  InstanceId instance;
  // Of parameters, constructors, values of the session, and of redistributions, which stand for `as` and its like:
  // other redistributions mean nothing.
  std::map<NodeId, synth::Layout> pins;
  // Values from around the function, and which typed nodes they are there.
  std::map<NodeId, NodeId> outside;
  // Products through which the program says that sums pass.
  std::set<NodeId> scaling;
  // Of instances of an `auto fn`: the parameter that each result lies as.
  std::map<InstanceId, std::vector<std::optional<std::size_t>>> results_as;
  std::map<NodeId, MadeFor> made_for;
  std::vector<Name> names;  // that the function's body binds
};

}  // namespace tessera::typeck
