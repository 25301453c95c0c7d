#include "repl/line/estimate_options.hpp"

#include <fmt/format.h>

#include <charconv>

namespace tessera::repl {

namespace {

// The pieces between commas.
std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> all;
  std::size_t depth = 0;
  all.emplace_back();
  for (const char c : text) {
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && depth > 0) --depth;
    if (c == ',' && depth == 0) {
      all.emplace_back();
    } else {
      all.back() += c;
    }
  }
  return all;
}

}  // namespace

void add_estimate(CLI::App& app, EstimateWishes& wishes) {
  CLI::App* command = app.add_subcommand("estimate", "Say what a script would take on a machine; runs nothing.");
  EstimateOptions& options = wishes.options;
  command->add_option("FILE", options.file, "the script, or - for standard input")->type_name("")->required();
  command->add_option("--machine", wishes.machines, "a machine model, as JSON; several, with commas: a row for each")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--define", wishes.defines,
                   "replace the value of a top-level `let N = ...`; several: a row for each")
      ->type_name("N=V,..")
      ->allow_extra_args(false);
  command
      ->add_option("--devices", wishes.devices,
                   "so many devices, on the outermost axis of the mesh; several: a row for each")
      ->type_name("D,..");
  command->add_flag("--together", options.together, "lists go hand in hand, instead of every combination")
      ->disable_flag_override();
  command->add_option("--by", wishes.order, "order of the statements: time (the default) or lines")
      ->type_name("ORDER")
      ->check(CLI::IsMember({"time", "lines"}).description(""));
  command->add_option("--place", options.place, "where the mesh lies on the machine: auto or a matrix, [[4,4],[1,4]]")
      ->type_name("PLACE");
  command->add_flag("--json", options.json, "one JSON object for each row, in one line")->disable_flag_override();
  command->add_option("-o,--output", options.output, "the picture as an HTML page, or - for standard output")
      ->type_name("PAGE");
}

Read<EstimateOptions> finished_estimate(EstimateWishes& wishes) {
  EstimateOptions& options = wishes.options;
  for (const std::string& define : wishes.defines) {
    const std::size_t equals = define.find('=');
    if (equals == 0 || equals == std::string::npos)
      return {std::nullopt, fmt::format("--define needs NAME=VALUE, not `{}`", define)};
    options.defines.emplace_back(define.substr(0, equals), listed(define.substr(equals + 1)));
  }
  for (const std::string& machines : wishes.machines) {
    for (std::string& file : listed(machines)) options.machine_files.push_back(std::move(file));
  }
  for (const std::string& text : wishes.devices.empty() ? std::vector<std::string>{} : listed(wishes.devices)) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || end != text.data() + text.size() || count < 1)
      return {std::nullopt, fmt::format("--devices needs numbers of devices, not `{}`", text)};
    options.devices.push_back(count);
  }
  if (wishes.order == "lines") options.order = EstimateOptions::Order::lines;
  if (options.json && options.output) return {std::nullopt, "--json and -o exclude each other"};
  return {std::move(options), ""};
}

}  // namespace tessera::repl
