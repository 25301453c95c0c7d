// class Session.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "python/module/callbacks.hpp"
#include "python/module/classes.hpp"
#include "python/module/collected.hpp"
#include "python/module/errors.hpp"
#include "python/module/function.hpp"
#include "python/module/memory.hpp"
#include "python/module/records.hpp"
#include "python/module/settings.hpp"
#include "python/module/work.hpp"
#include "tessera/choice.hpp"
#include "tessera/function.hpp"

namespace tessera::python {

namespace {

// A session of the library's with the host's functions. One thread at a time works with it; meanwhile only what it
// calls back may read it.
class PySession {
 public:
  PySession(Session session, Callbacks callbacks) : session_(std::move(session)), callbacks_(std::move(callbacks)) {}

  Session& session() { return session_; }
  Callbacks& callbacks() { return callbacks_; }

  // Work that changes the session.
  template <class F>
  auto change(const F& f) {
    callbacks_.lend();
    const Turn turn(*this);
    return worked(&session_, nullptr, [&] { return f(session_); });
  }
  // A look at it, which takes no time: under the interpreter's lock, so that no work begins or ends meanwhile.
  Session& read() {
    if (is_busy()) busy();
    return session_;
  }
  // Does another thread work with it?
  bool is_busy() const {
    const std::thread::id worker = worker_.load();
    return worker != std::thread::id() && worker != std::this_thread::get_id();
  }

 private:
  [[noreturn]] static void busy() {
    raise_bad_call("another thread works with this session", "give each thread a fork, `s.fork()`");
  }

  // The time in which this thread works with the session. A callback of its work comes here, too: the library says no.
  class Turn {
   public:
    explicit Turn(PySession& session) : session_(session), outer_(session.worker_.load()) {
      const std::thread::id self = std::this_thread::get_id();
      if (outer_ != std::thread::id() && outer_ != self) busy();
      session_.worker_.store(self);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { session_.worker_.store(outer_); }

   private:
    PySession& session_;
    std::thread::id outer_;
  };

