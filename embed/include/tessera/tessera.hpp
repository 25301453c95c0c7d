// Tessera, embedded. This header is the manual. Long because a host wants one page: what it can call, and what comes
// back.
//
// A Session holds meshes, functions and named arrays. You give it program text; it parses, checks, plans and runs it,
// and keeps what the text bound. Everything comes back as data: values as Array, mistakes as Diagnostic. The library
// prints nothing, never ends the process, reads no environment variable (but for Launch of tessera/mpi.hpp, and those
// that say where the libraries and the cache of GPUs are, where GPUs are asked for) and starts no thread before the
// first run; all text it writes goes to the functions you put into Config, and it opens files only as Config::files
// allows.
//
//     tessera::Session session(tessera::Config{.output = [](std::string_view text) { std::cout << text; }});
//     auto done = session.run("mesh m = [x: 4]\nlet a = iota(f32[16@x])\nprint sum(a)\n");
//     if (!done) for (const auto& d : done.diagnostics()) std::cerr << d.message << '\n';
//     std::vector<float> a = session.get("a").value().to_vector<float>().value();
//
// Ownership: every object here is a value. Copies of Array, Program and Plan share immutable data; fork() copies a
// Session cheaply (arrays are shared), and the two go separate ways afterwards; a Session that was moved from is only
// destroyed or assigned to. Threads: an object may be used by one thread at a time (but for Session::stop and
// Function::call); different objects may be used at the same time, copies and forks too. The functions in Config are
// called on the thread that called the library; calls from them to their own session, other than stop() and const
// functions, are refused with `bad-call`. Failure: nothing throws but std::bad_alloc and value() of a failed Result
// (std::logic_error; any other std::logic_error is a bug of ours). A call that fails changes nothing in the session:
// names bound before are as they were. An exception from one of your functions leaves the call that called the
// function.
//
// Several processes, the ranks of a communicator, can run a session together (Config::team): every rank makes
// the same calls on its session, and on the arrays and forks that come of it, in the same order, and gets the same
// answers. Output and log are rank 0's. docs/running.md says how the work is dealt out and what happens when a rank
// fails.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/config.hpp"
#include "tessera/pipeline.hpp"
#include "tessera/result.hpp"
#include "tessera/statistics.hpp"
#include "tessera/traced_step.hpp"

namespace tessera {

// ---- Values ----------------------------------------------------------------------------------------------

// From f16 on they are what an array is stored as; f16 is IEEE's, bf16 the upper half of an f32.
enum class Element : std::uint8_t { boolean, i32, i64, f32, f64, f16, bf16, i8, u8, i16, u16, u32, c64, c128 };

// The memory of an array on its devices.
struct Placement {
  std::vector<std::int64_t> tile;  // extents of the largest tile
  std::int64_t tile_bytes = 0;     // of the largest tile
  std::int64_t total_bytes = 0;    // on all devices; stops at the largest number
  std::int64_t copies = 1;         // how many devices hold each element, of a pending array each of its parts
  std::int64_t devices = 1;
};

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
class TESSERA_API Array {
 public:
  Element element() const;
  const std::vector<std::int64_t>& shape() const;
  std::string type() const;  // `f32[16@x, 8]`
  std::int64_t devices() const;
  std::int64_t device_of_run(std::int64_t device) const;  // its number in the run, which a mesh `on` devices changes
  Placement placement() const;
  MeshAxes mesh() const;
  // The whole array, row-major, its pending sums resolved. bytes() in the element type (a bool is one byte, 0 or 1);
  // to_vector widens f16 and bf16 to float, other integers to std::int64_t: else T must be the element type, which is
  // bool, std::int32_t, std::int64_t, float, double, std::complex<float> or std::complex<double>. If a rank is lost,
  // to_vector says so, and bytes(), text() and picture() are empty.
  std::vector<std::byte> bytes() const;
  template <class T>
  Result<std::vector<T>> to_vector() const;
  // The part of an array on one device: its box and the elements in it. `bad-call` for a device that is not this
  // rank's.
  struct Tile {
    Box box;
    std::vector<std::byte> bytes;
  };
  Result<Tile> tile(std::int64_t device) const;
  // The same in place, dense and row-major: nothing is copied. Good as long as the array or a copy of it lives.
  struct View {
    Box box;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides_bytes;
    const std::byte* data = nullptr;
    int gpu = -1;  // whose memory that is, by the driver's number; -1: a processor's
  };
  Result<View> view(std::int64_t device) const;
  // The same where the tile was made, of GPUs on the GPU: it is complete there. view() is then of a copy.
  Result<View> view_in_place(std::int64_t device) const;
  // Gathers the whole array, its pending sums resolved, into the host's memory: the element at (i, j) goes to data +
  // i * strides_bytes[0] + j * strides_bytes[1]. Without strides row-major and dense. `bad-call` where a stride is no
  // multiple of the element's size, or the strides are not as many as the dimensions. On ranks every rank gets it all.
  Status copy_to(void* data, const std::vector<std::int64_t>& strides_bytes = {}) const;
  // True if all tiles are read where the host has them, in an array that Session::borrow or Session::array gave.
  bool borrowed() const;
  std::string text() const;  // as `print` writes it
  // As `show` draws it: who holds what. On a narrower screen it has to be folded between devices.
  std::string picture(int columns = 100) const;

