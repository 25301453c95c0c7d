// A choice: the layouts of a program, the conversions between them, and how far from the best possible it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "synth/layout/layout.hpp"
#include "synth/program/choice/lives.hpp"

namespace tessera::synth {

struct Plan;

// FOREACH(identifier, "name"): what showed that no program is better.
#define TESSERA_CHOICE_PROOFS(FOREACH)                                           \
  FOREACH(ascent, "ascent")           /* the bound reached the program */        \
  FOREACH(elimination, "elimination") /* all others were minimised away */       \
  FOREACH(walk, "walk")               /* all that could be better were walked */ \
  FOREACH(branching, "branching")     /* so were all parts of them */            \
  FOREACH(limit, "limit")             /* nothing did: the gap says what is open */

enum class ChoiceProof : std::uint8_t {
#define MEMBER(identifier, text) identifier,
  TESSERA_CHOICE_PROOFS(MEMBER)
#undef MEMBER
};
std::string_view name(ChoiceProof proof);

// A value's copy in another layout, made once for all uses that take it.
struct ChosenConversion {
  ChoiceValueId value;
  std::optional<std::size_t> of_copy;  // it is made from this conversion's copy; nothing: from the value as it is made
  double executions = 1;
  std::shared_ptr<const Plan> plan;  // verified
};

// A use takes the value as it is made, or a copy; where that is larger than what it wants, its part.
struct ChosenUse {
  Layout layout;                    // that is wanted
  std::optional<std::size_t> copy;  // a conversion's number; nothing: the value as it is made
};

struct ChosenNode {
  std::vector<ChosenUse> uses;
  std::optional<Layout> result;
};

// What a device needs and has not, under the layouts that need the least of all that were found.
struct MemoryShortage {
  std::size_t device = 0;         // of the mesh: the one that lacks the most
  std::size_t moment = 0;         // in which it does (lives.hpp)
  std::int64_t memory_bytes = 0;  // that it holds
  std::int64_t least_bytes = 0;   // no layouts need less there; not above memory_bytes where nothing is proved
};

struct LayoutChoice {
  std::vector<ChosenNode> nodes;              // of the problem
  std::vector<ChosenConversion> conversions;  // each after the one that it is made from
  double seconds = 0;                         // local steps and conversions, times executions
  double local_seconds = 0;                   // of it, the local steps
  double bound_seconds = 0;                   // no program takes less
  ChoiceProof proof = ChoiceProof::limit;
  std::size_t operations = 0;  // and joins
  std::size_t strategies = 0;  // of all of them
  std::size_t plans = 0;       // conversions that were priced
  // Where the problem says when its values are in memory, and the machine how much there is: the most bytes at once on
  // every device of the mesh, and what is lacking if no layouts were found that fit.
  std::vector<std::int64_t> peak_bytes;
  std::optional<MemoryShortage> shortage;

  double gap() const { return seconds > 0 ? (seconds - bound_seconds) / seconds : 0; }
};

}  // namespace tessera::synth
