#!/usr/bin/env python3
"""Checks the rules of docs/architecture.md that a compiler does not: who may include whom, and the size of things.

    check_structure.py [ROOT]

Prints one line for each violation, `path:line: what is wrong`, and fails if there is any. README.md says which rules."""

import re
import sys
from pathlib import Path

# The rooms that a room may include, by the first part of the path: the architecture's table.
ROOMS = {
    "base": {"base"},
    "grammar": set(),
    "frontend": {"base", "frontend"},
    "synth": {"base", "synth"},
    "interop": {"base", "synth", "interop"},
    "typeck": {"base", "frontend", "synth", "typeck"},
    "runtime": {"base", "synth", "runtime"},
    "embed": {"base", "frontend", "synth", "interop", "typeck", "runtime", "embed", "tessera"},
    "repl": {"repl", "tessera"},
    "python": {"python", "repl", "tessera"},
    "tests": {"base", "frontend", "synth", "interop", "typeck", "runtime", "embed", "repl", "tessera", "bench", "tests"},
    "bench": {"base", "frontend", "synth", "typeck", "runtime", "embed", "tessera", "bench"},
}
PUBLIC = "embed/include/"
PUBLIC_MAY_INCLUDE = {"tessera"}

# Narrower than the room's row: (who, what it may not include, why).
INNER_WALLS = [
    (r"python/", r"repl/(?!render/diagnostic\.hpp)", "of the command Python only shares how mistakes are drawn"),
    (r"tests/", r"bench/(?!planner/(problems|reductions|scores)\.hpp|choose/(training|edge_problem|edge_search)\.hpp)", "tests share the yardstick of planners, the programs to choose layouts for and a contest's problems, nothing else"),
    (r"synth/layout/", r"synth/(?!layout/|kinds\.hpp)", "layouts come before everything else in synth"),
    (r"synth/moves/", r"synth/(?!layout/|moves/|kinds\.hpp)", "a step is between two layouts, whatever program it is in"),
    (r"synth/program/", r"synth/(planner|verify|choose)/", "plans and choices are made from it"),
    (r"synth/verify/(?!senders\.cpp$)", r"synth/(planner/|choose/|moves/(reduce/|collective/(moves|routing|sends|direct)))", "the verifier trusts no planner and no search"),
    (r"synth/planner/", r"synth/choose/", "layouts are chosen by the prices of plans"),
    (r"synth/planner/(?!rivals/)", r"synth/planner/rivals/(?!rivals\.hpp)", "rivals stand on our planner's pieces, and it only asks them for chains"),
    (r"(runtime|interop)/", r"synth/(planner|verify|choose)/", "who runs or writes a plan searches nothing"),
    (r"typeck/(open|elaborate|gradient)/", r"synth/(layout/(layout|array_type|tiling|cuts)\.hpp|moves/plan/|planner/|verify/)", "shapes are found before layouts, and layouts before plans"),
    (r"runtime/elements/(?!reduce_kind\.hpp)", r"(base/|runtime/(?!elements/)|synth/(?!layout/halves\.hpp|program/reduce_kind\.hpp))", "elements know no memory, no loop and no program: a GPU's compiler reads them"),
    (r"runtime/kernels/", r"runtime/(engine|device|execute|transfers|ranks|io)/", "loops over elements know no machine beside this one"),
    (r"runtime/engine/", r"runtime/(device|execute|transfers|ranks|io|text)/", "a machine takes one step, and knows no program beyond it and no ranks"),
    (r"runtime/device/", r"runtime/(execute|transfers|ranks|io|mpi)/|runtime/text/", "a GPU takes one step, and knows no program beyond it, no ranks and no files"),
    (r"runtime/device/text/(?!texts|emulation)", r"(base/|runtime/(?!elements/|device/text/)|synth/(?!layout/halves\.hpp|program/reduce_kind\.hpp))", "a GPU's compiler reads it"),
    (r"runtime/device/door/", r"runtime/(?!device/door/|kinds\.hpp)|synth/", "the door knows libraries, and nothing of what they are for"),
    (r"runtime/(?!device/)", r"runtime/device/", "where a tile lies is the engine's affair"),
    (r"(frontend|synth|interop|typeck|repl|python|bench)/", r"runtime/device/", "of the runtime's machines only the library opens GPUs"),
    # But for those that work on copies in host memory, whatever the engine, or on scalars that ranks keep apart.
    (r"runtime/execute/(?!((control|cut_sort|deliveries|far_steps|line_deliveries|load|requests|run|running)\.cpp|cut_search\.hpp)$)", r"runtime/kernels/(?!(tile|parallel|given_up|core_share|stream)\.hpp)", "tiles are an engine's, which alone looks into them"),
    (r"runtime/transfers/(?!(copies|programs|slots)\.cpp$)", r"runtime/kernels/(?!(tile|parallel|stream)\.hpp)", "tiles are an engine's, which alone looks into them"),
    (r"typeck/gradient/", r"typeck/(insert|elaborate|layouts|typed/(?!known_scalar\.hpp))", "gradients are taken of open programs"),
]

