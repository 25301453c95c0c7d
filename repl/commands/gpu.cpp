// `tessera gpu`: the GPUs that there are, and what programs need to run on them.
#include "tessera/gpus.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "repl/commands/commands.hpp"
#include "repl/process/exit.hpp"
#include "repl/render/table.hpp"
#include "repl/render/units.hpp"

namespace tessera::repl {

namespace {

std::string gpus_text(const std::vector<Gpu>& gpus) {
  if (gpus.empty()) return "no GPU\n";
  std::vector<Row> rows = {{"GPU", "name", "memory", "free", "architecture", "multiprocessors"}};
  for (const Gpu& gpu : gpus) {
    rows.push_back({fmt::format("{}", gpu.number), gpu.name, bytes_text(gpu.memory_bytes), bytes_text(gpu.free_bytes),
                    gpu.architecture, fmt::format("{}", gpu.processors)});
  }
  return table(rows);
}

// Where it was found; of one that was not found, all places.
std::string library_text(const GpuLibrary& library) {
  const std::string version = library.version.empty() ? "" : " " + library.version;
  if (library.missing.empty()) return fmt::format("{}{}: {}\n", library.name, version, library.found);
  std::string text = fmt::format("{}{}: {}\n", library.name, version, library.missing);
  for (const GpuLibraryPlace& at : library.places)
    text += fmt::format("  {}: {}\n", at.place, at.why_not.empty() ? "found" : at.why_not);
  return text;
}

std::string cache_text(const GpuReport& report) {
  if (report.cache_folder.empty()) return "kernels: none are kept, as no folder can be written\n";
  return fmt::format("kernels: {}, {}, {}\n", report.cache_folder, counted(report.cache_files, "file", "files"),
                     bytes_text(report.cache_bytes));
}

nlohmann::ordered_json json_of(const GpuLibrary& library) {
  nlohmann::ordered_json json = {{"name", library.name}, {"found", library.found}, {"version", library.version}};
  if (!library.missing.empty()) json["missing"] = library.missing;
  json["places"] = nlohmann::ordered_json::array();
  for (const GpuLibraryPlace& at : library.places)
    json["places"].push_back({{"place", at.place}, {"why_not", at.why_not}});
  return json;
}

std::string json_text(const GpuReport& report) {
  nlohmann::ordered_json json = {{"gpus", nlohmann::ordered_json::array()},
                                 {"libraries", nlohmann::ordered_json::array()}};
  for (const Gpu& gpu : report.gpus) {
    json["gpus"].push_back({{"number", gpu.number},
                            {"name", gpu.name},
                            {"memory_bytes", gpu.memory_bytes},
                            {"free_bytes", gpu.free_bytes},
                            {"architecture", gpu.architecture},
                            {"multiprocessors", gpu.processors}});
  }
  for (const GpuLibrary& library : report.libraries) json["libraries"].push_back(json_of(library));
  json["kernels"] = {{"folder", report.cache_folder}, {"files", report.cache_files}, {"bytes", report.cache_bytes}};
  json["problems"] = nlohmann::ordered_json::array();
  for (const Diagnostic& problem : report.problems)
    json["problems"].push_back({{"error", problem.slug}, {"message", problem.message}});
  return json.dump() + "\n";
}

int compile_one(const std::string& file, const GpuOptions& options, Console& console) {
  auto read = script_to_check(file, std::nullopt, "", console);
  if (!read) return kExitCommand;
  read->config.products = options.products == "ordered" ? Products::ordered : Products::blas;
  const auto made = compile_kernels(read->script.text, read->script.name, options.architecture, read->config);
  if (!made) return failed(made.diagnostics(), console);
  console.out(fmt::format("{}: {} for {}, {} of them compiled now, by NVRTC {}, in {}\n", read->script.name,
                          counted(made->kernels, "kernel", "kernels"), options.architecture, made->compiled,
                          made->compiler, made->folder));
  return kExitDone;
}

}  // namespace

int perform(const GpuOptions& options, Console& console) {
  int status = kExitDone;
  for (const std::string& file : options.files) {
    if (const int one = compile_one(file, options, console); one != kExitDone) status = one;
  }
  if (!options.files.empty()) return status;
  const GpuReport report = gpus();
  if (options.json) {
    console.out(json_text(report));
  } else {
    std::string text = gpus_text(report.gpus);
    for (const GpuLibrary& library : report.libraries) text += library_text(library);
    console.out(text + cache_text(report));
  }
  return report.problems.empty() ? kExitDone : failed(report.problems, console);
}

}  // namespace tessera::repl
