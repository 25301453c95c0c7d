// Tessera, embedded. This header is the manual.
//
// A Session holds meshes, functions and named arrays. You give it program text; it parses, checks, plans and runs it,
// and keeps what the text bound. Everything comes back as data: values as Array, mistakes as Diagnostic. The library
// prints nothing, never ends the process, reads no environment variable and starts no thread before the first run; all
// text it writes goes to the functions you put into Config, and it opens files only as Config::files allows.
//
//     tessera::Session session(tessera::Config{.output = [](std::string_view text) { std::cout << text; }});
//     auto done = session.run("mesh m = [x: 4]\nlet a = iota(f32[16@x])\nprint sum(a)\n");
//     if (!done) for (const auto& d : done.diagnostics()) std::cerr << d.message << '\n';
//     std::vector<float> a = session.get("a").value().to_vector<float>().value();
//
// Ownership: every object here is a value. Copies of Array, Program and Plan share immutable data; fork() copies a
// Session cheaply (arrays are shared), and the two go separate ways afterwards. Threads: an object may be used by one
// thread at a time (but for Session::stop); different objects may be used at the same time, copies and forks too. The
// functions in Config are called on the thread that called the library. Failure: nothing throws but std::bad_alloc and
// value() of a failed Result (std::logic_error; any other std::logic_error is a bug of ours). A call that fails changes
// nothing in the session: names bound before are as they were. What a function of yours throws comes out of the call
// that called it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

// ---- Diagnostics -----------------------------------------------------------------------------------------

enum class Severity : std::uint8_t { note, warning, error };

// Who has to act; the number is the exit status of the command line.
enum class Blame : std::uint8_t { program = 1, command = 2, world = 3, us = 4 };

// A place in a text. Lines and columns count from 1; columns count code points. `length` is the number of code points
// on the first line that are meant, at least 1.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;
  std::string line_text;               // the line; of a line of many thousand characters the part around the place
  std::uint32_t line_text_column = 1;  // of line_text's first code point
};

struct Label {
  Place place;
  std::string text;  // may be empty
  bool primary = false;
};

struct Diagnostic {
  std::string slug;  // `axis-used-twice`; explain() has a section about it
  Severity severity = Severity::error;
  Blame blame = Blame::program;
  std::string message;
  std::vector<Label> labels;  // the primary one first; none where no text is to blame
  std::string help;           // what to type instead; may be empty, may hold several lines
};
using Diagnostics = std::vector<Diagnostic>;  // of one call at most 1,000: more help nobody

// A value, or the diagnostics that say why there is none (errors first to last in the order of the text).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostics why) : content_(std::in_place_index<1>, std::move(why)) {}

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return checked(); }
  const T& value() const& { return const_cast<Result*>(this)->checked(); }
  T&& value() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &const_cast<Result*>(this)->checked(); }
  T& operator*() & { return checked(); }
  const T& operator*() const& { return const_cast<Result*>(this)->checked(); }
  // Empty for a success.
  const Diagnostics& diagnostics() const {
    static const Diagnostics none;
    return ok() ? none : std::get<1>(content_);
  }

 private:
  T& checked() {
    if (!ok()) throw std::logic_error("tessera::Result: value() of a failure");
    return std::get<0>(content_);
  }
  std::variant<T, Diagnostics> content_;
};

struct Done {};
using Status = Result<Done>;

// ---- Configuration ---------------------------------------------------------------------------------------

// A level of the machine, from the outside in: `count` units in each unit of the level outside it.
struct MachineLevel {
  std::string name;
  std::int64_t count = 1;
  double bandwidth_bytes_per_second = 100e9;
  double latency_seconds = 1e-6;
};

// What happens when the checker inserts a step that receives bytes.
enum class Reshard : std::uint8_t { silent, warn, error };

// Which files `load`, `save` and `save_shards` may open.
struct FilePolicy {
  enum class Kind : std::uint8_t {
    none,     // none
    allowed,  // any; relative paths start at `root` if it is set, else at the working directory
    rooted,   // only what lies below `root`
  };
  Kind kind = Kind::none;
  std::string root = {};
};

struct Config {
  std::function<void(std::string_view)> output = {};  // what print, show and plan write; whole lines. None: dropped
  std::function<void(const Diagnostic&)> log = {};    // notes and warnings, as a text is checked. None: dropped
  std::function<double()> clock = {};                 // seconds, for statistics. None: statistics show 0
  FilePolicy files = {};                              // the default allows no file
  std::vector<MachineLevel> machine = {};             // empty: one level, 100e9 bytes/s, 1e-6 s
  Reshard reshard = Reshard::silent;
  // Replaces the value of a top-level `let NAME = ...` of every text that is checked; a text without one is refused.
  std::map<std::string, std::string> defines = {};
  std::int64_t memory_bytes_max = 0;  // for all devices of the process; 0: three quarters of the machine's
  bool keep_values = true;            // false: a script's; arrays are freed after their last use, get() has none
  bool bare_expressions = false;      // true: a bare expression is written to `output` (a REPL's)
};

