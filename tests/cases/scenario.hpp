// How a case's program is run: the settings of its input sections, and runs of programs in folders of their own through
// the public interface, as a host program would.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/tessera.hpp>

#include "tests/cases/case_file.hpp"

namespace tessera::cases {

struct Settings {
  std::map<std::string, std::string> defines;
  Reshard reshard = Reshard::silent;
  std::vector<MachineLevel> machine;
  std::vector<DeviceKind> devices;           // of the machine
  std::string files;                         // a program run first, in the same folder
  std::map<std::string, std::string> texts;  // files that are there, by name
  std::string gpus;                          // that it runs on; empty: simulated devices
  Products products = Products::blas;
  std::optional<double> tolerance;  // of floats, relative and absolute; without it runs agree to the bit
};

std::variant<Settings, Faults> read_settings(const CaseFile& file);

// The value of a name at the end of a run.
struct BoundArray {
  Element element = Element::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

struct RunRecord {
  std::string output;
  Diagnostics diagnostics;                   // of the check or of the run; empty where all went well
  std::map<std::string, BoundArray> values;  // only where they are kept
  std::vector<std::pair<std::string, std::int64_t>> host_steps;  // of a run on GPUs
};

enum class KeepValues : bool { no, yes };

// A new folder with the files the settings ask for; it is removed with this object.
class RunFolder {
 public:
  explicit RunFolder(const Settings& settings);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  const std::string& path() const { return path_; }
  // Why the files could not be made; empty if they could.
  const Diagnostics& problems() const { return problems_; }

 private:
  std::string path_;
  Diagnostics problems_;
};

// The configuration of a session that works in the folder; `output` and the folder must outlive it.
Config configuration(const Settings& settings, const RunFolder& folder, KeepValues keep, std::string& output);

// Runs the text in a folder of its own.
RunRecord run_text(std::string_view text, std::string_view name, const Settings& settings, KeepValues keep);

}  // namespace tessera::cases
