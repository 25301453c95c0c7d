// The options of a check, for callers to set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/stop.hpp"
#include "frontend/ast.hpp"
#include "synth/layout/element.hpp"
#include "synth/layout/place_matrix.hpp"
#include "synth/layout/shape.hpp"
#include "synth/layout/weights.hpp"
#include "synth/program/program.hpp"
#include "synth/program/schedule/pipeline_plan.hpp"
#include "typeck/open/limits.hpp"
#include "typeck/text/stages.hpp"

namespace tessera::typeck {

enum class ReshardPolicy : std::uint8_t { silent, warn, error };

struct FileHeader {
  synth::ElementType element = synth::ElementType::f32;
  synth::Shape shape;
};

// `--place`: where the meshes of a text lie on the machine, instead of where the text says.
struct PlaceWish {
  bool automatic = false;                                   // as if each said `place auto`
  std::optional<synth::PlaceMatrix> matrix = std::nullopt;  // as if each said `place` and this
};

// The matrices of the meshes of a text that say `auto`, in order; without one, row-major order.
using Placements = std::vector<std::optional<synth::PlaceMatrix>>;

// How layouts of an `auto fn` are chosen.
struct ChooseWish {
  std::size_t sweeps = 60;  // of the search for a bound
  bool is_untied = false;   // each call of a function inside is laid out by itself
  bool rivals = false;      // what others would choose is priced, too
  // Calls inside of a gradient are laid out alike, too, in functions of more operations than this over one axis.
  std::size_t tied_above = 1'000;
};

// A file that a `use` names, read; or why it is not.
struct UsedFile {
  std::shared_ptr<const frontend::Ast> ast;
  base::Diagnostics why = {};
};
// By the text that uses it, and how it is written there.
using UsedFiles = std::map<std::pair<base::SourceId, std::string>, UsedFile>;

struct CheckOptions {
  ReshardPolicy reshard = ReshardPolicy::silent;
  // `--define N=V`: replaces the value of a top-level `let N = ...`; the text is an expression.
  std::map<std::string, std::string> defines;
  // Asked for the extents `_` of load; without it `_` is an error.
  std::function<base::Result<FileHeader>(const std::string& path)> file_header;
  bool bare_expressions = false;  // REPL: a bare expression is shown, not refused
  // The number of a text's first line, for `plan` to say where; without it 1.
  std::function<std::uint32_t(base::SourceId source)> first_line = {};
  // Computes what every pipeline of a device program needs on every device, for `plan` to say; without it `plan` does
  // not.
  std::function<std::vector<synth::PipelinePeaks>(const synth::Program& program)> pipeline_peaks = {};
  // The most bytes that every device of a device program needs at once; asked for where a machine says how much memory
  // devices have and layouts are chosen. Without it the choice's own count decides.
  std::function<std::vector<std::int64_t>(const synth::Program& program)> device_peaks = {};
  base::StopToken stop = {};  // ends the check with `interrupted`
  PlaceWish place = {};
  std::int64_t devices_max = 0;  // of a mesh that the text declares; 0: no limit but the language's
  std::size_t values_max = kCheckedValuesMax;
  std::size_t steps_max = synth::kProgramStepsMax;  // of device programs that are made to find something out
  std::optional<Stage> text_after = {};             // of which stage the text is wanted, in Typed::stage_text
  ChooseWish choose = {};
  // Of the cuts of the text that say `work(auto)`, in order; without one, by the speed of devices.
  std::vector<synth::Weights> weights = {};
  UsedFiles used = {};  // all that the text uses, and what they use
  // The text of the library that declares a function of that name; empty where none does.
  std::string_view (*library_of)(std::string_view function) = nullptr;
};

}  // namespace tessera::typeck
