// Facts: the figures that a lesson asks for. Each is measured on the library's own arrays and plans, so a lesson's file
// holds no result that could be wrong.
#pragma once

#include <string>
#include <vector>

#include "repl/course/values.hpp"

namespace tessera::repl {

// FOREACH(identifier, "name in a lesson's file"). `NAME of SUBJECT`, where the subject is
// an array, perhaps with a device:
//   tile of a on x=1        the shape of what a device holds (without a device: the first one)
//   bytes of a on x=1       its bytes
//   copies of a             how many devices hold each element
// or a change of layout: any expression that communicates, such as `a as [8, 8@x]`:
//   received of C           bytes that the busiest device receives
//   total of C              bytes that all devices receive
//   peak of C               the most bytes alive on a device
//   launches of C           collectives that are started
//   idle of C               the devices that receive nothing, in ascending order
//   least peak of C         the least budget of `within` that the planner grants, rounds included
//   crossing of C over nodes of 4   bytes that come into the node that most come into
// or an expression with one pipeline:
//   in flight of E          microbatches in flight on each stage
// or any expression that computes (tessera/estimate.hpp):
//   operations of E         of floating point, by all devices together
//   traffic of E            bytes that all devices read and write in their own memories
// or a rank:
//   layouts of rank 2       different layouts of an array of rank 2 on the mesh; `layouts of rank 2 with pending`
// Anything else is an expression of the language, whose value is the fact.
#define TESSERA_MEASURES(FOREACH)   \
  FOREACH(tile, "tile")             \
  FOREACH(bytes, "bytes")           \
  FOREACH(copies, "copies")         \
  FOREACH(received, "received")     \
  FOREACH(total, "total")           \
  FOREACH(peak, "peak")             \
  FOREACH(launches, "launches")     \
  FOREACH(idle, "idle")             \
  FOREACH(least_peak, "least peak") \
  FOREACH(crossing, "crossing")     \
  FOREACH(in_flight, "in flight")   \
  FOREACH(operations, "operations") \
  FOREACH(traffic, "traffic")       \
  FOREACH(layouts, "layouts")

struct Fact {
  Numbers value;
  std::string counterexample;  // a picture for those who have another number: who holds what
};

// In a session that has run what the lesson gives. Why not, if the text makes no sense there.
Read<Fact> measure(const Session& session, std::string_view text);

}  // namespace tessera::repl
