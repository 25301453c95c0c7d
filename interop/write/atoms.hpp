// Private to the emitter of JAX: a mesh cut into the parts of axes that a plan uses, each an axis of JAX's mesh.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "synth/moves/plan/plan.hpp"

namespace tessera::interop {

struct Atom {
  std::string name;
  synth::AxisPart part;
};

class Atoms {
 public:
  // Of the parts that a plan's ends use, and the steps from `steps` if they are to be taken one by one; nothing where
  // they overlap otherwise than one within the other.
  static std::optional<Atoms> of(const synth::Plan& plan, bool with_steps);

  const std::vector<Atom>& all() const { return atoms_; }
  // `'x', 'y_1'`, the major one first.
  std::string names(const synth::AxisList& axes) const;
  // `'x'` or `('x', 'y')`; `None` of an empty list.
  std::string entry(const synth::AxisList& axes) const;

 private:
  std::vector<Atom> atoms_;
};

}  // namespace tessera::interop
