#include "tests/cases/scenario.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tessera::cases {

namespace {

namespace fs = std::filesystem;

// Calls f with each line of a section that is not empty.
template <class F>
void for_each_line(const Section& section, F f) {
  std::istringstream in(section.options.empty() ? section.body : section.options);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) f(line);
  }
}

void read_defines(const Section& section, Settings& settings, Faults& faults) {
  for_each_line(section, [&](const std::string& line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) {
      faults.push_back(fmt::format("{}: a define is written NAME=VALUE", section.line));
    } else {
      settings.defines[line.substr(0, equals)] = line.substr(equals + 1);
    }
  });
}

void read_reshard(const Section& section, Settings& settings, Faults& faults) {
  const std::string policy = setting(section);
  if (policy == "silent")
    settings.reshard = Reshard::silent;
  else if (policy == "warn")
    settings.reshard = Reshard::warn;
  else if (policy == "error")
    settings.reshard = Reshard::error;
  else
    faults.push_back(fmt::format("{}: the policy is silent, warn or error, not `{}`", section.line, policy));
}

// One for all units, or one for each.
bool read_bandwidths(const std::string& text, MachineLevel& level) {
  std::istringstream in(text);
  std::vector<double> all;
  for (std::string figure; std::getline(in, figure, ',');) {
    double bandwidth = 0;
    const auto [end, error] = std::from_chars(figure.data(), figure.data() + figure.size(), bandwidth);
    if (error != std::errc() || end != figure.data() + figure.size()) return false;
    all.push_back(bandwidth);
  }
  if (all.empty()) return false;
  level.bandwidth_bytes_per_second = all.front();
  if (all.size() > 1) level.unit_bandwidths = std::move(all);
  return true;
}

// `devices COUNT FLOPS BYTES-PER-SECOND MEMORY`.
bool read_devices(std::istringstream in, Settings& settings) {
  std::string word;
  DeviceKind kind;
  in >> word >> kind.count >> kind.flops_per_second >> kind.bandwidth_bytes_per_second >> kind.memory_bytes;
  if (!in || word != "devices") return false;
  settings.devices.push_back(kind);
  return true;
}

void read_machine(const Section& section, Settings& settings, Faults& faults) {
  for_each_line(section, [&](const std::string& line) {
    if (read_devices(std::istringstream(line), settings)) return;
    MachineLevel level;
    std::string bandwidths;
    std::istringstream in(line);
    if (in >> level.name >> level.count >> bandwidths >> level.latency_seconds && read_bandwidths(bandwidths, level)) {
      settings.machine.push_back(level);
    } else {
      faults.push_back(
          fmt::format("{}: a level is written NAME COUNT BYTES-PER-SECOND[,BYTES-PER-SECOND...] SECONDS, and "
                      "devices are written devices COUNT FLOPS BYTES-PER-SECOND MEMORY",
                      section.line));
    }
  });
}

void read_tolerance(const Section& section, Settings& settings, Faults& faults) {
  const std::string text = setting(section);
  double tolerance = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tolerance);
  if (error != std::errc() || end != text.data() + text.size() || !(tolerance > 0)) {
    faults.push_back(fmt::format("{}: a tolerance is a number above 0, not `{}`", section.line, text));
  }
  settings.tolerance = tolerance;
}

void keep_values(const Session& session, RunRecord& record) {
  for (const Binding& binding : session.names()) {
    const auto array = session.get(binding.name);
    if (array.ok()) record.values[binding.name] = BoundArray{array->element(), array->shape(), array->bytes()};
  }
}

}  // namespace

std::variant<Settings, Faults> read_settings(const CaseFile& file) {
  Settings settings;
  Faults faults;
  for (const Section& section : file.sections) {
    switch (section.kind) {
      case SectionKind::define: read_defines(section, settings, faults); break;
      case SectionKind::reshard: read_reshard(section, settings, faults); break;
      case SectionKind::machine: read_machine(section, settings, faults); break;
      case SectionKind::tolerance: read_tolerance(section, settings, faults); break;
      case SectionKind::files: settings.files = content(section); break;
      case SectionKind::text: settings.texts[section.options] = content(section); break;
      case SectionKind::source:
      case SectionKind::skip:
      case SectionKind::errors:
      case SectionKind::types:
      case SectionKind::plan:
      case SectionKind::count:
      case SectionKind::typed:
      case SectionKind::program:
      case SectionKind::run:
      case SectionKind::repl: break;
    }
  }
  if (!faults.empty()) return faults;
  return settings;
}

RunFolder::RunFolder(const Settings& settings) : path_((fs::temp_directory_path() / "tessera-case-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no folder can be made for a case's files");
  for (const auto& [name, text] : settings.texts) {
    const fs::path file = fs::path(path_) / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  if (settings.files.empty()) return;
  std::string output;
  Session session(configuration(Settings{}, *this, KeepValues::no, output));
  problems_ = session.run(settings.files, "files").diagnostics();
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Config configuration(const Settings& settings, const RunFolder& folder, KeepValues keep, std::string& output) {
  Config config;
  config.output = [&output](std::string_view text) { output += text; };
  config.files = FilePolicy{FilePolicy::Kind::rooted, folder.path()};
  config.machine.levels = settings.machine;
  config.machine.devices = settings.devices;
  config.reshard = settings.reshard;
  config.defines = settings.defines;
  config.gpus = settings.gpus;
  config.products = settings.products;
  config.keep_values = keep == KeepValues::yes;
  return config;
}

RunRecord run_text(std::string_view text, std::string_view name, const Settings& settings, KeepValues keep) {
  const RunFolder folder(settings);
  RunRecord record;
  record.diagnostics = folder.problems();
  if (!record.diagnostics.empty()) return record;
  Session session(configuration(settings, folder, keep, record.output));
  const auto report = session.run(text, name);
  record.diagnostics = report.diagnostics();
  if (report) record.host_steps = report->host_steps;
  if (record.diagnostics.empty() && keep == KeepValues::yes) keep_values(session, record);
  return record;
}

}  // namespace tessera::cases