  struct Impl;
  explicit Array(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl* impl() const { return impl_.get(); }

 private:
  friend class Session;
  std::shared_ptr<const Impl> impl_;
};

// ---- Plans -----------------------------------------------------------------------------------------------

// One change of layout, as text: mesh `x:4,y:2`, from and to as types.
struct PlanRequest {
  std::string mesh = {};  // `dp:16,tp:4`, `dp:16,tp:4 place [[4,4],[1,4]]` or `.. place auto`
  std::string from = {};
  std::string to = {};
  std::string planner = "tessera";  // or a rival: planner_names()
  Machine machine = {};
  bool collectives_only = false;
  std::optional<std::int64_t> within_bytes = {};  // of the plan's peak; the source is dead after it, so rounds count
  std::optional<StopToken> stop = {};
  std::string to_mesh = {};  // where the target lies, `x:4 on 8:12`; empty: on the same mesh
};

// A plan. docs/language.md, "JSON of a plan", says what its figures mean.
class TESSERA_API Plan {
 public:
  struct Step {
    std::string op;
    std::string detail;
    std::string program = {};  // of a sum on a machine of levels (docs/reductions.md); else empty
    std::string type;          // after the step
    std::int64_t local_bytes_max = 0;
    std::int64_t received_bytes_total = 0;
    std::int64_t received_bytes_max = 0;
    std::int64_t groups = 0;
    std::int64_t group_size = 0;
    std::int64_t peak_bytes = 0;  // of this step, on a device
    bool launches = false;        // a collective is started: not so for a slice or a keep
  };
  std::vector<Step> steps() const;
  bool changes_nothing() const;  // does every device hold its part already? There may be a step that moves nothing
  MeshAxes mesh() const;
  std::string mesh_text() const;     // `x:4,y:2`; empty: one device
  std::string to_mesh_text() const;  // of the target's, where it is another
  std::vector<std::int64_t> shape() const;

  // The elements that a device holds between two steps.
  struct Holding {
    Box box;
    std::int64_t bytes = 0;
    std::int64_t contribution = 0;    // of a pending array: the device's place among those whose parts are combined
    std::int64_t received_bytes = 0;  // from other devices, in the step that led here
    std::int64_t device = 0;          // which of the run it is; its number, unless the mesh is on others
  };
  struct Moment {
    std::string type;
    std::int64_t contributions = 1;  // parts that make up each element; more than 1 while a reduction is pending
    std::vector<Holding> devices;    // by number in the mesh that the array is on
    MeshAxes mesh = {};              // that mesh
  };
  // Moment 0 is before the first step, moment i after step i. After a round of an exchange the array is on its way, and
  // the boxes are those that it goes to. `bad-call` where the plan has fewer steps.
  Result<Moment> moment(std::size_t index) const;

