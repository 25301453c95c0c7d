// Cuts the work of one microbatch of a pipeline into visits. A visit is the steps of one mesh with equally many borders
// before them, the most on any way from the body's inputs. A border is a step that brings a value from one mesh to
// another; it belongs to the visit that made the value.
//
// - A step without a border before it goes with the first visit of its mesh that sends or gets something.
// - A step that reads a carried value, or follows from one, goes with the last visit of its mesh: then carried values
//   are handed on in the order of microbatches, whatever runs when.
// - A step that only later visits need is computed there if that keeps no more alive in between: constants, slices.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "synth/program/program.hpp"

namespace tessera::synth {

// Numbers of steps of the body, ascending.
struct CutVisit {
  MeshRef mesh;
  std::vector<std::size_t> main;  // what the visit's own borders wait for
  std::vector<std::size_t> borders;
  std::vector<std::size_t> rest;
};

struct Cut {
  std::vector<CutVisit> visits;  // none waits for a later one
  std::vector<std::uint32_t> carried_by;
};

// Why a body cannot be cut.
struct CutFault {
  enum class Reason : std::uint8_t {
    chained,  // the border waits for a carried value, so that microbatches cannot overlap
    hidden,   // a loop or branch inside the body spans several meshes
    effect,   // a step prints or saves something
  };
  Reason reason = Reason::chained;
  std::size_t step = 0;
  std::size_t parameter = 0;  // chained
};

std::variant<Cut, CutFault> cut_visits(const Program& program, const Body& body,
                                       const std::vector<RegisterId>& parameters, const std::vector<RegisterId>& next);

// The bodies of the visits. If they are late, the rest comes after the borders, else before.
std::vector<Body> visit_bodies(const Cut& cut, Body body, bool late);

// Does the step bring a value to another mesh?
bool is_border(const Program& program, const Step& step);

}  // namespace tessera::synth
