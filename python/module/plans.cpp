// class Plan, and the functions that make plans.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "python/module/classes.hpp"
#include "python/module/errors.hpp"
#include "python/module/work.hpp"
#include "tessera/interop.hpp"
#include "tessera/plan_verdict.hpp"

namespace tessera::python {

namespace {

nb::object python_side(const char* name) { return nb::module_::import_("tessera._inputs").attr(name); }
nb::object pictures(const char* name) { return nb::module_::import_("tessera._pictures").attr(name); }

// `x:4,y:2`, or a dictionary or a mesh of JAX or PyTorch that says it.
std::string mesh_of(const nb::object& given) {
  return nb::cast<std::string>(nb::module_::import_("tessera.interop").attr("_mesh_text")(given));
}

PlanRequest request_of(const nb::object& mesh, const std::string& from, const std::string& to,
                       const nb::object& to_mesh, const std::string& planner, const nb::object& machine,
                       const nb::object& place, const nb::object& within, bool collectives_only) {
  PlanRequest request;
  request.mesh = mesh_of(mesh);
  if (const std::string placed = place_of(place); !placed.empty()) request.mesh += " place " + placed;
  request.from = from;
  request.to = to;
  request.to_mesh = mesh_of(to_mesh);
  request.planner = planner;
  request.machine = machine_of(machine);
  request.within_bytes = bytes_from(within);
  request.collectives_only = collectives_only;
  return request;
}

Plan made(PlanRequest request) {
  StopToken token;
  request.stop = token;
  return worked(nullptr, &token, [&] { return make_plan(request); });
}

Plan plan(const nb::object& mesh, const std::string& from, const std::string& to, const nb::object& to_mesh,
          const std::string& planner, const nb::object& machine, const nb::object& place, const nb::object& within,
          bool collectives_only) {
  return made(request_of(mesh, from, to, to_mesh, planner, machine, place, within, collectives_only));
}

// Ours first, then those of others that can do it, in their order.
std::vector<Plan> compare(const nb::object& mesh, const std::string& from, const std::string& to,
                          const nb::object& to_mesh, const nb::object& machine, const nb::object& place,
                          const nb::object& within, bool collectives_only) {
  PlanRequest request = request_of(mesh, from, to, to_mesh, "tessera", machine, place, within, collectives_only);
  std::vector<Plan> plans = {made(request)};
  StopToken token;
  request.stop = token;
  for (const std::string& planner : planner_names()) {
    if (planner == "tessera" || plans_between_meshes(planner) == request.to_mesh.empty()) continue;
    request.planner = planner;
    auto answer = [&] {
      const Interruptible interruptible(nullptr, &token);
      const nb::gil_scoped_release unlocked;
      return make_plan(request);
    }();
    if (!answer) raise_if_interrupted(answer.diagnostics());
    if (answer) plans.push_back(std::move(*answer));
  }
  return plans;
}

// The plan that a text is, if every figure in it is right.
Plan verify(const std::string& json, const nb::object& machine) {
  const Machine on = machine_of(machine);
  StopToken token;
  auto verdict = [&] {
    const Interruptible interruptible(nullptr, &token);
    const nb::gil_scoped_release unlocked;
    return verify_plan(json, on, token);
  }();
  if (token.asked() && PyErr_CheckSignals() != 0) throw nb::python_error();
  if (!verdict.fault.empty() || !verdict.plan) throw nb::value_error(("a wrong plan: " + verdict.fault).c_str());
  return std::move(*verdict.plan);
}

std::string json_of(const Plan& plan, bool sends) { return sends ? taken(json_with_sends(plan)) : plan.json(); }

// A figure that only the JSON has.
nb::object in_json(const Plan& plan, const char* key) {
  return nb::module_::import_("json").attr("loads")(plan.json())[nb::str(key)];
}

nb::dict axes_of(const MeshAxes& axes) {
  nb::dict result;
  for (const MeshAxis& axis : axes) result[nb::str(axis.name.c_str())] = axis.size;
  return result;
}

nb::tuple slices_of(const Box& box) {
  nb::list slices;
  const nb::object slice = nb::borrow(reinterpret_cast<PyObject*>(&PySlice_Type));
  for (const auto& [begin, end] : box) slices.append(slice(begin, end));
  return nb::tuple(slices);
}

void bind_steps(nb::module_& m) {
  nb::class_<Plan::Step>(m, "Step", "A step of a plan.")
      .def_ro("op", &Plan::Step::op, "The collective, `all_to_all`.")
      .def_ro("detail", &Plan::Step::detail, "Its axes and dimensions.")
      .def_ro("program", &Plan::Step::program, "How a sum is made on a machine of levels; else empty.")
      .def_ro("type", &Plan::Step::type, "The type after the step.")
      .def_ro("local_bytes_max", &Plan::Step::local_bytes_max, "Of the largest tile after it.")
      .def_ro("received_bytes_total", &Plan::Step::received_bytes_total, "By all devices.")
      .def_ro("received_bytes_max", &Plan::Step::received_bytes_max, "By the device that receives most.")
      .def_ro("groups", &Plan::Step::groups, "Groups of devices that work by themselves.")
      .def_ro("group_size", &Plan::Step::group_size, "Devices of a group.")
      .def_ro("peak_bytes", &Plan::Step::peak_bytes, "On a device, during the step.")
      .def_ro("launches", &Plan::Step::launches, "True if a collective is started.")
      .def("__repr__", [](const Plan::Step& s) { return "<" + s.op + " " + s.detail + ">"; });
  using Move = Plan::Move;
  nb::class_<Move>(m, "Move", "A box that one device hands to another, or keeps.")
      .def_ro("source", &Move::source, "A device of the run.")
      .def_ro("target", &Move::target, "A device of the run.")
      .def_prop_ro(
          "box", [](const Move& move) { return slices_of(move.box); }, nb::sig("def box(self, /) -> tuple[slice, ...]"),
          "In the whole array.")
      .def_ro("combines", &Move::combines, "True if the target adds it up.")
      .def_ro("hop", &Move::hop, "Of a relay or a program.");
  using Holding = Plan::Holding;
  nb::class_<Holding>(m, "Holding", "The elements that a device holds between two steps.")
      .def_prop_ro(
          "box", [](const Holding& held) { return slices_of(held.box); },
          nb::sig("def box(self, /) -> tuple[slice, ...]"), "In the whole array.")
      .def_ro("bytes", &Holding::bytes, "Of its tile.")
      .def_ro("contribution", &Holding::contribution, "Of a pending array: which part of each element it holds.")
      .def_ro("received_bytes", &Holding::received_bytes, "From other devices, in the step that led here.")
      .def_ro("device", &Holding::device, "Of the run.");
  using Moment = Plan::Moment;
  nb::class_<Moment>(m, "Moment", "An array between two steps of a plan.")
      .def_ro("type", &Moment::type, "Its type.")
      .def_ro("contributions", &Moment::contributions, "Parts that make up each element.")
      .def_ro("devices", &Moment::devices, "What each device holds, by number.")
      .def_prop_ro(
          "mesh", [](const Moment& moment) { return axes_of(moment.mesh); },
          nb::sig("def mesh(self, /) -> dict[str, int]"), "The mesh that it is on.");
}

void bind_figures(nb::class_<Plan>& c) {
  c.def_prop_ro("steps", &Plan::steps, "The steps, in order.");
  c.def_prop_ro("seconds", &Plan::seconds, "By the machine model.");
  c.def_prop_ro("lower_bound_seconds", &Plan::lower_bound_seconds, "No algorithm takes less on the machine.");
  c.def_prop_ro("received_bytes", &Plan::received_bytes_total, "By all devices.");
  c.def_prop_ro("lower_bound_bytes", &Plan::lower_bound_bytes_total, "No algorithm makes the devices receive less.");
  c.def_prop_ro("peak_bytes", &Plan::peak_bytes, "The most that a device holds at once.");
  c.def_prop_ro(
      "verified", [](const Plan& p) { return nb::cast<bool>(in_json(p, "verified")); },
      "Has the verifier replayed it?");
  c.def_prop_ro("planner", [](const Plan& p) { return nb::cast<std::string>(in_json(p, "planner")); }, "Who made it.");
}

}  // namespace

Machine machine_of(const nb::object& given) {
  if (given.is_none()) return {};
  const auto [text, name] = nb::cast<std::pair<std::string, std::string>>(python_side("machine_text")(given));
  return taken(parse_machine(text, name));
}

std::string place_of(const nb::object& given) {
  return given.is_none() ? "" : nb::cast<std::string>(python_side("place_text")(given));
}

std::optional<std::int64_t> bytes_from(const nb::object& given) {
  if (given.is_none()) return std::nullopt;
  if (nb::isinstance<nb::str>(given)) return taken(parse_size(nb::cast<std::string>(given)));
  return nb::cast<std::int64_t>(given);
}

void bind_plans(nb::module_& m) {
  bind_steps(m);
  nb::class_<Plan> c(m, "Plan", "A change of layout, step by step; `print` writes the command's table.");
  bind_figures(c);
  c.def(
      "moves", [](const Plan& p, std::size_t index) { return taken(p.moves(index)); }, nb::arg("index"),
      "Who hands which box to whom in a step, counted from 0.");
  c.def(
      "moment", [](const Plan& p, std::size_t index) { return taken(p.moment(index)); }, nb::arg("index"),
      "What every device holds: 0 is before the first step, i after step i.");
  c.def(
      "emit", [](const Plan& p, const std::string& target) { return taken(emit(p, target)); }, nb::arg("target"),
      "The plan as a program for another system: `jax`, a Python module, or `mpi-c`, a C99 file.");
  c.def("json", &json_of, nb::arg("sends") = false, "One JSON object, with every send if that is wanted.");
  c.def(
      "to_dicts", [](const nb::object& self) { return pictures("plan_dicts")(self); },
      nb::sig("def to_dicts(self) -> list[dict[str, typing.Any]]"),
      "A dictionary for each step: pandas.DataFrame takes them.");
  c.def("__str__", [](const Plan& p) {
    std::string text = p.text();
    if (text.ends_with('\n')) text.pop_back();
    return text;
  });
  c.def("__repr__", [](const Plan& p) { return "<Plan " + p.from() + " -> " + p.to() + ">"; });
  c.def(
      "_ends", [](const Plan& p) { return nb::make_tuple(p.from(), p.to(), p.mesh_text(), p.to_mesh_text()); },
      nb::sig("def _ends(self) -> tuple[str, str, str, str]"));
  c.def(
      "_repr_html_", [](const nb::object& self) { return pictures("plan_html")(self); },
      nb::sig("def _repr_html_(self) -> str"), "The table with bars, for notebooks.");
  m.def(
      "plan", &plan, nb::arg("mesh"), nb::arg("from_"), nb::arg("to"), nb::kw_only(), nb::arg("to_mesh") = "",
      nb::arg("planner") = "tessera", nb::arg("machine") = nb::none(), nb::arg("place") = nb::none(),
      nb::arg("within") = nb::none(), nb::arg("collectives_only") = false,
      nb::sig("def plan(mesh: typing.Any, from_: str, to: str, *, to_mesh: typing.Any = '', planner: str = 'tessera', "
              "machine: typing.Any = None, place: typing.Any = None, within: int | str | None = None, "
              "collectives_only: bool = False) -> Plan"),
      "Plans one change of layout: plan('x:4', 'f32[8@x,8]', 'f32[8,8@x]').");
  m.def(
      "compare", &compare, nb::arg("mesh"), nb::arg("from_"), nb::arg("to"), nb::kw_only(), nb::arg("to_mesh") = "",
      nb::arg("machine") = nb::none(), nb::arg("place") = nb::none(), nb::arg("within") = nb::none(),
      nb::arg("collectives_only") = false,
      nb::sig(
          "def compare(mesh: typing.Any, from_: str, to: str, *, to_mesh: typing.Any = '', machine: typing.Any = None, "
          "place: typing.Any = None, within: int | str | None = None, collectives_only: bool = False) -> list[Plan]"),
      "Plans of all planners that can make the change, ours first.");
  m.def("verify", &verify, nb::arg("json"), nb::arg("machine") = nb::none(),
        nb::sig("def verify(json: str, machine: typing.Any = None) -> Plan"),
        "Reads a plan from anywhere and replays it: the plan, or a ValueError that says what is wrong with it.");
}

}  // namespace tessera::python