  // A box that one device hands to another in a step, or keeps where source and target are one device. A box handed
  // over at a hop has come at an earlier one, or is the source's own. Where parts are combined, each contributor hands
  // over its part of the box that the target adds up.
  struct Move {
    std::int64_t source = 0;  // devices of the run
    std::int64_t target = 0;
    Box box;
    bool combines = false;
    std::int64_t hop = 0;
  };
  // The moves of step `index`, counted from 0, by target device; `bad-call` where there is no such step.
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
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  friend class Session;
  std::shared_ptr<const Impl> impl_;
};

// Places in its diagnostics are in texts named `mesh`, `from` and `to`. Blame is `command` where a text does not parse
// or a planner is unknown, `program` where a text parses but makes no sense or the planner finds nothing.
TESSERA_API Result<Plan> make_plan(const PlanRequest& request);
// The JSON object, in one line, that says why there is no plan.
TESSERA_API std::string plan_failure_json(const PlanRequest& request, const Diagnostics& why);
// All planner names, in their order.
TESSERA_API const std::vector<std::string>& planner_names();
// Does the planner know nothing but plans between two meshes (PlanRequest::to_mesh)?
TESSERA_API bool plans_between_meshes(std::string_view planner);
// `64MiB`, `2KB`, `1000` in bytes.
TESSERA_API Result<std::int64_t> parse_size(std::string_view text);

// A machine file: a JSON array of levels, or an object with the keys levels and devices (docs/language.md, "Machine
// files"). `name` stands for the file in diagnostics.
TESSERA_API Result<Machine> parse_machine(std::string_view json, std::string_view name);
// The machine as a file that parse_machine reads.
TESSERA_API std::string machine_text(const Machine& machine);
// A request as one JSON object with the keys mesh, from, to and optionally to_mesh, planner, within (a number of bytes
// or a text such as "64MiB"). Keys that are missing are taken from `defaults`.
TESSERA_API Result<PlanRequest> parse_plan_request(std::string_view json, const PlanRequest& defaults = {});
// plan_failure_json for a text that parse_plan_request refused: with what can be read of it.
TESSERA_API std::string plan_failure_json(std::string_view json, const PlanRequest& defaults, const Diagnostics& why);

// ---- Programs --------------------------------------------------------------------------------------------

// A name that a top-level `let` binds.
struct Binding {
  std::string name;
  std::string type;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  Placement placement = {};
  std::uint32_t statement = 0;  // which statement of its text, from 0
};

// A name that a top-level `mesh` or `fn` declares.
struct Declaration {
  enum class Kind : std::uint8_t { mesh, function };
  Kind kind = Kind::mesh;
  std::string name;
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
  std::uint32_t statement = 0;  // which statement of the text performs it, from 0
};

// Bytes that an operation itself receives from other devices. It fetches parts of arrays straight into the tiles of its
// result (a slice of a split dimension, `concat`, `pad`, `update`), carries values from tile to tile (`cumsum`), or
// fetches or delivers the rows that ids name (`take`, its gradient). No planner has a choice, so there is no plan.
struct PartsMoved {
  Place place;                      // the expression that asked
  std::string who;                  // `a slice`, `update`
  std::int64_t received_bytes = 0;  // by all devices together
  bool is_most = false;             // where they lie is known only at run time; no more than this is received
  std::uint32_t statement = 0;      // which statement of the text performs it, from 0
  std::vector<Redistribution::Alternative> compared = {};  // the layouts of the result that were priced
  std::string op = "assemble";                             // or `carry`, `fetch`, `deliver`
  std::vector<std::string> from = {};                      // the types of the arrays whose elements move, each once
  std::string to = {};                                     // the result's
  std::int64_t received_bytes_max = 0;                     // by the device that receives most
  std::int64_t peak_bytes = 0;                             // tiles of these arrays and of the result, on one device
  std::int64_t gathered_bytes = 0;                         // what devices would receive to have all of these arrays
  std::string text = {};                                   // all this in lines, as `plan` prints it
};

struct MovedBoxes;  // moved_boxes.hpp

// The time of a local step by the machine model: it ends when the slowest device is done.
struct LocalWork {
  Place place;                  // the expression that is computed
  std::string step;             // `map add`, `contract`
  double seconds = 0;           // of the slowest device
  std::int64_t slowest = 0;     // which one that is
  double fastest_seconds = 0;   // of the first that is done
  std::uint32_t statement = 0;  // which statement of the text performs it, from 0
};

// A checked program, ready to run in the session that checked it (or a fork of it) as it was then.
class TESSERA_API Program {
 public:
  const std::vector<Binding>& bindings() const;         // once per binding, in order
  const std::vector<Place>& shown() const;              // where the bare expressions stand, in order
  const std::vector<Declaration>& declared() const;     // in order
  std::vector<Redistribution> redistributions() const;  // in order of the statements; those of functions included
  std::vector<PartsMoved> parts_moved() const;          // in the same order
  // What parts_moved()[index] moves, array by array; of rows by number first the numbers, then the rows, both at most.
  // Empty on more than 512 devices.
  Result<std::vector<MovedBoxes>> moved_boxes(std::size_t index) const;
  // Those alone that the value of a name needs, which a statement binds with others.
  std::vector<Redistribution> redistributions_for(std::string_view name) const;
  std::vector<PartsMoved> parts_moved_for(std::string_view name) const;
  // In the same order; none unless the session's machine says what its devices can do.
  std::vector<LocalWork> local_work() const;
  // In the order of the text, those of functions where they are first called.
  Result<std::vector<Pipeline>> pipelines() const;
  const Diagnostics& notes() const;            // notes and warnings
  Result<std::string> elaborated() const;      // the text with every type and redistribution written out
  Result<std::string> device_program() const;  // the steps every device takes, as text