# Each external library's doors: what an include of it looks like, and the only files that may hold one.
DOORS = {
    "ANTLR": (r"antlr4-runtime|tessera_grammar/|Tessera(Lexer|Parser)\.h$", r"frontend/(parse\.cpp|tree_(builder|words)\.hpp|effect_forms\.hpp)$"),
    "fmt": (r"fmt/", r"(base|frontend|synth|interop|typeck|runtime|repl|tests|bench)/|embed/(?!include/)"),
    "oneTBB": (r"(oneapi/)?tbb/", r"runtime/(execute|kernels)/"),
    "ThreadSanitizer": (r"sanitizer/tsan_interface\.h$", r"runtime/kernels/parallel\.cpp$"),
    "MPI": (r"mpi\.h$", r"(runtime|tests)/mpi/|bench/redistribute/peers_mpi\.cpp$"),
    "SSE2": (r"emmintrin\.h$", r"runtime/kernels/stream\.hpp$"),
    "CBLAS": (r"cblas\.h$", r"runtime/kernels/"),
    "nlohmann-json": (r"nlohmann/", r"repl/|tests/|embed/[^/]+/[^/]+\.cpp$"),
    "CLI11": (r"CLI/", r"(repl|bench)/"),
    "utf8proc": (r"utf8proc\.h$", r"(frontend|repl)/"),
    "GoogleTest and RapidCheck": (r"(gtest|gmock|rapidcheck)/|rapidcheck\.h$", r"tests/"),
    "Google Benchmark": (r"benchmark/", r"bench/"),
    "ELF": (r"(elf|link)\.h$", r"runtime/kernels/blas_private\.cpp"),
    "NVIDIA's headers, to compare our declarations with": (r"(cuda|nvrtc|cublas\w*|driver_types|library_types)\.h$", r"tests/device/vendor_headers_test\.cpp$"),
    "AddressSanitizer": (r"sanitizer/asan_interface\.h$", r"tests/device/"),
    "Linux": (r"linux/|malloc\.h$", r"runtime/io/beneath\.cpp$|tests/"),
    "nanobind": (r"nanobind/", r"python/"),
    "POSIX": (r"(sys|arpa|netinet)/|(unistd|dirent|dlfcn|fcntl|signal|poll|pthread|sched|termios|langinfo|glob|spawn)\.h$", r"(runtime|repl|python|tests|bench)/"),
}

# The headers of the standard library that a GPU's compiler is given (runtime/device/text/std).
ELEMENT_HEADERS = {"algorithm", "array", "bit", "cmath", "concepts", "cstdint", "limits", "type_traits"}
READ_BY_GPU_COMPILERS = re.compile(r"runtime/(elements|device/text)/(?!texts|emulation)[^/]+\.hpp$")

# <vector>, <cstdint>: the standard library's headers have neither a folder nor an extension.
STANDARD = re.compile(r"^[a-z0-9_]+$")

SOURCE_SUFFIXES = {".cpp", ".hpp", ".def"}
TEXT_SUFFIXES = SOURCE_SUFFIXES | {".py", ".g4", ".cmake", ".md", ".txt", ".tess", ".case", ".json", ".html", ".js", ".css", ""}
LINES_MAX = 500
PRODUCT_ROOMS = ["base", "frontend", "synth", "interop", "typeck", "runtime", "embed", "repl", "python"]
COLLECTIVE_SWITCHES_MAX = 4
# Classes of these rooms have no more member functions than this: one that has more does several things.
MEMBERS_MAX = {"typeck": 60}
FUNCTION_LINES_MAX = 60
# Counts of the product that may fall and not rise: who lowers one lowers the number here.
KNOTS_MAX = 1  # units (a .cpp and its .hpp) that include each other in a circle, the units of one circle together
LONG_LINES = 400
LONG_FILES_MAX = 12
HEADERS_SEEN_MAX = 80  # headers of ours that one .cpp sees
LONG_BECAUSE = "Long because"
# Put together here so that this file does not hold them.
FORBIDDEN_WORDS = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX"]) + r")\b")
SKIPPED_FOLDERS = {"build", ".git", ".cache", "__pycache__"}