// ---- Values ----------------------------------------------------------------------------------------------

enum class Element : std::uint8_t { boolean, i32, i64, f32, f64 };

struct MeshAxis {
  std::string name;
  std::int64_t size = 1;
};
// Outermost first; devices are numbered row-major, so of x:4,y:2 the device (x=1, y=0) is device 2. No axes: one
// device.
using MeshAxes = std::vector<MeshAxis>;

// [begin, end) of every dimension, in positions of the whole array.
using Box = std::vector<std::pair<std::int64_t, std::int64_t>>;

// An array on its devices; immutable.
class Array {
 public:
  Element element() const;
  const std::vector<std::int64_t>& shape() const;
  std::string type() const;  // `f32[16@x, 8]`
  std::int64_t devices() const;
  MeshAxes mesh() const;
  // The whole array, row-major, its pending sums resolved. bytes() in the element type (a bool is one byte, 0 or 1);
  // to_vector converts nothing: T must be bool, std::int32_t, std::int64_t, float or double, and be the element type.
  std::vector<std::byte> bytes() const;
  template <class T>
  Result<std::vector<T>> to_vector() const;
  // What one device holds: its box and the elements in it.
  struct Tile {
    Box box;
    std::vector<std::byte> bytes;
  };
  Result<Tile> tile(std::int64_t device) const;
  std::string text() const;     // as `print` writes it
  std::string picture() const;  // as `show` draws it: who holds what

