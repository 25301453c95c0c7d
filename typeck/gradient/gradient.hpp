// `grad(f, wrt=[w, b])(x, w, b)` as open nodes: f computed where the gradient stands, and its reverse pass. Gradients
// inside of f are open nodes already, so a gradient of a gradient needs nothing of its own.
//
// Example: `grad(loss, wrt=w)(x, w)` of `fn loss(x: f32[B, D]?, w: f32[D]?) = sum(x @ w)` becomes
//
//     %0, %1 = enter loss (x, w)             its layouts are checked for x and w
//     %2 = product ik,k->i (%0, %1)          forward, again: as in loss
//     %3 = reduce sum 0 (%2)                 forward, again
//     %4 = constant 1                        backward from here on
//     %5 = used 0 of %3 (%2)                 %2 as the sum had it
//     %6 = unsqueeze 0 (%4)
//     %7 = broadcast (%6)                    wished to lie as %5 does
//     %8 = back 0 of %3 (%7)                 to where %2 lies
//     %9, %10 = used 0, 1 of %2 (%0, %1)
//     %11 = product i,ik->k (%8, %9)         wished to lie as %10 does
//     %12 = back 1 of %2 (%11)               to where w lies, back through what was done to w for the product
//     gradient (%3, %12)
//
// Nothing here knows a layout. `insert` finds where `used`, `back` and wishes lie.
#pragma once

#include <vector>

#include "typeck/gradient/graph.hpp"

namespace tessera::typeck::gradient {

// A gradient as it is written.
struct Written {
  open::InstanceId instance;
  std::vector<Use> arguments;
  std::vector<std::size_t> parameters;  // those it is taken with respect to
  std::vector<Span> spans;              // where they were named
  bool names_parameters = false;        // they were listed
  Span span;
};

// Enters the function: its layouts are checked for the arguments. Gives them.
ValueId enter(Graph& graph, const Written& written);
// Gives an open::Gradient of these types. It has no results where a message says why.
ValueId differentiate(Graph& graph, const Written& written, std::vector<open::Type> types);

}  // namespace tessera::typeck::gradient
