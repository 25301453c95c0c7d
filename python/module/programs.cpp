// What is known of a program: class Program before it runs, class Report after.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/module/classes.hpp"
#include "python/module/errors.hpp"
#include "tessera/choice.hpp"

namespace tessera::python {

namespace {

void bind_places(nb::module_& m) {
  nb::class_<Place>(m, "Place", "A place in a text; lines and columns count from 1.")
      .def_ro("file", &Place::file, "The text's name.")
      .def_ro("line", &Place::line, "The line.")
      .def_ro("column", &Place::column, "The column, in code points.")
      .def_ro("length", &Place::length, "Code points that are meant, on the first line.");
  nb::class_<Binding>(m, "Binding", "A name that a `let` binds.")
      .def_ro("name", &Binding::name, "The name.")
      .def_ro("type", &Binding::type, "Its type.")
      .def_ro("line", &Binding::line, "The line of the name.")
      .def_ro("column", &Binding::column, "The column of the name.")
      .def_ro("_statement", &Binding::statement)
      .def("__repr__", [](const Binding& b) { return "<" + b.name + ": " + b.type + ">"; });
}

void bind_redistributions(nb::module_& m) {
  using Alternative = Redistribution::Alternative;
  nb::class_<Alternative>(m, "Alternative", "A way that was priced.")
      .def_ro("description", &Alternative::description, "What it is.")
      .def_ro("seconds", &Alternative::seconds, "Its time by the machine model.")
      .def_ro("received_bytes", &Alternative::received_bytes, "By all devices.")
      .def_ro("peak_bytes", &Alternative::peak_bytes, "On a device.")
      .def_ro("chosen", &Alternative::chosen, "Is it the one that is taken?");
  nb::class_<Redistribution>(m, "Redistribution", "A change of layout of a program, and why it is there.")
      .def_ro("place", &Redistribution::place, "The expression that asked.")
      .def_ro("who", &Redistribution::who, "Who asked: `@`, `argument w of dense`, `as`.")
      .def_ro("inserted", &Redistribution::inserted, "True if the program does not say it.")
      .def_ro("because", &Redistribution::because, "What it was compared with, or None.")
      .def_ro("compared", &Redistribution::compared, "The ways that were priced.")
      .def_ro("plan", &Redistribution::plan, "Its plan.")
      .def("__repr__", [](const Redistribution& r) {
        return "<" + r.plan.from() + " -> " + r.plan.to() + " for " + r.who + " at line " +
               std::to_string(r.place.line) + ">";
      });
}

void bind_pipelines(nb::module_& m) {
  nb::class_<Pipeline::DevicePeak>(m, "DevicePeak", "The most that is alive on a device while a pipeline runs.")
      .def_ro("device", &Pipeline::DevicePeak::device, "Of the run.")
      .def_ro("bytes", &Pipeline::DevicePeak::bytes, "Inputs included.");
  nb::class_<Pipeline::Stage>(m, "Stage", "The work of one mesh in a pipeline.")
      .def_ro("mesh", &Pipeline::Stage::mesh, "Its mesh.")
      .def_ro("forward_seconds", &Pipeline::Stage::forward_seconds, "The first visit of a microbatch.")
      .def_ro("backward_seconds", &Pipeline::Stage::backward_seconds, "Its other visits.")
      .def_ro("rest_seconds", &Pipeline::Stage::rest_seconds, "What no border waits for.")
      .def_ro("border_seconds", &Pipeline::Stage::border_seconds, "The longest border that it sends.")
      .def_ro("in_flight", &Pipeline::Stage::in_flight, "Microbatches under way on it, at most.")
      .def_ro("peaks", &Pipeline::Stage::peaks, "Of its devices.");
  nb::class_<Pipeline::Schedule>(m, "Schedule", "How one of all schedules does.")
      .def_ro("name", &Pipeline::Schedule::name, "Its name.")
      .def_ro("in_flight", &Pipeline::Schedule::in_flight, "Of each stage.")
      .def_ro("period_seconds", &Pipeline::Schedule::period_seconds, "Between two microbatches, once it is full.")
      .def_ro("makespan_seconds", &Pipeline::Schedule::makespan_seconds, "From the first visit to the last.")
      .def_ro("bubble", &Pipeline::Schedule::bubble, "The share of the stages' time in which they wait.");
  nb::class_<Pipeline>(m, "Pipeline", "A pipeline's figures, by the machine model.")
      .def_ro("place", &Pipeline::place, "Where it stands.")
      .def_ro("schedule", &Pipeline::schedule, "Its own schedule.")
      .def_ro("microbatches", &Pipeline::microbatches, "How many there are.")
      .def_ro("stages", &Pipeline::stages, "One for each mesh.")
      .def_ro("schedules", &Pipeline::schedules, "All of them, its own among them.");
}

std::string elaborated(const Program& program) { return taken(program.elaborated()); }
std::vector<Pipeline> pipelines(const Program& program) { return taken(program.pipelines()); }
nb::list choices(const Program& program) { return dicts_of(taken(choices_of(program))); }

}  // namespace

nb::list dicts_of(const std::vector<Choice>& choices) {
  const nb::object loads = nb::module_::import_("json").attr("loads");
  nb::list all;
  for (const Choice& one : choices) all.append(loads(choice_json(one)));
  return all;
}

void bind_programs(nb::module_& m) {
  bind_places(m);
  bind_redistributions(m);
  bind_pipelines(m);
  nb::class_<StatementStatistics>(m, "StatementStatistics", "What a statement that communicated has cost.")
      .def_ro("place", &StatementStatistics::place, "The statement.")
      .def_ro("steps", &StatementStatistics::steps, "Steps that moved data.")
      .def_ro("received_bytes", &StatementStatistics::received_bytes, "By all devices.")
      .def_ro("peak_bytes", &StatementStatistics::peak_bytes, "On a device.")
      .def_ro("seconds", &StatementStatistics::seconds, "By the session's clock.");
  nb::class_<Program>(m, "Program", "A text that was checked: Session.check.")
      .def_prop_ro("bindings", &Program::bindings, "The names that it binds, in order.")
      .def_prop_ro("redistributions", &Program::redistributions, "Where data moves, and why.")
      .def_prop_ro("pipelines", &pipelines, "Its pipelines, with all schedules.")
      .def_prop_ro("choices", &choices, nb::sig("def choices(self) -> list[dict[str, typing.Any]]"),
                   "The layouts chosen for each call of an `auto fn`, as `tessera choose --json` says them.")
      .def("elaborated", &elaborated, "The text with every type and redistribution written out.")
      .def("_shown", [](const Program& p) { return p.shown().size(); });
  nb::class_<RunReport>(m, "Report", "What has run: Session.run.")
      .def("__repr__",
           [](const RunReport& r) {
             std::string all;
             for (const Binding& b : r.bindings) all += (all.empty() ? " " : ", ") + b.name + ": " + b.type;
             return "<Report" + all + ">";
           })
      .def_ro("bindings", &RunReport::bindings, "The names that it bound, in order.")
      .def_prop_ro(
          "redistributions", [](const RunReport& r) { return r.program.redistributions(); },
          "Where data moved, and why.")
      .def_ro("statistics", &RunReport::statistics, "The costs of the statements that communicated.")
      .def_ro("peak_bytes", &RunReport::peak_bytes, "The most alive on a device at once.")
      .def_prop_ro(
          "pipelines", [](const RunReport& r) { return pipelines(r.program); }, "Its pipelines, with all schedules.")
      .def_prop_ro(
          "choices", [](const RunReport& r) { return choices(r.program); },
          nb::sig("def choices(self) -> list[dict[str, typing.Any]]"),
          "The layouts chosen for each call of an `auto fn`, as `tessera choose --json` says them.")
      .def(
          "elaborated", [](const RunReport& r) { return elaborated(r.program); },
          "The text with every type and redistribution written out.");
}

}  // namespace tessera::python
