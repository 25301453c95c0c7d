#!/usr/bin/env python3
"""Shows that check_structure.py catches what it is there to catch, on trees made for the purpose."""

import tempfile
import unittest
from pathlib import Path

import check_structure


def violations(files):
    """What the check says of a tree that holds these files, path -> text."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        return [line for line in check_structure.check(root) if "README" not in line]


class Examples(unittest.TestCase):
    HEADER = {"synth/moves/collective/tile_exchange.hpp": "// What moves.\n//\n// Example: one tile.\n"}

    def test_an_example_has_a_test_of_the_headers_name(self):
        test = {"tests/synth/examples_test.cpp": "TEST(ExampleOf, TileExchange) {}\n"}
        self.assertEqual(violations(self.HEADER | test), [])

    def test_one_without_is_named(self):
        found = violations(self.HEADER | {"tests/synth/examples_test.cpp": "TEST(ExampleOf, Tile) {}\n"})
        self.assertEqual(len(found), 1, found)
        self.assertIn("tile_exchange.hpp: no TEST(ExampleOf, TileExchange)", found[0])


class Includes(unittest.TestCase):
    def accepts(self, path, include):
        self.assertEqual(violations({path: f"#include {include}\n"}), [])

    def refuses(self, path, include, reason=""):
        found = violations({path: f"\n#include {include}\n"})
        self.assertEqual(len(found), 1, f"{path} includes {include}")
        self.assertTrue(found[0].startswith(f"{path}:2: "), found[0])
        self.assertIn(reason, found[0])

    def test_the_table(self):
        self.accepts("frontend/print.cpp", '"base/result.hpp"')
        self.accepts("typeck/check.hpp", '"frontend/ast.hpp"')
        self.accepts("runtime/run.cpp", '"synth/program/program.hpp"')
        self.accepts("embed/session.cpp", '"runtime/execute/run.hpp"')
        self.accepts("tests/cases/main.cpp", '"typeck/check.hpp"')
        self.refuses("base/check.hpp", '"frontend/ast.hpp"')
        self.refuses("synth/layout/layout.hpp", '"frontend/ast.hpp"')
        self.refuses("typeck/check.cpp", '"runtime/execute/run.hpp"')
        self.refuses("runtime/run.cpp", '"typeck/check.hpp"')
        self.refuses("frontend/parse.hpp", '"synth/layout/layout.hpp"')

    def test_engines_alone_look_into_tiles(self):
        self.accepts("runtime/engine/host/operations.cpp", '"runtime/kernels/map.hpp"')
        self.accepts("runtime/execute/requests.cpp", '"runtime/kernels/take.hpp"')
        self.accepts("runtime/execute/communication.cpp", '"runtime/kernels/tile.hpp"')
        self.refuses("runtime/execute/communication.cpp", '"runtime/kernels/copy.hpp"', "an engine's")
        self.refuses("runtime/transfers/moves.cpp", '"runtime/kernels/reduce.hpp"', "an engine's")

    def test_gradients_are_taken_before_layouts(self):
        self.accepts("typeck/gradient/scope.hpp", '"typeck/open/open.hpp"')
        self.refuses("typeck/gradient/scope.hpp", '"typeck/insert/inserter.hpp"')
        self.refuses("typeck/gradient/rules.cpp", '"typeck/typed/typed.hpp"')
        self.refuses("typeck/gradient/rules.cpp", '"synth/layout/layout.hpp"')
        self.refuses("typeck/gradient/rules.cpp", '"synth/planner/plan.hpp"')

    def test_the_command_line_sees_public_headers_only(self):
        self.accepts("repl/main.cpp", "<tessera/tessera.hpp>")
        self.accepts("repl/main.cpp", '"repl/render.hpp"')
        self.refuses("repl/main.cpp", '"base/result.hpp"')
        self.refuses("repl/main.cpp", '"embed/session.hpp"')

    def test_public_headers_stand_alone(self):
        self.accepts("embed/include/tessera/tessera.hpp", "<tessera/value.hpp>")
        self.accepts("runtime/mpi/messenger.cpp", "<mpi.h>")
        self.refuses("embed/include/tessera/tessera.hpp", '"base/result.hpp"')
        self.refuses("embed/include/tessera/tessera.hpp", "<fmt/format.h>", "fmt")
        self.refuses("embed/include/tessera/tessera.hpp", "<mpi.h>", "MPI")

    def test_each_library_has_its_door(self):
        self.accepts("frontend/parse.cpp", '"antlr4-runtime.h"')
        self.refuses("frontend/print.cpp", '"antlr4-runtime.h"', "ANTLR")
        self.accepts("frontend/parse.cpp", '"tessera_grammar/TesseraParser.h"')
        self.refuses("frontend/parse.hpp", '"tessera_grammar/TesseraParser.h"', "ANTLR")
        self.accepts("runtime/execute/run.cpp", "<tbb/parallel_for.h>")
        self.accepts("runtime/kernels/add.cpp", "<oneapi/tbb/parallel_for.h>")
        self.refuses("runtime/run.cpp", "<tbb/parallel_for.h>", "oneTBB")
        self.refuses("runtime/execute/run.cpp", "<mpi.h>", "MPI")
        self.refuses("synth/layout/layout.cpp", "<nlohmann/json.hpp>")
        self.refuses("base/check.cpp", "<gtest/gtest.h>")
        self.refuses("tests/base/x.cpp", "<benchmark/benchmark.h>")
        self.refuses("typeck/check.cpp", "<unistd.h>", "POSIX")

    def test_what_is_unknown_has_no_door(self):
        self.accepts("base/check.cpp", "<string_view>")
        self.refuses("base/check.cpp", "<boost/any.hpp>", "no door at all")
        self.refuses("base/check.cpp", '"check.hpp"', "root of the project")

    def test_walls_inside_synth(self):
        self.accepts("synth/verify/verify.cpp", '"synth/moves/collective/step.hpp"')
        self.accepts("synth/verify/verify.hpp", '"synth/moves/plan/plan.hpp"')
        self.refuses("synth/verify/verify.cpp", '"synth/planner/search.hpp"', "trusts no planner")
        self.refuses("synth/layout/layout.cpp", '"synth/moves/collective/step.hpp"')
        self.accepts("synth/planner/plan.cpp", '"synth/planner/rivals/rivals.hpp"')
        self.accepts("synth/planner/rivals/paper.cpp", '"synth/planner/rivals/paper.hpp"')
        self.refuses("synth/planner/plan.cpp", '"synth/planner/rivals/paper.hpp"', "rivals stand on")
        self.accepts("synth/planner/plan.cpp", '"synth/verify/verify.hpp"')
        self.refuses("synth/moves/prices/cost.cpp", '"synth/program/program.hpp"', "whatever program it is in")
        self.refuses("synth/program/program.cpp", '"synth/verify/verify.hpp"', "are made from it")
        self.refuses("synth/planner/plan.cpp", '"synth/choose/choose.hpp"', "by the prices of plans")

    def test_who_runs_plans_searches_nothing(self):
        self.accepts("runtime/execute/run.cpp", '"synth/moves/plan/plan.hpp"')
        self.refuses("runtime/execute/run.cpp", '"synth/planner/plan.hpp"', "searches nothing")
        self.refuses("runtime/execute/run.cpp", '"synth/verify/verify.hpp"', "searches nothing")
        self.refuses("interop/write/emit.cpp", '"synth/planner/plan.hpp"', "searches nothing")


class Private(unittest.TestCase):
    def found(self, comment, includer):
        header = "synth/verify/replay.hpp"
        return violations({header: f"// {comment}\n#pragma once\n", includer: f'\n#include "{header}"\n'})

    def test_a_header_is_included_by_the_folder_alone_that_it_names(self):
        for comment in ["Private to verify: one step.", "One step. Private to synth/verify/.", "private to verify"]:
            self.assertEqual(self.found(comment, "synth/verify/verify.cpp"), [])
            found = self.found(comment, "typeck/check.cpp")
            self.assertEqual(found, ['typeck/check.cpp:2: "synth/verify/replay.hpp" is private to synth/verify/'])

    def test_tests_may_look_into_everything(self):
        self.assertEqual(self.found("Private to verify.", "tests/synth/verify/replay_test.cpp"), [])

    def test_others_are_for_all(self):
        self.assertEqual(self.found("One step. Nothing here is private to a plan.", "typeck/check.cpp"), [])


class Sizes(unittest.TestCase):
    def test_a_file_of_500_lines_is_the_longest(self):
        line = "// a line\n"
        self.assertEqual(violations({"base/a.cpp": line * 500}), [])
        self.assertEqual(len(violations({"base/a.cpp": line * 501})), 1)
        self.assertEqual(violations({"base/a.cpp": "// Long because it is one table.\n" + line * 600}), [])

    def test_an_empty_file_is_left_over(self):
        self.assertEqual(len(violations({"base/a.cpp": ""})), 1)

    def test_a_function_of_60_lines_is_the_longest(self):
        def function(lines):
            return "namespace a {\n\nint f(int x) {\n" + "  ++x;\n" * (lines - 2) + "}\n\n}  // namespace a\n"

        self.assertEqual(violations({"base/a.cpp": function(60)}), [])
        found = violations({"base/a.cpp": function(61)})
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("base/a.cpp:3: "), found[0])

    def test_a_long_class_or_table_is_no_function(self):
        self.assertEqual(violations({"base/a.hpp": "class A {\n" + "  int f();\n" * 80 + "};\n"}), [])
        table = "const int kTable[] = {\n" + "    1,\n" * 80 + "};\n"
        self.assertEqual(violations({"base/a.cpp": table}), [])
        self.assertEqual(violations({"base/a.cpp": table + "\nint f() {\n  return 0;\n}\n"}), [])


class Globals(unittest.TestCase):
    def test_a_thread_knows_its_stop_token_only(self):
        text = "thread_local int calls;  // of this thread\n"
        self.assertEqual(violations({"base/stop_scope.cpp": text, "tests/a_test.cpp": text}), [])
        self.assertEqual(violations({"synth/a.cpp": "// thread_local\n"}), [])
        found = violations({"synth/a.cpp": text})
        self.assertEqual(len(found), 1, found)
        self.assertIn("synth/a.cpp:1: `thread_local`", found[0])


class Words(unittest.TestCase):
    def test_what_is_put_off_is_found(self):
        for word in ["TO" + "DO", "FIX" + "ME", "X" + "XX"]:
            self.assertEqual(len(violations({"docs/a.md": f"{word}: later\n"})), 1)
        self.assertEqual(violations({"base/a.cpp": 'mkstemp("name.X' + 'XXXXX");\n'}), [])


class Rooms(unittest.TestCase):
    def test_a_room_says_what_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            room = Path(folder) / "base"
            room.mkdir()
            self.assertEqual(check_structure.check(Path(folder)), ["base: has no README.md"])
            (room / "README.md").write_text("# base\n", encoding="utf-8")
            self.assertEqual(check_structure.check(Path(folder)), [])


class Members(unittest.TestCase):
    MEMBERS = ("  explicit A(int size = 1) : size_(size) {}\n  ~A();\n  int size() const { return f(size_); }  // f()\n"
               "  friend bool operator==(const A& a, const A& b) { return a.size() == b.size(); }\n"
               "  bool operator()(int k) const;\n  template <class F>\n  void each(F&& f) {\n    if (size_ > 0) f(size_);\n  }\n"
               "  struct Inner {\n    int g();\n    int h();\n  };\n  std::function<void(int)> f_;\n  Inner inner_ = made(1);\n")

    def test_member_functions_are_counted_and_nothing_else(self):
        text = "// class B { int f(); }\nclass A final : public Base<int> {\n public:\n" + self.MEMBERS + " private:\n  int size_ = 0;\n};\n"
        self.assertEqual(list(check_structure.member_functions(text)), [("A", 2, 5), ("Inner", 13, 2)])

    def test_a_class_of_typeck_has_60_at_most(self):
        def text(count):
            return "class A {\n" + "".join(f"  int f{k}();\n" for k in range(count)) + "};\n"

        self.assertEqual(violations({"typeck/a.hpp": text(60), "synth/a.hpp": text(61)}), [])
        found = violations({"typeck/a.hpp": "\n" + text(61)})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("typeck/a.hpp:2: A has 61 member functions"), found[0])


class Ratchets(unittest.TestCase):
    def test_units_that_include_each_other_are_a_knot(self):
        includes = {"base/a.hpp": [], "base/a.cpp": ["base/a.hpp", "base/b.hpp"], "base/b.hpp": ["base/c.hpp"],
                    "base/c.hpp": ["base/a.hpp"], "base/d.cpp": ["base/a.hpp", "base/d.hpp"], "base/d.hpp": []}
        self.assertEqual(check_structure.knots(includes), [["base/a", "base/b", "base/c"]])

    def test_there_are_no_more_knots_than_there_were(self):
        def tied(count):
            return {f"base/{ab}{k}.hpp": f'#include "base/{other}{k}.hpp"\n'
                    for k in range(count) for ab, other in [("a", "b"), ("b", "a")]}

        self.assertEqual(violations(tied(check_structure.KNOTS_MAX)), [])
        found = violations(tied(check_structure.KNOTS_MAX + 1))
        self.assertEqual(len(found), 1, found)
        self.assertIn("base/a0 base/b0; base/a1 base/b1", found[0])

    def test_there_are_no_more_long_files_than_there_were(self):
        def long(count):
            return {f"base/a{k}.cpp": "// a line\n" * (check_structure.LONG_LINES + 1) for k in range(count)}

        self.assertEqual(violations(long(check_structure.LONG_FILES_MAX)), [])
        found = violations(long(check_structure.LONG_FILES_MAX + 1))
        self.assertEqual(len(found), 1, found)
        self.assertIn("base/a0.cpp, base/a1.cpp", found[0])

    def test_a_source_sees_so_many_headers_at_most(self):
        def chain(count):
            headers = {f"base/h{k}.hpp": f'#include "base/h{k + 1}.hpp"\n' for k in range(1, count)}
            return headers | {f"base/h{count}.hpp": "// the last\n", "base/a.cpp": '#include "base/h1.hpp"\n'}

        self.assertEqual(violations(chain(check_structure.HEADERS_SEEN_MAX)), [])
        found = violations(chain(check_structure.HEADERS_SEEN_MAX + 1))
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("base/a.cpp: sees "), found[0])


class Rules(unittest.TestCase):
    def test_redistributions_are_inserted_in_one_place(self):
        text = "void f() { redistribute(value, type); }\n"
        self.assertEqual(violations({"typeck/insert/a.cpp": text, "synth/a.cpp": text,
                                     "typeck/layouts/a.cpp": "// redistribute(a)\nredistributions(typed);\n"}), [])
        self.assertEqual(len(violations({"typeck/layouts/a.cpp": text})), 1)
        self.assertEqual(len(violations({"typeck/gradient/a.cpp": text})), 1)

    def test_folders_include_each_other_in_no_circle(self):
        there = {"runtime/memory/plan.hpp": '#include "runtime/kernels/tile.hpp"\n'}
        self.assertEqual(violations({**there, "runtime/kernels/tile.hpp": '#include "runtime/kinds.hpp"\n'}), [])
        found = violations({**there, "runtime/kernels/tile.hpp": '#include "runtime/memory/plan.hpp"\n'})
        self.assertEqual(len(found), 1, found)
        self.assertIn("in a circle", found[0])

    def test_elements_and_kernels_of_gpus_include_what_their_compiler_has(self):
        fine = '#include <cstdint>\n#include "runtime/elements/functions.hpp"\n'
        self.assertEqual(violations({"runtime/elements/casts.hpp": fine, "runtime/device/text/copy.hpp": fine}), [])
        for include in ["<vector>", '"base/result.hpp"', '"runtime/kernels/tile.hpp"']:
            for path in ["runtime/elements/casts.hpp", "runtime/device/text/copy.hpp"]:
                self.assertEqual(len(violations({path: f"#include {include}\n"})), 1, (path, include))

    def test_gpus_stand_behind_the_engine(self):
        door = '#include "runtime/device/door/door.hpp"\n'
        self.assertEqual(violations({"runtime/device/gpu/gpu.cpp": door, "embed/gpus.cpp": door}), [])
        for path in ["runtime/execute/run.cpp", "repl/commands/gpu.cpp", "typeck/insert/insert.cpp"]:
            self.assertEqual(len(violations({path: door})), 1, path)
        for include in ["execute/world.hpp", "ranks/team.hpp"]:
            self.assertEqual(len(violations({"runtime/device/gpu/gpu.cpp": f'#include "runtime/{include}"\n'})), 1, include)

    def test_a_folder_in_a_folder_belongs_to_it(self):
        self.assertEqual(violations({"synth/planner/rivals/a.cpp": '#include "synth/planner/chain.hpp"\n',
                                     "synth/planner/b.cpp": '#include "synth/planner/rivals/rivals.hpp"\n'}), [])

    def test_switches_name_all_members(self):
        text = "switch (op) {\n  case MapOp::add: return 1;\n  default: return 2;\n}\n"
        self.assertEqual(len(violations({"typeck/maps.cpp": text})), 1)
        self.assertEqual(violations({"typeck/maps.cpp": text.replace("MapOp::add", "'a'")}), [])

    def test_kinds_of_collectives_are_told_apart_in_few_files(self):
        some = {f"synth/moves/plan/file{i}.cpp": "case CollectiveKind::slice:\n" for i in range(4)}
        self.assertEqual(violations(some), [])
        self.assertEqual(len(violations({**some, "synth/moves/plan/one_more.cpp": "case CollectiveKind::slice:\n"})), 1)


if __name__ == "__main__":
    unittest.main()