  Session session_;
  Callbacks callbacks_;
  std::atomic<std::thread::id> worker_;
};

void make_session(PySession* self, const nb::object& output, const nb::object& log, const nb::object& progress,
                  const nb::object& files, const nb::object& machine, const nb::object& place,
                  const std::string& reshard, const nb::object& defines, const nb::object& comm, const nb::object& gpu,
                  const std::string& products, const nb::kwargs& limits) {
  Config config;
  config.files = files_of(files);
  config.machine = machine_of(machine);
  config.place = place_of(place);
  config.reshard = reshard_of(reshard);
  config.defines = texts_of(defines);
  config.gpus = gpus_of(gpu);
  config.products = products_of(products);
  set_limits(config, limits);
  if (!comm.is_none()) {
    const nb::capsule team = nb::cast<nb::capsule>(nb::module_::import_("tessera._ranks").attr("team")(comm));
    config.team = *static_cast<const Team*>(team.data());
  }
  const bool opens = PyCallable_Check(files.ptr()) != 0;
  Callbacks callbacks({output, log, progress, opens ? files : nb::object(nb::none())});
  callbacks.install(config);
  new (self) PySession(Session(std::move(config)), std::move(callbacks));
}

[[noreturn]] void no_such_name(PySession& self, const std::string& name) {
  std::vector<std::string> names;
  for (const Binding& binding : self.session().names()) names.push_back(binding.name);
  std::string text = "there is no `" + name + "`";
  if (const auto nearest = nearest_spelling(name, names)) text += ": did you mean `" + *nearest + "`?";
  throw nb::key_error(text.c_str());
}

bool has_name(PySession& self, const std::string& name) {
  if (!self.read().fields(name).empty()) return true;
  const std::vector<Binding> names = self.read().names();
  return std::any_of(names.begin(), names.end(), [&](const Binding& binding) { return binding.name == name; });
}

// An Array; of a record a dict of them.
nb::object get(PySession& self, const std::string& name) {
  Leaves record;
  for (const std::string& field : self.read().fields(name))
    record.emplace_back(field, nb::cast(taken(self.read().get(name + "." + field))));
  if (!record.empty()) return nested(record);
  auto array = self.read().get(name);
  if (!array && !has_name(self, name)) no_such_name(self, name);
  return nb::cast(taken(std::move(array)));
}

template <class T>
void set_scalar(PySession& self, const std::string& name, T value) {
  self.change([&](Session& s) { return s.set<T>(name, {value}, {}); });
}

// Anything that numpy reads as an array of one of our element types: a copy, replicated on the default mesh.
Array array_of(PySession& self, nb::object value) {
  if (nb::isinstance<Array>(value)) return nb::cast<const Array&>(value);
  if (PyObject_CheckBuffer(value.ptr()) == 0 && !nb::hasattr(value, "__dlpack__"))
    value = nb::module_::import_("numpy").attr("asarray")(value);
  const HostArray array = copied(host_array(value, self.session()));
  std::string type = name_of(array.element);
  for (std::size_t d = 0; d < array.shape.size(); ++d)
    type += (d == 0 ? "[" : ", ") + std::to_string(array.shape[d]) + (d + 1 == array.shape.size() ? "]" : "");
  return self.change([&](Session& s) { return s.array(type, array.memory, array.keep); });
}

void set_record(PySession& self, const std::string& name, const nb::object& value) {
  std::vector<std::pair<std::string, Array>> fields;
  for (const auto& [path, leaf] : leaves(value, "the dict for `" + name + "`"))
    fields.emplace_back(path, array_of(self, leaf));
  self.change([&](Session& s) { return s.set(name, fields); });
}

void set(PySession& self, const std::string& name, const nb::object& value) {
  if (PyBool_Check(value.ptr()) != 0) {
    set_scalar<bool>(self, name, nb::cast<bool>(value));
  } else if (PyLong_Check(value.ptr()) != 0) {
    std::int64_t number = 0;
    if (!nb::try_cast(value, number)) throw nb::value_error("the number is no i64: i64 ends at 2**63 - 1");
    set_scalar(self, name, number);
  } else if (PyFloat_CheckExact(value.ptr()) != 0) {
    set_scalar(self, name, nb::cast<double>(value));
  } else if (is_record(value)) {
    set_record(self, name, value);
  } else {
    const Array array = array_of(self, value);
    self.change([&](Session& s) { return s.set(name, array); });
  }
}

// The text of each name's type; that of a record, `{w: f32[8], b: f32}`, stands for those of its fields.
nb::dict names(PySession& self) {
  nb::dict types;
  const std::vector<Binding> all = self.read().names();
  const auto type = [&](const std::string& name) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const Binding& binding) { return binding.name == name; });
    return nb::str(at == all.end() ? "" : at->type.c_str());
  };
  for (const Binding& binding : all) {
    const std::string name = binding.name.substr(0, binding.name.find('.'));
    if (types.contains(name.c_str())) continue;
    Leaves fields;
    for (const std::string& field : self.read().fields(name)) fields.emplace_back(field, type(name + "." + field));
    types[nb::str(name.c_str())] = fields.empty() ? type(name) : nb::str(type_of(nested(fields), name).c_str());
  }
  return types;
}

nb::dict meshes(PySession& self) {
  nb::dict result;
  for (const NamedMesh& mesh : self.read().meshes()) {
    nb::dict axes;
    for (const auto& [axis, size] : mesh.axes) axes[nb::str(axis.c_str())] = size;
    result[nb::str(mesh.name.c_str())] = axes;
  }
  return result;
}