  struct Impl;
  explicit Array(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

// ---- Plans -----------------------------------------------------------------------------------------------

// One change of layout, as text: mesh `x:4,y:2`, from and to as types.
struct PlanRequest {
  std::string mesh = {};
  std::string from = {};
  std::string to = {};
  std::string planner = "tessera";  // tessera paper xla shardy dtensor gather
  std::vector<MachineLevel> machine = {};
  bool collectives_only = false;
  std::optional<std::int64_t> within_bytes = {};  // of the plan's peak; the source is dead after it, so rounds count
};

// What the figures mean: docs/language.md, "JSON of a plan".
class Plan {
 public:
  struct Step {
    std::string op;
    std::string detail;
    std::string type;  // after the step
    std::int64_t local_bytes_max = 0;
    std::int64_t received_bytes_total = 0;
    std::int64_t received_bytes_max = 0;
    std::int64_t groups = 0;
    std::int64_t group_size = 0;
    std::int64_t peak_bytes = 0;  // of this step, on a device
    bool launches = false;        // a collective is started: not so for a slice or a keep
  };
  std::vector<Step> steps() const;
  MeshAxes mesh() const;
  std::vector<std::int64_t> shape() const;

  // What the devices hold between two steps.
  struct Holding {
    Box box;
    std::int64_t bytes = 0;
    std::int64_t contribution = 0;    // of a pending array: the device's place among those whose parts are combined
    std::int64_t received_bytes = 0;  // from other devices, in the step that led here
  };
  struct Moment {
    std::string type;
    std::int64_t contributions = 1;  // parts that make up each element; more than 1 while a reduction is pending
    std::vector<Holding> devices;    // by number
  };
  // Moment 0 is before the first step, moment i after step i. After a round of an exchange the array is on its way, and
  // the boxes are those that it goes to.
  Result<Moment> moment(std::size_t index) const;

  // A box that one device hands to another in a step, or keeps where source and target are one device. Where parts are
  // combined, each contributor hands over its part of the box that the target gets.
  struct Move {
    std::int64_t source = 0;
    std::int64_t target = 0;
    Box box;
    bool combines = false;
  };
  // Of step `index`, counted from 0, by target device.
  Result<std::vector<Move>> moves(std::size_t index) const;

  std::string from() const;
  std::string to() const;
  std::int64_t received_bytes_total() const;
  std::int64_t lower_bound_bytes_total() const;
  std::int64_t local_bytes_max() const;
  std::int64_t bound_bytes() const;
  std::int64_t peak_bytes() const;
  double seconds() const;
  double lower_bound_seconds() const;
  std::string json() const;  // one line
  std::string text() const;  // for people

  struct Impl;
  explicit Plan(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

// Places in its diagnostics are in texts named `mesh`, `from` and `to`. Blame is `command` where a text does not parse
// or a planner is unknown, `program` where a text parses but makes no sense or the planner finds nothing.
Result<Plan> make_plan(const PlanRequest& request);
// The JSON object, in one line, that says why there is no plan.
std::string plan_failure_json(const PlanRequest& request, const Diagnostics& why);
// All planner names, in their order.
const std::vector<std::string>& planner_names();
// `64MiB`, `2KB`, `1000` in bytes.
Result<std::int64_t> parse_size(std::string_view text);

// A machine file: a JSON array of objects with the keys name, count, bandwidth (bytes per second), latency (seconds),
// from the outermost level in. `name` stands for the file in diagnostics.
Result<std::vector<MachineLevel>> parse_machine(std::string_view json, std::string_view name);
// A request as one JSON object with the keys mesh, from, to and optionally planner, within (a number of bytes or a text
// such as "64MiB"). What it does not say is taken from `defaults`.
Result<PlanRequest> parse_plan_request(std::string_view json, const PlanRequest& defaults = {});
// plan_failure_json for a text that parse_plan_request refused: with what can be read of it.
std::string plan_failure_json(std::string_view json, const PlanRequest& defaults, const Diagnostics& why);

// ---- Programs --------------------------------------------------------------------------------------------

// A name that a top-level `let` binds.
struct Binding {
  std::string name;
  std::string type;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// A redistribution of a program, and why it is there.
struct Redistribution {
  Place place;                   // the expression that asked
  std::string who;               // `@`, `argument w of dense`, `as`
  bool inserted = false;         // not written in the program
  std::optional<Place> because;  // the annotation or operand it was compared with
  struct Alternative {
    std::string description;
    double seconds = 0;
    std::int64_t received_bytes = 0;
    std::int64_t peak_bytes = 0;
    bool chosen = false;
  };
  std::vector<Alternative> compared;
  Plan plan;
};

// A checked program, ready to run in the session that checked it (or a fork of it) as it was then.
class Program {
 public:
  const std::vector<Binding>& bindings() const;         // once per binding, in order
  std::vector<Redistribution> redistributions() const;  // in order of the statements; those of functions included
  const Diagnostics& notes() const;                     // notes and warnings
  Result<std::string> elaborated() const;               // the text with every type and redistribution written out
  Result<std::string> device_program() const;           // the steps every device takes, as text

  struct Impl;
  explicit Program(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  friend class Session;
  std::shared_ptr<const Impl> impl_;
};

// What a statement cost; only statements that communicated are listed.
struct StatementStatistics {
  Place place;
  std::int64_t steps = 0;
  std::int64_t received_bytes = 0;
  std::int64_t peak_bytes = 0;
  double seconds = 0;
};

struct RunReport {
  std::vector<Binding> bindings;
  std::vector<StatementStatistics> statistics;
};

// ---- Sessions --------------------------------------------------------------------------------------------

class Session {
 public:
  explicit Session(Config config = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  Session fork() const;

  // `name` stands for the text in diagnostics (`demo.tess`); `first_line` is the number of its first line, for a host
  // that hands over a longer text piece by piece.
  Result<Program> check(std::string_view text, std::string_view name = "input", std::uint32_t first_line = 1);
  // check, then run. A text of which nothing has run yet when it fails has written nothing.
  Result<RunReport> run(std::string_view text, std::string_view name = "input", std::uint32_t first_line = 1);
  // Fails with `bad-call` where the session has changed since the program was checked.
  Result<RunReport> run(const Program& program);

  // May be called from another thread or a signal handler: the run in progress, if any, stops before its next step and
  // fails with `interrupted`.
  void stop() noexcept;

  Result<Array> get(std::string_view name) const;
  // Binds a name to a replicated array on the default mesh, as `let` would. Values are row-major; T is as in
  // Array::to_vector; an empty shape is a scalar's.
  template <class T>
  Status set(std::string_view name, const std::vector<T>& values, const std::vector<std::int64_t>& shape);
  std::vector<Binding> names() const;  // every name bound now, in alphabetical order

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  Result<RunReport> run_checked(const Program& program);
  std::unique_ptr<Impl> impl_;
};

// ---- Text ------------------------------------------------------------------------------------------------

// Longer program texts are refused.
inline constexpr std::size_t text_bytes_max = std::size_t{16} << 20U;

// The canonical layout of a program's text.
Result<std::string> format(std::string_view text, std::string_view name = "input");
// Does the text end where another line may complete it?
bool is_incomplete(std::string_view text);
// The section of the error index about a slug, as Markdown; fails with unknown-slug and the nearest spelling.
Result<std::string> explain(std::string_view slug);
const std::vector<std::string>& all_slugs();
std::string_view version();  // `0.1.0`

}  // namespace tessera
