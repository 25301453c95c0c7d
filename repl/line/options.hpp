// Options of the command line: one struct for each command.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera::repl {

// On which GPUs programs run.
struct GpuWishes {
  std::string gpus;  // `all`, `off` or numbers, `0,2`; empty: as TESSERA_GPU says
  std::int64_t memory_bytes = 0;
  Products products = Products::blas;
};

// The session: statements from standard input.
struct SessionOptions {
  int ranks = 1;
  GpuWishes gpu;
};

// A rank of a session; the session's front end starts it.
struct WorkerOptions {
  GpuWishes gpu;
};

struct RunOptions {
  std::string file;
  std::map<std::string, std::string> defines;
  Reshard reshard = Reshard::silent;
  bool stats = false;
  bool throttle = false;
  std::optional<std::string> machine_file;
  std::string place;  // `auto` or a matrix; empty: as the script says
  std::optional<std::string> trace_file;
  GpuWishes gpu;
};

// What there is to run programs on GPUs.
struct GpuOptions {
  bool json = false;
  std::vector<std::string> files;  // whose kernels are compiled; none: GPUs are listed
  std::string architecture;        // for which, `sm_90`
  std::string products = "blas";
};

struct CheckOptions {
  std::string file;
  std::optional<std::string> machine_file;
  std::string place;
  std::string after;  // the stage whose program is printed; empty: types are
  bool json = false;
};

struct FormatOptions {
  enum class Action { print, check, write };
  std::string file;
  Action action = Action::print;
};

struct ExplainOptions {
  std::string name;
};

// A layout as another system writes it.
struct ForeignText {
  std::string format;  // of tessera/interop.hpp
  std::string text;
};

struct PlanOptions {
  std::optional<std::string> mesh;
  std::optional<std::string> to_mesh;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::optional<std::string> planner;
  std::optional<std::string> within;
  std::optional<std::string> machine_file;
  std::string place;
  std::optional<std::string> batch_file;
  std::optional<std::string> verify_file;
  std::optional<ForeignText> foreign_from;
  std::optional<ForeignText> foreign_to;
  std::string shape;                // of the array, for foreign texts
  std::int64_t bytes = 0;           // of an element, for foreign texts
  std::int64_t devices = 0;         // for foreign texts that do not say how many
  std::optional<std::string> emit;  // a target of tessera/interop.hpp
  bool collectives_only = false;
  bool sends = false;  // with json: every send
  bool json = false;
};

struct ConvertOptions {
  std::optional<ForeignText> text;
  std::string mesh;
  std::string shape;
  std::int64_t devices = 0;
  std::int64_t bytes = 0;
  std::optional<std::int64_t> leaf;
  std::optional<std::string> to_format;
  std::optional<std::string> batch_file;
  bool json = false;
};

struct CompareOptions {
  std::string mesh;
  std::string to_mesh;
  std::string from;
  std::string to;
  std::optional<std::string> machine_file;
  std::string place;
  bool json = false;
};

// With folders the arrays are moved; without, it is only planned.
struct MoveOptions {
  std::string list;
  std::string from;
  std::string to;
  std::optional<std::string> machine_file;
  bool json = false;
};

// A script, or a mesh and what is moved on it.
struct PlaceOptions {
  std::optional<std::string> file;
  std::optional<std::string> mesh;
  std::vector<std::string> from;
  std::vector<std::string> to;
  std::vector<double> times;
  std::optional<std::string> machine_file;
  int best = 8;
  bool json = false;
};

struct ChooseOptions {
  std::string file;
  std::string function;  // whose choices are wanted; empty: all
  std::optional<std::string> machine_file;
  std::map<std::string, std::string> defines;
  std::string place;
  std::int64_t effort = 60;
  bool untied = false;
  bool closed = false;
  bool json = false;
};

struct LearnOptions {
  struct Answer {
    std::string lesson;       // a number of the course or a file
    std::string answer_file;  // empty: the lesson's own answer
  };
  std::optional<std::string> lesson;  // a number of the course or a file
  std::optional<std::string> course;  // a folder of lessons; none: the course of this executable
  std::optional<Answer> check;
  std::optional<std::string> grade;  // a folder of answers
  std::optional<std::string> page;   // of which lesson a handout is wanted: as `lesson`
  std::string output;                // where the handout goes
  int seconds = 10;                  // that a check may take
  bool json = false;
  bool list = false;
  bool reset = false;
};

struct DrawOptions {
  std::string file;
  std::string output;
  std::optional<std::string> machine_file;
};

// A script, and what is to be tried with it: lists of more than one value are a sweep.
struct EstimateOptions {
  enum class Order { lines, time };
  std::string file;
  std::vector<std::string> machine_files;
  std::vector<std::int64_t> devices;
  std::vector<std::pair<std::string, std::vector<std::string>>> defines;
  bool together = false;  // the first value of each list, the second of each, and so on
  std::string place;
  Order order = Order::time;
  std::optional<std::string> output;  // a page
  bool json = false;
};

// The language server, for editors.
struct LanguageServerOptions {
  std::optional<std::string> machine_file;  // none: the one beside each text
  bool names_channel = false;               // `--stdio`, which changes nothing
};

// Nothing to do but to say something: help, the version, or what is wrong with the command line.
struct Answer {
  std::string text;
  bool usage_error = false;
};

struct CalibrateOptions {
  std::string output;
  std::int64_t devices = 0;  // as many as ranks
  int ranks = 1;             // to be started
  bool throttle = false;     // devices as `run --throttle` has them
  GpuWishes gpu = {};
};

using Command =
    std::variant<SessionOptions, WorkerOptions, RunOptions, CalibrateOptions, CheckOptions, FormatOptions,
                 ExplainOptions, PlanOptions, ConvertOptions, CompareOptions, MoveOptions, PlaceOptions, ChooseOptions,
                 LearnOptions, DrawOptions, EstimateOptions, GpuOptions, LanguageServerOptions, Answer>;

}  // namespace tessera::repl