# The only mutable global: a thread knows the stop token of what it is doing.
GLOBALS = re.compile(r"\bthread_local\b")
GLOBALS_STAND_IN = {"base/stop_scope.cpp"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def files(root):
    """Every file of the project, in a fixed order."""
    for path in sorted(root.iterdir()):
        if path.name in SKIPPED_FOLDERS:
            continue
        if path.is_dir():
            yield from files(path)
        elif path.is_file():
            yield path


def outside(include):
    """The external library an include belongs to, if one of DOORS knows it."""
    for library, (pattern, _) in DOORS.items():
        if re.match(pattern, include):
            return library
    return None


def include_fault(path, bracket, include):
    """What is wrong with this include in the file `path` (relative to the root), or None."""
    library = outside(include)
    if library is not None:
        door = DOORS[library][1]
        return None if re.match(door, path) else f"{library} has no door here: <{include}>"
    target = include.split("/")[0]
    if target in ROOMS or target == "tessera":
        return inner_fault(path, target, include)
    if bracket == "<" and STANDARD.match(include):
        if READ_BY_GPU_COMPILERS.match(path) and include not in ELEMENT_HEADERS:
            return f"<{include}> is none of the headers that a GPU's compiler is given"
        return None
    if bracket == '"':
        return f'includes start at the root of the project or in <tessera/...>: "{include}"'
    return f"<{include}> has no door at all"


def inner_fault(path, target, include):
    """The same for an include of ours."""
    room = path.split("/")[0]
    may = PUBLIC_MAY_INCLUDE if path.startswith(PUBLIC) else ROOMS.get(room, set())
    if target not in may:
        return f'{room}/ may not include "{include}"'
    for who, what, why in INNER_WALLS:
        if re.match(who, path) and re.match(what, include):
            return f'{path.rsplit("/", 1)[0]}/ may not include "{include}": {why}'
    return None


def check_includes(path, lines):
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match is None:
            continue
        fault = include_fault(path, match.group(1), match.group(2))
        if fault is not None:
            yield number, fault


def check_length(lines):
    if not lines:
        yield 1, "nothing in it"
    header = "\n".join(lines[:5])
    if len(lines) > LINES_MAX and LONG_BECAUSE not in header:
        yield LINES_MAX + 1, f"{len(lines)} lines; more than {LINES_MAX} want another room, or a table"


def check_functions(lines):
    """Functions outside classes: in formatted code they open on a line that is not indented and close with a lone `}`."""
    start = None
    for number, line in enumerate(lines, 1):
        opens = line.endswith("{") and not line.endswith("= {") and not re.match(r"(namespace|extern|struct|class|enum|union|template|#|\s|//|\})", line)
        if opens and start is None:
            start = number
        elif line.startswith("}"):
            if start is not None and line == "}" and number - start + 1 > FUNCTION_LINES_MAX:
                yield start, f"a function of {number - start + 1} lines; more than {FUNCTION_LINES_MAX} want to be several"
            start = None


def check_circles(includes):
    """Folders of a room that include each other in a circle. `includes` maps a folder to those it includes."""
    state = {}

    def visit(folder, path):
        state[folder] = "open"
        for other in sorted(includes.get(folder, ())):
            if state.get(other) == "open":
                yield f"{other}: includes itself in a circle: {' -> '.join(path[path.index(other):] + [other])}"
            elif other not in state:
                yield from visit(other, path + [other])
        state[folder] = "done"

    for folder in sorted(includes):
        if folder not in state:
            yield from visit(folder, [folder])


def folder_of(path):
    """The folder whose includes count: a folder inside a folder of a room belongs to it, but for the moves, which are many."""
    return "/".join(path.split("/")[:-1][:3 if path.startswith("synth/moves/") else 2])


def inner_includes(path, lines):
    """Folders of the file's own room that it includes, but for the room's kinds of diagnostics, which all see."""
    room = path.split("/")[0]
    for line in lines:
        match = INCLUDE.match(line)
        if match is None or not match.group(2).startswith(room + "/") or match.group(2) == f"{room}/kinds.hpp":
            continue
        if folder_of(match.group(2)) != folder_of(path):
            yield folder_of(match.group(2))


def check_switches(root):
    """What a new kind of collective has to touch stays few; what does not name its kinds asks their table."""
    with_kinds = [path for path in product_sources(root) if "case CollectiveKind::" in path.read_text(encoding="utf-8")]
    if len(with_kinds) > COLLECTIVE_SWITCHES_MAX:
        names = ", ".join(path.relative_to(root).as_posix() for path in with_kinds)
        yield f"synth/moves/collective/collective.hpp: kinds of collectives in switches of {len(with_kinds)} files: {names}"


CLASS = re.compile(r"\b(?:class|struct)\s+(\w+)(?:\s+final)?\s*(?::[^;{()]*)?\{")
NOT_CODE = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|^\s*#[^\n]*', re.MULTILINE)
TEMPLATE_ARGUMENTS = re.compile(r"<(?:[^<>]|<[^<>]*>)*>")
MEMBER_FUNCTION = re.compile(r"^(?!\s*(?:friend|using|static_assert|enum|class|struct)\b)[^=(]*?(?:operator[^\w\s]+|\w)\s*\(")


def members_of(body):
    """The declarations of a class, of whose body `body` is the rest of the text: what is in inner braces is left out."""
    depth = 0
    member = ""
    for character in body:
        if character == "}":
            depth -= 1
            if depth < 0:
                return
        elif depth == 0:
            member += character
        if character == "{":
            depth += 1
        if depth == 0 and character in ";}":
            yield TEMPLATE_ARGUMENTS.sub("", re.sub(r"\b(public|private|protected):", "", member))
            member = ""


def member_functions(text):
    """The classes of a text, each with its line and the number of its member functions, overloads counted one by one."""
    text = NOT_CODE.sub(lambda match: " " * len(match.group(0)), text)
    for match in CLASS.finditer(text):
        count = sum(MEMBER_FUNCTION.match(member) is not None for member in members_of(text[match.end():]))
        yield match.group(1), text.count("\n", 0, match.start()) + 1, count


def check_members(path, text):
    most = MEMBERS_MAX.get(path.split("/")[0])
    for name, line, count in member_functions(text) if most is not None else ():
        if count > most:
            yield line, f"{name} has {count} member functions; more than {most} want to be several classes"


# What is called in one folder alone: (in which files, what, the folders that may, why).
CALLS = [
    (r"typeck/", re.compile(r"\bredistribute\("), r"typeck/insert/", "redistributions are inserted in one place"),
]


def check_calls(path, lines):
    for where, what, folders, why in CALLS:
        if not re.match(where, path) or re.match(folders, path):
            continue
        for number, line in enumerate(lines, 1):
            if what.search(NOT_CODE.sub("", line)):
                yield number, f"`{what.pattern}` does not stand here: {why}"


# "Private to typeck/elaborate/.", "Private to verify: ...": a folder by its path, or one that the header is in by its name.
PRIVATE = re.compile(r"^// (?:.*\. )?[Pp]rivate to ([a-z_/]*[a-z_])\b", re.MULTILINE)


def private_to(root, path, text):
    """The folder that the header `path` is private to, if it says so."""
    match = PRIVATE.search(text[: text.find("#pragma once")])
    if match is None:
        return None
    if (root / match.group(1)).is_dir():
        return match.group(1) + "/"
    folders = path.split("/")[:-1]
    return "/".join(folders[: folders.index(match.group(1)) + 1]) + "/" if match.group(1) in folders else None


def check_private(root):
    """Nobody else in the product includes a header that says whose it is."""
    sources = {file.relative_to(root).as_posix(): file.read_text(encoding="utf-8") for file in product_sources(root)}
    owners = {path: private_to(root, path, text) for path, text in sources.items() if path.endswith(".hpp")}
    for path, text in sources.items():
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            owner = owners.get(match.group(2)) if match is not None else None
            if owner is not None and not path.startswith(owner):
                yield f'{path}:{number}: "{match.group(2)}" is private to {owner}'


EXAMPLE = re.compile(r"^\s*// Example: ", re.MULTILINE)

# A new member of an enum of ours has to be a compile error; only of others' enums and of numbers is there a rest.
OUR_CASE = re.compile(r"^\s*case (?!Parser::)[\w:]+::\w+:")
DEFAULT = re.compile(r"^\s*default:")


def check_globals(path, lines):
    for number, line in enumerate(lines, 1):
        if path not in GLOBALS_STAND_IN and GLOBALS.search(NOT_CODE.sub("", line)):
            yield number, "`thread_local`: pass it, or let what it is for own it"


def check_defaults(lines):
    last_case = ""
    for number, line in enumerate(lines, 1):
        if re.match(r"^\s*case ", line):
            last_case = line
        if DEFAULT.match(line) and OUR_CASE.match(last_case):
            yield number, "`default:` in a switch: name all members, or use no switch"


def check_words(lines):
    for number, line in enumerate(lines, 1):
        match = FORBIDDEN_WORDS.search(line)
        if match is not None:
            yield number, f"`{match.group(0)}`: do it now, or write it where plans are kept"


def product_includes(root):
    """Of every source of the product the headers of ours that it includes, by path."""
    texts = {file.relative_to(root).as_posix(): file.read_text(encoding="utf-8") for file in product_sources(root)}
    found = {}
    for path, text in texts.items():
        names = [match.group(2) for match in map(INCLUDE.match, text.splitlines()) if match is not None]
        paths = [PUBLIC + name if name.startswith("tessera/") else name for name in names]
        found[path] = [other for other in paths if other in texts]
    return found


def reached(begin, edges):
    """All that `edges` lead to from `begin`, which is one of them only if some lead back."""
    found = set()
    left = [begin]
    while left:
        for other in edges.get(left.pop(), ()):
            if other not in found:
                found.add(other)
                left.append(other)
    return found


def knots(includes):
    """Units that include each other in a circle; each knot is a sorted list."""
    edges = {}
    for path, others in includes.items():
        unit = path.rsplit(".", 1)[0]
        edges.setdefault(unit, set()).update({other.rsplit(".", 1)[0] for other in others} - {unit})
    behind = {unit: reached(unit, edges) for unit in edges}
    found = {tuple(sorted(other for other in behind[unit] if unit in behind.get(other, ()))) for unit in edges if unit in behind[unit]}
    return sorted(list(knot) for knot in found)


def check_ratchets(root):
    includes = product_includes(root)
    tied = knots(includes)
    if len(tied) > KNOTS_MAX:
        yield f"{len(tied)} knots of units, more than {KNOTS_MAX}: " + "; ".join(" ".join(knot) for knot in tied)
    long = [file.relative_to(root).as_posix() for file in product_sources(root) if file.read_text(encoding="utf-8").count("\n") > LONG_LINES]
    if len(long) > LONG_FILES_MAX:
        yield f"{len(long)} files of more than {LONG_LINES} lines, more than {LONG_FILES_MAX}: " + ", ".join(long)
    for path in includes:
        seen = len(reached(path, includes)) if path.endswith(".cpp") else 0
        if seen > HEADERS_SEEN_MAX:
            yield f"{path}: sees {seen} headers of ours; more than {HEADERS_SEEN_MAX} want a declaration where an include stands"


def product_sources(root):
    for room in PRODUCT_ROOMS:
        yield from (file for file in files(root / room) if file.suffix in SOURCE_SUFFIXES) if (root / room).is_dir() else ()


def check_folders(root):
    includes = {}
    for file in product_sources(root):
        path = file.relative_to(root).as_posix()
        lines = file.read_text(encoding="utf-8").splitlines()
        includes.setdefault(folder_of(path), set()).update(inner_includes(path, lines))
    yield from check_circles(includes)


def check_examples(root):
    """A worked example in a header is run by a test of the header's name: `rounds.hpp` by TEST(ExampleOf, Rounds)."""
    tested = set()
    for file in files(root / "tests") if (root / "tests").is_dir() else ():
        if file.suffix == ".cpp":
            tested.update(re.findall(r"TEST\(ExampleOf, (\w+)\)", file.read_text(encoding="utf-8")))
    for file in product_sources(root):
        if file.suffix != ".hpp" or not EXAMPLE.search(file.read_text(encoding="utf-8")):
            continue
        name = "".join(word.capitalize() for word in file.stem.split("_"))
        if name not in tested:
            yield f"{file.relative_to(root).as_posix()}: no TEST(ExampleOf, {name}) runs its example"


def check_rooms(root):
    for room in ROOMS:
        if (root / room).is_dir() and not (root / room / "README.md").is_file():
            yield f"{room}: has no README.md"


def check_file(root, file):
    """All violations of one file."""
    path = file.relative_to(root).as_posix()
    if file.suffix not in TEXT_SUFFIXES:
        return
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    found = list(check_words(lines))
    if file.suffix in SOURCE_SUFFIXES and path.split("/")[0] in ROOMS:
        found += check_includes(path, lines)
        found += check_functions(lines)
        if path.split("/")[0] in PRODUCT_ROOMS:
            found += check_defaults(lines)
            found += check_members(path, "\n".join(lines))
            found += check_calls(path, lines)
            found += check_globals(path, lines)
    if file.suffix in SOURCE_SUFFIXES | {".py"}:
        found += check_length(lines)
    for number, fault in sorted(found):
        yield f"{path}:{number}: {fault}"


def check(root):
    """Every violation in the tree below `root`, as lines of text."""
    found = list(check_rooms(root)) + list(check_folders(root)) + list(check_switches(root))
    found += list(check_examples(root)) + list(check_private(root)) + list(check_ratchets(root))
    for file in files(root):
        found += check_file(root, file)
    return found


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = check(root)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