Array made_array(PySession& self, const nb::object& x, const std::string& type, const std::optional<bool>& copy) {
  const ArrayType wanted = self.change([&](Session& s) { return s.read_type(type); });
  HostArray host = host_array(x, self.session(), &wanted.element);
  expect_shape(host, wanted.shape, wanted.text);
  if (copy.value_or(false)) host = copied(host);
  const Array made = self.change([&](Session& s) { return s.array(type, host.memory, host.keep); });
  if (copy.has_value() && !*copy && !made.borrowed()) {
    throw nb::value_error(("a tile of " + wanted.text +
                           " is not dense in this memory, so that it has to be copied: leave out copy=False, or hand "
                           "over the tiles one by one, each by numpy.ascontiguousarray, to s.borrow(tiles, type)")
                              .c_str());
  }
  return made;
}

// Of a dict and a dict of types a dict of Arrays.
nb::object array(PySession& self, const nb::object& x, const nb::object& type, const std::optional<bool>& copy) {
  if (type.is_none()) nb::module_::import_("tessera._hints").attr("no_type")(x, meshes(self));
  if (nb::isinstance<nb::str>(type) && !is_record(x))
    return nb::cast(made_array(self, x, nb::cast<std::string>(type), copy));
  Leaves made;
  for (const auto& [path, leaf, own] : paired(x, type))
    made.emplace_back(path, nb::cast(made_array(self, leaf, own, copy)));
  return nested(made);
}

Array borrow(PySession& self, const nb::sequence& tiles, const std::string& type) {
  const ArrayType wanted = self.change([&](Session& s) { return s.read_type(type); });
  std::vector<HostMemory> memory;
  const auto keep = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  std::size_t device = 0;
  for (const nb::handle tile : tiles) {
    const HostArray host = host_array(tile, self.session(), &wanted.element);
    if (device < wanted.tiles.size()) {
      std::vector<std::int64_t> shape;
      for (const auto& [begin, end] : wanted.tiles[device]) shape.push_back(end - begin);
      expect_shape(host, shape, "tile " + std::to_string(device) + " of " + wanted.text);
    }
    memory.push_back(host.memory);
    keep->push_back(host.keep);
    ++device;
  }
  return self.change([&](Session& s) { return s.borrow(type, memory, keep); });
}

PyFunction function(PySession& self, const std::string& name, const std::optional<nb::sequence>& types) {
  std::vector<std::string> texts;
  if (types.has_value() && nb::isinstance<nb::str>(*types))
    throw nb::type_error("types is a list, with a type for each argument: [\"f32[8@x, 4]\"]");
  if (types.has_value()) {
    for (const nb::handle type : *types)
      texts.push_back(type_of(type, "type " + std::to_string(texts.size() + 1) + " of `" + name + "`"));
  }
  Function made = self.change([&](Session& s) { return s.function(name, texts); });
  return {std::move(made), self.callbacks()};
}

std::unique_ptr<PySession> fork(PySession& self) {
  return std::make_unique<PySession>(self.read().fork(), self.callbacks());
}

constexpr const char* kSessionSignature =
    "def __init__(self, output: typing.Callable[[str], object] | None = None, "
    "log: typing.Callable[[tessera._errors.Diagnostic], object] | None = None, "
    "progress: typing.Callable[[int, int, int], object] | None = None, files: typing.Any = None, "
    "machine: typing.Any = None, place: typing.Any = None, reshard: str = 'silent', "
    "defines: dict[str, typing.Any] | None = None, *, memory_bytes_max: int = 0, text_bytes_max: int = 0, "
    "nesting_max: int = 0, devices_max: int = 0, steps_max: int = 0, output_bytes_max: int = 0, "
    "seconds_max: float = 0, comm: typing.Any = None, gpu: typing.Any = None, gpu_memory: int = 0, "
    "products: str = 'blas') -> None";

std::string text_of(PySession& self) {
  constexpr std::size_t kNamed = 8;
  if (self.is_busy()) return "<Session at work>";
  const std::vector<Binding> bound = self.read().names();
  std::vector<std::string> all;
  for (std::size_t k = 0; k < std::min(bound.size(), kNamed); ++k) all.push_back(bound[k].name + ": " + bound[k].type);
  if (bound.size() > kNamed) all.push_back(std::to_string(bound.size() - kNamed) + " more");
  return "<Session " + (all.empty() ? "without names" : joined(all)) + ">";
}