  struct Impl;
  explicit Program(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  friend class Session;
  std::shared_ptr<const Impl> impl_;
};

// A value of a gradient's forward pass that stayed in memory because the backward pass reads it.
struct KeptValue {
  Place made;                   // the expression whose value it is
  std::string type;             // `f32[16@data, 64]`
  Place read;                   // the expression whose gradient reads it first
  std::int64_t count = 0;       // how many there are of these
  std::int64_t tile_bytes = 0;  // of all of them, on the device that has most
};

struct RunReport {
  Program program;  // what ran
  std::vector<Binding> bindings;
  std::vector<StatementStatistics> statistics;
  std::vector<StatementProfile> profile;
  std::int64_t peak_bytes = 0;   // payload alive on a device at once, the largest over devices, arrays read included
  std::int64_t arena_bytes = 0;  // reserved for what the run made, on the device that has most
  double clock_seconds = 0;      // of a run that was throttled (docs/running.md, "Unequal devices")
  std::vector<KeptValue> kept;   // for backward passes, in the order in which it was made; names' values included
  // On GPUs: the operations that were taken on copies in the host's memory, with how often, in alphabetical order.
  std::vector<std::pair<std::string, std::int64_t>> host_steps;
};

// The outcome of running a plan on an array.
struct PlanRun {
  std::vector<Array> after;  // the array after each step
  double seconds = 0;        // that the steps took, by the session's clock
};

// The placement of axes on the levels of a machine: a row for each axis, a column for each level, `[[4,4],[1,4]]`.
using PlaceMatrix = std::vector<std::vector<std::int64_t>>;

// A mesh of a session.
struct NamedMesh {
  std::string name;
  std::vector<std::pair<std::string, std::int64_t>> axes;  // outermost first
  bool is_default = false;                                 // types without `on` live here
  struct Cut {
    std::size_t axis = 0;
    std::string name;
    std::vector<std::int64_t> weights;  // of the axis' positions
  };
  std::vector<Cut> cuts = {};              // those that have a name
  PlaceMatrix place = {};                  // empty: row-major order
  std::string on = {};                     // the devices of the run that it was declared on, `8:16`; empty: 0:D
  std::vector<std::int64_t> devices = {};  // of the run, at each row-major position
};

// Memory of the host's, strided. No strides: row-major and dense.
struct HostMemory {
  const void* data = nullptr;
  std::vector<std::int64_t> strides_bytes = {};
  int gpu = -1;       // whose memory it is, by the driver's number; -1: a processor's
  bool copy = false;  // into memory of the session's, even if it could be read where it is
};

// ---- Sessions --------------------------------------------------------------------------------------------

class TESSERA_API Session {
 public:
  explicit Session(Config config = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  Session fork() const;
  // The same names under other settings. Plans made so far are kept if the machine is the same.
  Session fork(Config config) const;
  const Config& config() const;

  // `name` stands for the text in diagnostics (`demo.tess`); `first_line` is the number of its first line, for a host
  // that hands over a longer text piece by piece.
  Result<Program> check(std::string_view text, std::string_view name = "input", std::uint32_t first_line = 1);
  // The checked program as one of the stages() left it, for people (docs/architecture.md); else `bad-call`.
  Result<std::string> text_after(std::string_view stage, std::string_view text, std::string_view name = "input");
  // check, then run. A text that fails before anything of it has run has written nothing.
  Result<RunReport> run(std::string_view text, std::string_view name = "input", std::uint32_t first_line = 1);
  // Fails with `bad-call` where the session has changed since the program was checked.
  Result<RunReport> run(const Program& program);
  // The costs of the last run. A run that failed has no RunReport, but its costs up to the failure are here.
  std::vector<StatementStatistics> statistics() const;
  // Takes an array through the steps of a plan, any planner's; nothing in the session changes. On ranks sends that the
  // plan lists are made as listed.
  // The array has the type the plan begins with, else `bad-call`.
  Result<PlanRun> run(const Plan& plan, const Array& source);

  // Compiles a function of the program: tessera/function.hpp.
  Result<Function> function(std::string_view name, const std::vector<std::string>& types = {});

  // The layouts chosen for the calls of every `auto fn` in the last text that ran, or the last function() that was
  // made, that called one; none before. tessera/choice.hpp
  Result<std::vector<Choice>> choices() const;

  // An array of this type, `f32[8@x, 4]`, in memory of the host's: one HostMemory for each device's tile, on ranks for
  // this rank's devices. Tiles that are row-major, dense and aligned to the element are read where they are, unless
  // ranks share memory; others are copied once. `keep` lives as long as any array, fork or function that can read them;
  // until it is gone the memory must not change. `bad-call` for a wrong number of tiles or strides, and for a bool that
  // is neither 0 nor 1. A GPU's memory is read in place where the session has the device on that GPU and the tile is
  // dense and aligned to 64 bytes; what it holds has to be there before what gpu_stream() begins then.
  Result<Array> borrow(std::string_view type, const std::vector<HostMemory>& tiles, std::shared_ptr<const void> keep);
  // The same from one buffer that holds the whole array, on every rank; not for types with a pending sum.
  Result<Array> array(std::string_view type, const HostMemory& whole, std::shared_ptr<const void> keep);
  Result<ArrayType> read_type(std::string_view type);  // tessera/array_type.hpp

  // Gathers one text from each rank, in rank order, on all ranks, so that they decide alike. Alone: one's own.
  Result<std::vector<std::string>> share(std::string mine) const;

  // May be called from another thread or a signal handler: the run in progress, if any, fails with `interrupted`,
  // mostly within a fifth of a second, whether the text is being read, checked, planned or run.
  void stop() noexcept;

  // `bad-call` if there is no such name, or its value is not kept. A field of a record is a name, `p.w`.
  Result<Array> get(std::string_view name) const;
  // The fields of a record in their order, `w` and `layer.b`; of any other name none.
  std::vector<std::string> fields(std::string_view name) const;
  // Binds a name to a replicated array on the default mesh, as `let` would. Values are row-major; T is as in
  // Array::to_vector; an empty shape is a scalar's. `bad-call` where the name cannot be a variable's, or the shape has
  // another number of elements.
  template <class T>
  Status set(std::string_view name, const std::vector<T>& values, const std::vector<std::int64_t>& shape);
  // Binds a name to an array of any session on the same ranks, with the type it has, as `let` would.
  Status set(std::string_view name, const Array& array);
  // The same for a record, of fields in this order; one of a record in it is `layer.b`.
  Status set(std::string_view name, const std::vector<std::pair<std::string, Array>>& fields);
  std::vector<Binding> names() const;          // every name bound now, in alphabetical order
  std::vector<std::string> functions() const;  // of the program, in alphabetical order
  std::vector<NamedMesh> meshes() const;       // in alphabetical order
  // The devices [begin, end) of each rank, as they are dealt now; of one process, all.
  std::vector<std::pair<std::int64_t, std::int64_t>> devices() const;
  // The GPU of each device of the run, `GPU 0 (NVIDIA H100)`; empty for those of other ranks. On no GPUs: none.
  std::vector<std::string> gpus_of_devices() const;
  // The stream of the session's work on a GPU, as CUDA's libraries name it; null where it has no device there.
  void* gpu_stream(int gpu) const;

  struct Impl;

 private:
  explicit Session(std::unique_ptr<Impl> impl);
  Result<Program> check_text(std::string_view text, std::string_view name, std::uint32_t line, std::string_view stage);
  Result<RunReport> run_checked(const Program& program);
  std::unique_ptr<Impl> impl_;
};

// ---- Text ------------------------------------------------------------------------------------------------

// Longer program texts are refused.
inline constexpr std::size_t text_bytes_max = std::size_t{16} << 20U;

// The canonical layout of a program's text.
TESSERA_API Result<std::string> format(std::string_view text, std::string_view name = "input");
// Does the text end where another line may complete it?
TESSERA_API bool is_incomplete(std::string_view text);
// The section of the error index about a slug, as Markdown; fails with unknown-slug and the nearest spelling.
TESSERA_API Result<std::string> explain(std::string_view slug);
TESSERA_API const std::vector<std::string>& all_slugs();
// An operation as the reference tells of it, docs/language.md section 11; words of the language stand in backticks.
struct OperationHelp {
  std::string name;
  std::string signature;  // `sum(a, dim=)`
  std::string does;
  std::string layouts;  // what happens to them; may be empty
};
// Every operation that can be called; one that takes two sorts of arguments, such as `max`, stands there twice.
TESSERA_API const std::vector<OperationHelp>& operations();
TESSERA_API const std::vector<std::string>& stages();  // of a program, whose results print as text, in order
// The words of the language that cannot be names.
TESSERA_API const std::vector<std::string>& keywords();
// The word of `known` that is nearest to one that is not among them, if it can have been meant.
TESSERA_API std::optional<std::string> nearest_spelling(std::string_view word, const std::vector<std::string>& known);
TESSERA_API std::string_view version();  // `0.1.0`

}  // namespace tessera
