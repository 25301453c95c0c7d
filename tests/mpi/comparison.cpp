#include "tests/mpi/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::ranks {

namespace fs = std::filesystem;
using cases::Faults;

// A session and what came of its run.
struct ProgramRun {
  Session session;
  Diagnostics diagnostics;
};

namespace {

ProgramRun perform(Config config, const Program& program) {
  ProgramRun run{Session(std::move(config)), {}};
  run.diagnostics = run.session.run(program.text, program.name).diagnostics();
  return run;
}

// A diagnostic as one line, without the rank that had it: the simulation has none.
std::string line_of(const Diagnostic& diagnostic) {
  static const std::regex rank(" \\(on rank [0-9]+\\)$");
  std::string line = fmt::format("{}: {}", diagnostic.slug, std::regex_replace(diagnostic.message, rank, ""));
  for (const Label& label : diagnostic.labels) line += fmt::format(" {}:{}", label.place.line, label.place.column);
  return line;
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

// Stands for bytes that another rank has.
std::string digest(std::string_view bytes) {
  return fmt::format("{} B, {:016x}", bytes.size(), std::hash<std::string_view>{}(bytes));
}
std::string digest(std::span<const std::byte> bytes) {
  return digest(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// What a rank has after a run, as text, of which two are compared: a line a fact.
class Account {
 public:
  using Devices = std::pair<std::int64_t, std::int64_t>;  // of the run, without the end

  // Its own, or what that of the rank with these devices has to be after the run that a session simulated.
  static std::string own(const ProgramRun& run, const std::string& output) { return Account(run, output).text_; }
  static std::string expected(const ProgramRun& simulated, const std::string& output, Devices devices) {
    return Account(simulated, output, &devices).text_;
  }

 private:
  Account(const ProgramRun& run, const std::string& output, const Devices* devices = nullptr) : devices_(devices) {
    for (const Diagnostic& diagnostic : run.diagnostics) line("diagnostic", line_of(diagnostic));
    std::istringstream printed(output);
    for (std::string one; std::getline(printed, one);) line("output", one);
    for (const Binding& binding : run.session.names()) {
      line("name", fmt::format("{} : {}", binding.name, binding.type));
      const auto array = run.session.get(binding.name);
      line(binding.name, array.ok() ? "is kept" : "is not kept");
      if (array.ok()) add(binding.name, *array);
    }
  }

  void add(const std::string& name, const Array& array) {
    for (std::int64_t device = 0; device < array.devices(); ++device) {
      const std::int64_t of_run = array.device_of_run(device);
      if (devices_ != nullptr && (of_run < devices_->first || devices_->second <= of_run)) continue;
      if (const auto tile = array.tile(device)) {
        line(name, fmt::format("tile of device {}: {}, {}", device, fmt::join(tile->box, ","), digest(tile->bytes)));
      }
    }
    line(name, "whole: " + digest(array.bytes()));
    line(name, "text: " + digest(array.text()));
    line(name, "picture: " + digest(array.picture()));
  }

  void line(std::string_view what, std::string_view says) { text_ += fmt::format("{}: {}\n", what, says); }

  const Devices* devices_;
  std::string text_;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The lines of one text that another has not.
std::string missing(const std::string& from, const std::string& in) {
  const std::vector<std::string> there = lines_of(in);
  std::string lines;
  for (const std::string& line : lines_of(from)) {
    if (std::find(there.begin(), there.end(), line) == there.end()) lines += "  " + line + "\n";
  }
  return lines.empty() ? "  (the same lines in another order or number)\n" : lines;
}

}  // namespace

// A program, and what came of its simulation.
struct Comparisons::Simulated {
  explicit Simulated(std::size_t of, Program of_program)
      : number(of),
        program(std::move(of_program)),
        folder(program.settings),
        run(perform(cases::configuration(program.settings, folder, cases::KeepValues::yes, output), program)) {}

  std::size_t number;
  Program program;
  cases::RunFolder folder;
  std::string output;
  ProgramRun run;
};

Comparisons::Comparisons(Crew& crew) : crew_(crew) {}
Comparisons::~Comparisons() = default;

std::size_t Comparisons::add(std::function<Program()> program) {
  programs_.push_back(std::move(program));
  return programs_.size() - 1;
}

// The programs of a turn are as many as the ranks.
void Comparisons::simulate_own_of(std::size_t turn) {
  const std::size_t number = turn * static_cast<std::size_t>(crew_.size()) + static_cast<std::size_t>(crew_.rank());
  if (number >= programs_.size() || (own_ != nullptr && own_->number == number)) return;
  own_ = nullptr;  // its folder goes first
  own_ = std::make_unique<Simulated>(number, programs_[number]());
}

Faults Comparisons::run(std::size_t number) {
  simulate_own_of(number / static_cast<std::size_t>(crew_.size()));
  const Program program = programs_[number]();
  const cases::RunFolder folder(program.settings);
  const fs::path shared = crew_.next_folder();
  if (crew_.rank() == 0) {
    fs::create_directory(shared);
    fs::copy(folder.path(), shared, fs::copy_options::recursive);
  }
  crew_.meet();
  std::string output;
  Config config = cases::configuration(program.settings, folder, cases::KeepValues::yes, output);
  config.files.root = shared;
  const ProgramRun together = perform(crew_.together(std::move(config)), program);
  const std::vector<std::string> accounts = crew_.share(Account::own(together, output));
  Faults faults;
  if (own_ != nullptr && own_->number == number) {
    const auto dealt = together.session.devices();
    for (std::size_t rank = 0; rank < accounts.size(); ++rank) {
      const std::string expected = Account::expected(own_->run, rank == 0 ? own_->output : "", dealt.at(rank));
      if (accounts[rank] == expected) continue;
      faults.push_back(fmt::format("simulated, but not so on rank {}:\n{}on rank {}, but not simulated:\n{}", rank,
                                   missing(expected, accounts[rank]), rank, missing(accounts[rank], expected)));
    }
    if (files_of(own_->folder.path()) != files_of(shared)) faults.push_back("the files differ");
  }
  crew_.meet();
  if (crew_.rank() == 0) fs::remove_all(shared);
  return faults;
}

}  // namespace tessera::ranks