void bind_values(nb::class_<PySession>& c) {
  c.def("__repr__", &text_of);
  constexpr const char* kGet = "The value of a name, as an Array, of a record as a dict; KeyError where there is none.";
  c.def("get", &get, nb::arg("name"), nb::sig("def get(self, name: str) -> typing.Any"), kGet);
  c.def("__getitem__", &get, nb::arg("name"), nb::sig("def __getitem__(self, name: str) -> typing.Any"), kGet);
  c.def("__setitem__", &set, nb::arg("name"), nb::arg("value"),
        nb::sig("def __setitem__(self, name: str, value: typing.Any) -> None"),
        "Binds a name: to an Array with its type, to a number, to a copy of what numpy reads as an array, or to a dict "
        "of these.");
  c.def("__contains__", &has_name, nb::arg("name"), "Is the name bound?");
  c.def("names", &names, nb::sig("def names(self) -> dict[str, str]"), "The names that are bound, with their types.");
  c.def("meshes", &meshes, nb::sig("def meshes(self) -> dict[str, dict[str, int]]"), "The meshes, with their axes.");
  c.def("array", &array, nb::arg("x"), nb::arg("type") = nb::none(), nb::arg("copy") = nb::none(),
        nb::sig("def array(self, x: typing.Any, type: typing.Any, copy: bool | None = None) -> typing.Any"),
        "An Array of this type, from one that is whole; read where it is if its tiles are dense there. Of a dict and a "
        "dict of types a dict of Arrays.");
  c.def("borrow", &borrow, nb::arg("tiles"), nb::arg("type"),
        nb::sig("def borrow(self, tiles: typing.Sequence[typing.Any], type: str) -> Array"),
        "An Array of this type, from the tile of every device.");
}

}  // namespace

void bind_session(nb::module_& m) {
  nb::class_<PySession> c(m, "Session", nb::type_slots(kCollected<PySession>),
                          "Meshes, functions and named arrays, and the programs that make them.");
  c.def("__init__", &make_session, nb::arg("output") = nb::none(), nb::arg("log") = nb::none(),
        nb::arg("progress") = nb::none(), nb::arg("files") = nb::none(), nb::arg("machine") = nb::none(),
        nb::arg("place") = nb::none(), nb::arg("reshard") = "silent", nb::arg("defines") = nb::none(),
        nb::arg("comm") = nb::none(), nb::arg("gpu") = nb::none(), nb::arg("products") = "blas", nb::arg("limits"),
        nb::sig(kSessionSignature), "A session without any name.");
  c.def(
      "run",
      [](PySession& self, const std::string& text, const std::string& name) {
        return self.change([&](Session& s) { return s.run(text, name); });
      },
      nb::arg("text"), nb::arg("name") = "input", "Checks a program and runs it; all of it, or nothing has changed.");
  c.def(
      "check",
      [](PySession& self, const std::string& text, const std::string& name) {
        return self.change([&](Session& s) { return s.check(text, name); });
      },
      nb::arg("text"), nb::arg("name") = "input", "Checks a program and runs nothing.");
  bind_values(c);
  c.def(
      "function", &function, nb::arg("name"), nb::arg("types") = nb::none(),
      nb::sig("def function(self, name: str, types: typing.Sequence[typing.Any] | None = None) -> Function"),
      "A function of the program, compiled for these types of its arguments; without any for those that it declares.");
  c.def(
      "choices", [](PySession& self) { return dicts_of(taken(self.read().choices())); },
      nb::sig("def choices(self) -> list[dict[str, typing.Any]]"),
      "The layouts chosen for each `auto fn` that the last text called, or the last compiled function.");
  c.def("_functions", [](PySession& self) { return self.read().functions(); });
  c.def("fork", &fork, "A session with the same names, which goes its own way from here.");
  c.def("stop", [](PySession& self) { self.session().stop(); }, "From another thread: ends the work in progress.");
}

}  // namespace tessera::python
