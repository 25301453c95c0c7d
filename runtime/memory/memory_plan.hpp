// The memory plan: where every register of a program lives, decided before anything runs. All sizes are known, so the
// peak is known too, to the byte.
//
// A register is an input (it stays where the caller has it), or a view of another register (a slice, a window, or a
// reshape of a dense array), or it owns a place in the arena; a window has one for the rows that its source's tile
// lacks (window_edges.hpp). Its offset is the same on all devices of its mesh; on
// others it takes no room, so that arrays on meshes that share no device may have one offset at once. An array is alive
// from the step that makes it to the last step that reads it or a view of it. Eight things save memory and copies:
// - elementwise steps and reductions in a row are taken together, and an array that only they read has no place
//   (`blocks`, chains.hpp);
// - an elementwise result takes over the place of an operand that dies in the step, and an updated array that of its
//   base (`takes_over`);
// - a value carried by a loop has one place, that of its result, if each turn writes it over what the turn before has
//   left (`shares`, in_place.hpp). The first turn reads the initial value where it is; if that dies with the loop, the
//   result takes over its place;
// - any other has two places, that of its parameter and that of its result, used alternately: each turn writes the
//   place that the next turn reads, and the last turn writes the result's place. If the initial value dies with the
//   loop, its place is the parameter's (`adopts`);
// - slices that alone would keep an array alive are copied where that lowers the peak (pins.hpp);
// - what is laid over an array whose memory the result takes is made there (`part`, written_parts.hpp);
// - a value that lives from visit to visit of a pipeline has an offset for each microbatch of it that is alive at
//   once (`microbatch_offsets`);
// - a loop's next value or a branch's result is written straight to its destination by the step that computes it
//   (`written_to`).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "synth/program/program.hpp"

namespace tessera::runtime {

struct WindowEdges;

struct RegisterPlan {
  enum class Where : std::uint8_t {
    nowhere,  // written by no step
    blocks,   // made and read by the steps of one chain, a block at a time
    input,    // in the caller's memory
    arena,    // at `offset` of the part of every device of its mesh
    slice,    // the part of `source` that lies in this register's tiles, or a window of it (windows.hpp)
    reshape,  // `source` under another shape
    part,     // made at `begin` of `source`, which a later step makes of it; and at the part's edges
  };
  Where where = Where::nowhere;
  synth::RegisterId source;  // slice, reshape: the register this is a view of; part: that it is of
  synth::Shape begin = {};   // of a window, a part: where it begins in the source; else empty
  bool moves = false;        // a window: its step finds out where it begins (run-time starts)
  std::shared_ptr<const WindowEdges> edges = nullptr;  // of these: what the source's tiles lack; null: nothing
  synth::RegisterId root;        // whose memory this is, at the end of all views: the register itself, or another
  std::int64_t offset = 0;       // arena, edges; not if `written_to` or `shares` is valid: the loop or branch moves it
  synth::RegisterId written_to;  // valid: the result of the loop or branch around whose place this is written to
  bool adopts = false;           // a loop's parameter: its place is the initial value's
  bool dense = true;             // is every tile surely dense?
  bool is_begun = false;         // its place is in use from the step on that makes a part of it
  synth::RegisterId takes_over;  // valid: the operand, or a loop's initial value, whose place this takes
  synth::RegisterId shares;      // valid: while this loop runs, its place is that of the loop's result
  // Not empty: alive from visit to visit of a pipeline; microbatch k lies at microbatch_offsets[k mod their number].
  std::vector<std::int64_t> microbatch_offsets = {};
};

struct BodyPlan;

// A loop's result whose place others share; the loop tells them where it is.
struct SharedPlace {
  synth::RegisterId result;
  std::vector<synth::RegisterId> by;
};

// What a chain writes a part of: around the part it is its base, which most often lies there already.
struct BegunResult {
  synth::RegisterId base;
  synth::RegisterId result;
  synth::RegisterId part;
};

struct StepPlan {
  std::size_t chain_end = 0;   // not 0: the steps up to there are taken together with this one (chains.hpp)
  std::size_t chain_lead = 0;  // the dimensions that its blocks are cut along
  bool has_edges = false;      // the chain reads windows with edges, or writes such parts: it is taken by
                               // sections (sections.hpp)
  std::vector<BegunResult> begins = {};
  std::int64_t beside_offset = 0;       // where every device has room for what the step needs beside its arrays
  std::int64_t beside_bytes = 0;        // and how much
  synth::RegisterId beside_of;          // the result; the devices of its mesh have that room
  std::vector<synth::RegisterId> born;  // registers whose memory is in use from the start of the step
  std::vector<synth::RegisterId> dies;  // and those whose is no more after it
  std::vector<BodyPlan> bodies;         // repeat: the body; choose: then, else; pipeline: its visits
  // The registers that a pipeline's visits make or read and that live from visit to visit.
  std::vector<std::vector<synth::RegisterId>> turning = {};
  std::vector<SharedPlace> shared = {};  // repeat: of its results, those that inner loops have no part in
};

struct BodyPlan {
  std::vector<StepPlan> steps;
};

struct MemoryPlan {
  std::vector<RegisterPlan> registers;
  BodyPlan body;
  std::vector<std::int64_t> arena_bytes;  // of every device of the run: the end of the last array
  std::int64_t peak_bytes = 0;    // payload alive on a device, inputs included, the largest over steps and devices
  std::uint32_t peak_origin = 0;  // the origin of the first step that needs it
  std::int64_t total_bytes = 0;   // of all devices: arenas, inputs, copies handed back; stops at the largest number

  const RegisterPlan& operator[](synth::RegisterId id) const { return registers[id.value]; }
};

}  // namespace tessera::runtime
