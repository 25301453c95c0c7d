// The data of a drawn page, as JSON for the page's script:
//
//     name, summary, machine
//     program: [line, ...]
//     parts: [{line, who, op, does, received_bytes_total, at_most,
//              arrays: [as in changes, without lower bound and seconds; steps have at_most, moments a shape of their
//              own]}]
//     work: [{line, step, seconds, slowest, fastest_seconds}]
//     pipelines: [as `tessera check --json` prints them]
//     estimate: as `tessera estimate --json` prints it, with steps: [{line, name, times, operations, memory_bytes,
//               received_bytes, seconds, moves}], loads: [{device, compute_seconds, peak_bytes, memory_bytes}], shares:
//               [{axis, cut, weights}], and sweep: [{told: [[name, value]], seconds, move_seconds}]
//     changes: [{line, why, from, to, mesh: [{name, size}], shape,
//                received_bytes_total, lower_bound_bytes_total, local_bytes_max, bound_bytes, peak_bytes, seconds,
//                steps: [{op, detail, received_bytes_total, received_bytes_max, peak_bytes,
//                         hops, stretches, hop_lines: [text, ...], busy, moves: [{source, target, box, hop}]}],
//                moments: [{type, mesh, contributions, pattern: [text, ...],
//                           devices: [{number, name, box, bytes, contribution, received_bytes}]}]}]
//
// A lesson has `lesson` as well, {text: [line, ...], goal}; its changes are the given arrays as they lie: no step, one
// moment, and a `label`.
//
// `parts` lists what operations move without a plan: boxes, carries, rows; `arrays` draws them. `work` lists the times
// of local steps, the longest first, if the machine describes its devices. A moment is what the devices hold between
// two steps. For a large mesh only some devices are listed, and `pattern` describes in words how all of them hold the
// array. `busy` names the links that a step keeps busy, and `hop_lines` tells who sends to whom in each hop of a relay
// or of a reduction by a program. A moment's `mesh` is the one that the array is on then, and its devices are those of
// that mesh; their numbers, and a move's source and target, are devices of the run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/course/lesson.hpp"
#include "repl/estimate/sweep.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

// In one line, fit to stand inside a script element.
std::string page_data(std::string_view name, std::string_view text, std::string_view machine, const Program& program,
                      const std::vector<SweptEstimate>& sweep);

// `given` is a session after the lesson's program.
std::string lesson_data(const Lesson& lesson, const std::string& title, const Session& given);

}  // namespace tessera::repl
