#include "repl/line/layout_options.hpp"

#include <fmt/format.h>

#include "repl/line/misuse.hpp"
#include "tessera/interop.hpp"

namespace tessera::repl {

namespace {

struct FormatHelp {
  const char* format;
  const char* type;
  const char* example;
};

// What each format's option shows in the help.
constexpr FormatHelp kFormats[] = {
    {"hlo", "SHARDING", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"},
    {"sdy", "SHARDING", "#sdy.sharding<@mesh, [{\"x\"}, {}]>"},
    {"jax", "SPEC", "P('x', None), NamedSharding(..), float32[8@x,8]"},
    {"dtensor", "PLACEMENTS", "[S(0), R]"},
    {"alpa", "SPEC", "S01R"},
};

void add_numbers(CLI::App* command, std::string& shape, std::int64_t& bytes, std::int64_t& devices, const char* group) {
  command->add_option("--shape", shape, "the array's shape, which such texts leave out: f32[16,16]")
      ->type_name("SHAPE")
      ->group(group);
  command->add_option("--bytes", bytes, "take a type of that width for an element type that Tessera lacks: 1 2 4 8")
      ->type_name("N")
      ->check(CLI::IsMember({1, 2, 4, 8}).description(""))
      ->group(group);
  command->add_option("--devices", devices, "how many devices there are, where no text says it")
      ->type_name("N")
      ->check(CLI::Range(1, 65536).description(""))
      ->group(group);
}

}  // namespace

void add_convert(CLI::App* convert, ConvertWishes& wishes) {
  ConvertOptions& options = wishes.options;
  const auto add = [&](const char* format, const std::string& option, const char* type, const std::string& about) {
    const auto take = [&wishes, format](const std::string& text) {
      wishes.options.text = ForeignText{format, text};
      ++wishes.texts;
    };
    convert->add_option_function<std::string>(option, take, about)->type_name(type);
  };
  for (const FormatHelp& one : kFormats) add(one.format, fmt::format("--{}", one.format), one.type, one.example);
  add("tessera", "--type", "TYPE", "a type of ours: f32[16@x,16]");
  convert->add_option("--mesh", options.mesh, "the mesh: x:4,y:2, <[\"x\"=4]> or Mesh('x': 4)")->type_name("MESH");
  add_numbers(convert, options.shape, options.bytes, options.devices, "OPTIONS");
  convert->add_option("--leaf", options.leaf, "which sharding of a tuple, from 0")
      ->type_name("N")
      ->check(CLI::Range(0, 1 << 30).description(""));
  convert->add_option("--to-format", options.to_format, "write it, too: hlo sdy jax dtensor alpa")->type_name("FORMAT");
  convert->add_option("--batch", options.batch_file, "a JSON object a line: format, text, shape, mesh, devices")
      ->type_name("FILE");
  convert->add_flag("--json", options.json, "one JSON object in one line")->disable_flag_override();
}

Command finished_convert(ConvertWishes& wishes) {
  ConvertOptions& options = wishes.options;
  if (options.batch_file && wishes.texts > 0) return misused("--batch takes its texts from the lines of its file");
  if (!options.batch_file && wishes.texts != 1) {
    return misused(
        "convert needs one layout: --hlo, --sdy, --jax, --dtensor, --alpa or --type, or --batch FILE\n"
        "  help: tessera convert --jax \"P('x', None)\" --mesh x:4 --shape f32[16,16]");
  }
  return std::move(options);
}

void add_foreign_ends(CLI::App* plan, PlanOptions& options) {
  const char* group = "Layouts of other systems";
  for (const FormatHelp& one : kFormats) {
    const std::string format = one.format;
    const auto add = [&](const char* side, std::optional<ForeignText>& target) {
      const auto take = [&target, format](const std::string& text) { target = ForeignText{format, text}; };
      plan->add_option_function<std::string>(fmt::format("--{}-{}", side, format), take, one.example)
          ->type_name(one.type)
          ->group(group);
    };
    add("from", options.foreign_from);
    add("to", options.foreign_to);
  }
  add_numbers(plan, options.shape, options.bytes, options.devices, group);
  plan->add_option("--emit", options.emit, fmt::format("the plan as a program: {}", fmt::join(emit_targets(), ", ")))
      ->type_name("TARGET")
      ->check(CLI::IsMember(emit_targets()).description(""))
      ->group(group);
}

std::optional<std::string> misused_ends(const PlanOptions& options) {
  if (options.batch_file) return "--batch takes its types from the lines of its file";
  if (options.to_mesh) return "layouts of other systems are planned on one mesh, without --to-mesh";
  const bool has_from = options.from || options.foreign_from;
  const bool has_to = options.to || options.foreign_to;
  if (!has_from || !has_to) return "a plan has two ends: --from or --from-FORMAT, and --to or --to-FORMAT";
  if ((options.from && options.foreign_from) || (options.to && options.foreign_to))
    return "each end of a plan is said once: --from or --from-FORMAT, and --to or --to-FORMAT";
  if ((options.from || options.to) && !options.mesh) return "a type of ours needs its mesh: --mesh x:4,y:2";
  return std::nullopt;
}

}  // namespace tessera::repl
