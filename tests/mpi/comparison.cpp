#include "tests/mpi/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace tessera::ranks {

namespace {

namespace fs = std::filesystem;
using cases::Faults;

// A session and what came of its run.
struct Run {
  Session session;
  Diagnostics diagnostics;
};

// A diagnostic as one line, without the rank that had it: the simulation has none.
std::string line_of(const Diagnostic& diagnostic) {
  static const std::regex rank(" \\(on rank [0-9]+\\)$");
  std::string line = fmt::format("{}: {}", diagnostic.slug, std::regex_replace(diagnostic.message, rank, ""));
  for (const Label& label : diagnostic.labels) line += fmt::format(" {}:{}", label.place.line, label.place.column);
  return line;
}

std::string lines_of(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += line_of(diagnostic) + "\n";
  return text;
}

// Every file below a folder, by its path.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().lexically_relative(folder)] = {std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

class Comparison {
 public:
  Comparison(Crew& crew, const cases::Settings& settings)
      : crew_(crew), own_folder_(settings), shared_folder_(crew.next_folder()), settings_(settings) {}

  Faults run(std::string_view text, std::string_view name) {
    make_shared_folder();
    std::string simulated_output, output;
    Config config = cases::configuration(settings_, own_folder_, cases::KeepValues::yes, simulated_output);
    Run simulated = perform(config, text, name);
    config = cases::configuration(settings_, own_folder_, cases::KeepValues::yes, output);
    config.files.root = shared_folder_;
    Run together = perform(crew_.together(std::move(config)), text, name);
    expect_same("diagnostics", lines_of(simulated.diagnostics), lines_of(together.diagnostics));
    expect_same("output", crew_.rank() == 0 ? simulated_output : "", output);
    compare_names(simulated.session, together.session);
    compare_folders();
    return std::move(faults_);
  }

 private:
  using Dealt = std::vector<std::pair<std::int64_t, std::int64_t>>;  // the devices of each rank

  static Run perform(Config config, std::string_view text, std::string_view name) {
    Run run{Session(std::move(config)), {}};
    run.diagnostics = run.session.run(text, name).diagnostics();
    return run;
  }

  void make_shared_folder() {
    if (crew_.rank() == 0) {
      fs::create_directory(shared_folder_);
      fs::copy(own_folder_.path(), shared_folder_, fs::copy_options::recursive);
    }
    crew_.meet();
  }

  void compare_folders() {
    crew_.meet();
    if (crew_.rank() != 0) return;
    if (files_of(own_folder_.path()) != files_of(shared_folder_)) faults_.push_back("the files differ");
    fs::remove_all(shared_folder_);
  }

  void expect_same(std::string_view what, const std::string& simulated, const std::string& together) {
    if (simulated == together) return;
    faults_.push_back(fmt::format("{} of the simulation:\n{}\non ranks:\n{}", what, simulated, together));
  }

  void compare_names(const Session& simulated, const Session& together) {
    std::string expected, actual;
    for (const Binding& binding : simulated.names()) expected += fmt::format("{} : {}\n", binding.name, binding.type);
    for (const Binding& binding : together.names()) actual += fmt::format("{} : {}\n", binding.name, binding.type);
    expect_same("names", expected, actual);
    if (expected != actual) return;
    for (const Binding& binding : simulated.names()) {
      const auto here = simulated.get(binding.name);
      const auto there = together.get(binding.name);
      if (here.ok() != there.ok()) faults_.push_back(fmt::format("`{}` is kept on one side only", binding.name));
      if (here.ok() && there.ok()) compare_arrays(binding.name, *here, *there, together.devices());
    }
  }

  void compare_arrays(const std::string& name, const Array& simulated, const Array& together, const Dealt& dealt) {
    const auto [first, end] = dealt.at(static_cast<std::size_t>(crew_.rank()));
    for (std::int64_t device = 0; device < simulated.devices(); ++device) {
      const auto there = together.tile(device);
      const std::int64_t of_run = simulated.device_of_run(device);
      if (there.ok() != (first <= of_run && of_run < end))
        faults_.push_back(fmt::format("`{}`: device {} is dealt to another rank", name, device));
      if (!there.ok()) continue;
      const auto here = simulated.tile(device);
      if (here->box != there->box || here->bytes != there->bytes)
        faults_.push_back(fmt::format("`{}`: the tile of device {} differs", name, device));
    }
    if (simulated.bytes() != together.bytes()) faults_.push_back(fmt::format("`{}`: the whole arrays differ", name));
    if (simulated.text() != together.text()) faults_.push_back(fmt::format("`{}`: the texts differ", name));
    if (simulated.picture() != together.picture()) faults_.push_back(fmt::format("`{}`: the pictures differ", name));
  }

  Crew& crew_;
  const cases::RunFolder own_folder_;
  const std::string shared_folder_;
  const cases::Settings& settings_;
  Faults faults_;
};

}  // namespace

Faults compare_with_simulation(Crew& crew, std::string_view text, std::string_view name,
                               const cases::Settings& settings) {
  return Comparison(crew, settings).run(text, name);
}

}  // namespace tessera::ranks
