#!/usr/bin/env python3
"""Installs a build to a folder, moves it, and uses it as a host does, from outside the source tree.

    test_install.py SOURCE BUILD CMAKE CXX MPIS    MPIS: those of the build, `openmpi,mpich`; may be empty"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD, CMAKE, CXX, MPIS = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5]
HERE = Path(__file__).resolve().parent
# 6 MB, the kernels' code for further processors, several meshes and pipelines, storage types, others' layouts and programs for them,
# what editors ask, the text of stages; layouts that are chosen, estimates, files of several arrays, parts and loops with conditions,
# layouts within devices' memory, triangles, masks and spreads, inverse and hyperbolic functions, sums carried from tile to tile,
# arrays like others, chosen shares and the prices of a value's layouts; functions of matrices, running products and extremes, integers
# of few bits, rows by request, layouts over three axes, used files and a library in the language; the engine of GPUs and the texts of
# its kernels; complex numbers, transforms, and several GPUs; records, windows with edges, and what verifies copies of parts; sorts by
# cuts, windows at all sides and in frames, records of hosts and of chosen layouts, and GPUs on paper, for which kernels are compiled;
# operations of floats in one loop, for three kinds of processors (0.2 MB); bits of integers, deliveries along lines, neighbours' rows in
# chosen layouts, arrays on GPUs that are lent to others; recurrences of six element types, exponentials in vectors, parts made where
# they belong, room on GPUs (0.15 MB).
STRIPPED_BYTES_MAX = 12_700_000
# What the library is linked to: a BLAS, GPUs' drivers and their compilers are opened when a program asks for them.
NEEDED = {"libantlr4-runtime", "libfmt", "libtbb", "libstdc++", "libm", "libgcc_s", "libc", "ld-linux"}
MPI_MODULES = {"openmpi": "ompi-c", "mpich": "mpich"}


def run(*words, **options):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(str(w) for w in words)}\nends with {done.returncode}:\n{done.stdout}")
    return done.stdout


def needed_by(library):
    """The libraries that the loader opens for it, without their versions."""
    return {re.match(r"ld-linux|[^.]*", name)[0] for name in re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", library))}


def readme_program():
    """The program in README.md, and what it prints: the comment of its last statement."""
    code = re.search(r"```cpp\n(.*?)```", (SOURCE / "README.md").read_text(encoding="utf-8"), re.S).group(1)
    return code, re.search(r"'\\n';\s*// (.*)\n}", code).group(1) + "\n"


EXAMPLE = re.compile(r"^```(c|cpp|cpp mpi)\n(.*?)^```\n```text\n(.*?)^```$", re.S | re.M)


def examples():
    """The programs of docs/embedding.md with what they print."""
    return EXAMPLE.findall((SOURCE / "docs/embedding.md").read_text(encoding="utf-8"))


def header_examples():
    """The examples in the opening comments of the headers, each as a program: name of the header, C or C++, code."""
    for header in sorted((SOURCE / "embed/include/tessera").iterdir()):
        lines = re.match(r"/\*.*?\*/|(?://[^\n]*\n)*", header.read_text(encoding="utf-8"), re.S).group().splitlines()
        code = [re.sub("^//", "", line).strip() for line in lines if re.match(r"//     |     ", line)]
        if not code:
            continue
        language = "c" if header.suffix == ".h" else "cpp"
        includes = ["stdio.h"] if language == "c" else ["fcntl.h", "cstdint", "iostream", "string", "vector"]
        also = [] if language == "c" else ["tessera/tessera.hpp"]
        if header.name == "mpi.hpp":
            includes.insert(0, "mpi.h")
        before = "".join(f"#include <{name}>\n" for name in [*includes, f"tessera/{header.name}", *also])
        yield header.name, language, before + "int main(int argc, char** argv) {\n(void)argc, (void)argv;\n" + "\n".join(code) + "\n}\n"


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tessera-install-")
        cls.root = Path(cls.folder.name)
        run(CMAKE, "--install", BUILD, "--prefix", cls.root / "first")
        cls.prefix = cls.root / "moved"
        (cls.root / "first").rename(cls.prefix)
        cls.lib = cls.prefix / "lib"
        if not cls.lib.is_dir():
            cls.lib = next(p.parent for p in cls.prefix.rglob("libtessera.so"))
        cls.environment = {**os.environ, "PKG_CONFIG_PATH": str(cls.lib / "pkgconfig"), "LD_LIBRARY_PATH": str(cls.lib)}
        code, cls.printed = readme_program()
        (cls.root / "main.cpp").write_text(code, encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def flags(self, *modules):
        return run("pkg-config", "--cflags", "--libs", *modules, env=self.environment).split()

    def compile(self, source, name, *flags, standard="c++20"):
        program = self.root / name
        run(CXX, f"-std={standard}", "-Wall", "-Wextra", "-Werror", source, "-o", program, *flags, env=self.environment)
        return program

    def test_pkg_config_builds_the_readme_s_program(self):
        program = self.compile(self.root / "main.cpp", "by_pkg_config", *self.flags("tessera"))
        self.assertEqual(run(program, env=self.environment), self.printed)
        self.assertNotIn("mpi", run("ldd", program, env=self.environment))

    def test_a_header_that_was_forgotten_is_named(self):
        source = self.root / "forgotten.cpp"
        source.write_text('#include <tessera/tessera.hpp>\nint main() { return tessera::Session().function("f", {}).ok(); }\n', encoding="utf-8")
        done = subprocess.run([CXX, "-std=c++20", "-fsyntax-only", source, *self.flags("tessera")], env=self.environment,
                              capture_output=True, text=True)
        mistakes = [line for line in done.stderr.splitlines() if "error" in line]
        self.assertIn("include the header that has the result's type: tessera/function.hpp has Function", mistakes[0])

    def test_the_readme_s_commands_build_its_program(self):
        commands = re.findall(r"^    ((?:export|c\+\+) .*)", (SOURCE / "README.md").read_text(encoding="utf-8"), re.M)
        self.assertEqual([command.split()[0] for command in commands], ["export", "c++"])
        script = "\n".join(commands).replace("PREFIX/lib", str(self.lib))
        # No LD_LIBRARY_PATH: what a reader types is enough.
        self.assertEqual(run("sh", "-ec", f"{script}\n./a.out", cwd=self.root), self.printed)

    def test_find_package_builds_the_readme_s_program(self):
        project = self.root / "project"
        project.mkdir()
        (project / "main.cpp").write_text((self.root / "main.cpp").read_text())
        components = "COMPONENTS " + MPIS.replace(",", " ") + " mpi" if MPIS else ""
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(host LANGUAGES CXX)\n"
            f"find_package(tessera 0.1 REQUIRED {components})\n"
            "add_executable(main main.cpp)\ntarget_link_libraries(main PRIVATE tessera::tessera)\n"
            + "".join(f"add_executable({m} main.cpp)\ntarget_link_libraries({m} PRIVATE tessera::{m})\n" for m in MPIS.split(",") if m))
        run(CMAKE, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={CXX}")
        run(CMAKE, "--build", project / "build", "--target", "main")
        # No LD_LIBRARY_PATH: CMake knows where the library is.
        self.assertEqual(run(project / "build/main"), self.printed)

    def test_another_version_is_refused(self):
        project = self.root / "versions"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(host LANGUAGES NONE)\nfind_package(tessera 0.2 QUIET)\n"
            'if(tessera_FOUND)\n  message(FATAL_ERROR "0.2 was taken")\nendif()\nfind_package(tessera 0.1 REQUIRED)\n')
        # A project without languages has no architecture to compare: the version alone decides.
        run(CMAKE, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_SIZEOF_VOID_P=8")

    def test_the_library_needs_and_exports_nothing_else(self):
        for library in self.lib.glob("libtessera*.so"):
            with self.subTest(library=library.name):
                dynamic = run("readelf", "-d", library)
                self.assertRegex(dynamic, rf"soname: \[{re.escape(library.name)}\.\d+\.\d+\]")
                self.assertLessEqual(needed_by(library), NEEDED if library.name == "libtessera.so" else NEEDED | {"libmpi", "libmpich"})
                exported = run("nm", "-DC", "--defined-only", library).splitlines()
                foreign = [line for line in exported if not re.match(r"\w+ \w (tessera::|tessera_)", line)]
                # A template's name begins with its result.
                foreign = [line for line in foreign if " tessera::Result<" not in line]
                self.assertEqual(foreign, [])
                rooms = [line for line in exported if re.match(r"\w+ \w tessera::(base|frontend|synth|typeck|runtime|embed)::", line)]
                self.assertEqual(rooms, [])
        self.assertNotRegex(run("readelf", "-d", self.lib / "libtessera.so"), "R(UN)?PATH.*build")
        self.assertLessEqual(needed_by(Path(BUILD) / "tessera"), NEEDED | {"libmpi", "libmpich", "libopenblas", "libutf8proc"})

    def test_the_library_is_small(self):
        stripped = self.root / "stripped.so"
        run("strip", "-o", stripped, self.lib / "libtessera.so")
        self.assertLess(stripped.stat().st_size, STRIPPED_BYTES_MAX)

    def test_the_manual_is_short(self):
        for header in (SOURCE / "embed/include/tessera").iterdir():
            with self.subTest(header=header.name):
                self.assertLess(len(header.read_text(encoding="utf-8").splitlines()), 600)

    def test_the_examples_of_the_document(self):
        found = examples()
        self.assertEqual(len(found), (SOURCE / "docs/embedding.md").read_text(encoding="utf-8").count("```c"))
        for number, (language, code, printed) in enumerate(found):
            for mpi in filter(None, MPIS.split(",")) if language == "cpp mpi" else [""]:
                with self.subTest(example=number, mpi=mpi):
                    suffix = ".c" if language == "c" else ".cpp"
                    source = self.root / f"example{number}{suffix}"
                    source.write_text(code, encoding="utf-8")
                    if language == "c":
                        program = self.root / f"example{number}"
                        run("cc", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", source,
                            "-o", program, *self.flags("tessera"), env=self.environment)
                    elif mpi:
                        program = self.compile(source, f"example{number}_{mpi}", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX",
                                               *self.flags(f"tessera-{mpi}", MPI_MODULES[mpi]))
                    else:
                        program = self.compile(source, f"example{number}", "-pthread", *self.flags("tessera"))
                    launch = [f"mpirun.{mpi}", "-np", 2] if mpi else []
                    self.assertEqual(run(*launch, program, env=self.environment), printed)

    def test_the_examples_in_the_headers(self):
        found = list(header_examples())
        self.assertLessEqual({"tessera.hpp", "function.hpp", "files.hpp", "mpi.hpp", "plan_verdict.hpp", "placement.hpp", "result.hpp",
                              "tessera.h", "units.hpp"}, {name for name, _, _ in found})
        for name, language, code in found:
            with self.subTest(header=name):
                source = self.root / f"of_{name.replace('.', '_')}.{language}"
                source.write_text(code, encoding="utf-8")
                for mpi in filter(None, MPIS.split(",")) if name == "mpi.hpp" else [None]:
                    modules = ["tessera"] if mpi is None else [f"tessera-{mpi}", MPI_MODULES[mpi]]
                    compiler = ["cc", "-std=c99"] if language == "c" else [CXX, "-std=c++20"]
                    skip = ["-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-Wno-missing-field-initializers"]
                    program = self.root / f"{source.stem}_{mpi}"
                    run(*compiler, "-Wall", "-Wextra", "-Werror", *skip, source, "-o", program, *self.flags(*modules),
                        env=self.environment)
                    run(program, env=self.environment)

    def test_c(self):
        program = self.root / "c_host"
        run("cc", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", HERE / "c_host.c", "-o", program, "-pthread",
            *self.flags("tessera"), env=self.environment)
        self.assertEqual(run(program, env=self.environment), "")

    def test_the_host_s_state_is_left_alone(self):
        blas = self.root / "blas"
        blas.mkdir()
        run("cc", "-shared", "-fPIC", "-Wl,-soname,libopenblas.so.0", HERE / "stand_in_blas.c", "-o", blas / "libopenblas.so.0")
        program = self.compile(HERE / "host_state.cpp", "host_state", "-Wno-missing-field-initializers", *self.flags("tessera"),
                               blas / "libopenblas.so.0")
        environment = {**self.environment, "LD_LIBRARY_PATH": f"{blas}:{self.lib}"}
        # Prescott's code, which every processor of the family runs, wants a buffer where that of newer ones may not.
        for kind in [{}, {"OPENBLAS_CORETYPE": "Prescott"}] if platform.machine() == "x86_64" else [{}]:
            with self.subTest(**kind):
                self.assertEqual(run(program, env={**environment, **kind}), "")

    def test_a_host_with_mpi(self):
        for mpi in filter(None, MPIS.split(",")):
            with self.subTest(mpi=mpi):
                program = self.compile(SOURCE / "tests/mpi/host.cpp", f"host_{mpi}", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX",
                                       *self.flags(f"tessera-{mpi}", MPI_MODULES[mpi]))
                self.assertEqual(run(f"mpirun.{mpi}", "-np", 2, program, env=self.environment), "")

    def test_the_command_runs(self):
        command = self.prefix / "bin/tessera"
        self.assertRegex(run(command, "--version"), r"0\.1\.0")


class Packages(unittest.TestCase):
    @classmethod
    def made(cls):
        """The folder of the packages, which are made once."""
        if not hasattr(cls, "folder"):
            cls.folder = tempfile.TemporaryDirectory(prefix="tessera-packages-")
            run("cpack", "-G", "DEB", "--config", Path(BUILD) / "CPackConfig.cmake", "-B", Path(cls.folder.name) / "made",
                cwd=cls.folder.name)
        return Path(cls.folder.name) / "made"

    @classmethod
    def tearDownClass(cls):
        if hasattr(cls, "folder"):
            cls.folder.cleanup()

    @unittest.skipUnless(shutil.which("dpkg-shlibdeps") and shutil.which("cpack"), "Debian's tools are not here")
    def test_a_program_builds_with_what_they_hold(self):
        with tempfile.TemporaryDirectory(prefix="tessera-packages-") as folder:
            root = Path(folder)
            packages = sorted(self.made().glob("*.deb"))
            names = {run("dpkg-deb", "-f", package, "Package").strip(): package for package in packages}
            wanted = {"libtessera0.1", "libtessera-dev", "tessera", "tessera-doc"}
            self.assertEqual(set(names), wanted | {f"libtessera-{m}0.1" for m in MPIS.split(",") if m})
            manual = run("dpkg-deb", "-c", names["tessera-doc"])
            for file in [*(SOURCE / "docs").glob("[a-z]*.md"), *(SOURCE / "examples").glob("*.tess")]:
                self.assertIn(f"/usr/share/doc/tessera/{file.relative_to(SOURCE)}\n", manual)
            needed = run("dpkg-deb", "-f", names["libtessera0.1"], "Depends")
            self.assertIn("libopenblas0-serial", needed)
            self.assertNotIn("mpi", needed)
            # Unpacked beside the system, not in it: what is in the packages can be moved.
            for name in ("libtessera0.1", "libtessera-dev"):
                run("dpkg-deb", "-x", names[name], root / "system")
            lib = root / "system/usr/lib"
            environment = {**os.environ, "PKG_CONFIG_PATH": str(lib / "pkgconfig"), "LD_LIBRARY_PATH": str(lib)}
            code, printed = readme_program()
            (root / "main.cpp").write_text(code, encoding="utf-8")
            flags = run("pkg-config", "--cflags", "--libs", "tessera", env=environment).split()
            run(CXX, "-std=c++20", root / "main.cpp", "-o", root / "main", *flags, env=environment)
            self.assertEqual(run(root / "main", env=environment), printed)


    @unittest.skipUnless(shutil.which("lintian") and shutil.which("cpack"), "lintian is not here")
    def test_lintian_finds_no_error(self):
        said = run("lintian", "--allow-root", "--fail-on", "none", "--tag-display-limit", 0, *sorted(self.made().glob("*.deb")))
        # The project has no address for mail.
        errors = [line for line in said.splitlines() if line.startswith("E:") and "bogus-mail-host" not in line]
        self.assertEqual(errors, [])

    @unittest.skipUnless(shutil.which("dpkg") and shutil.which("cpack"), "Debian's tools are not here")
    def test_they_come_and_go(self):
        with tempfile.TemporaryDirectory(prefix="tessera-system-") as folder:
            on_top = [HERE / "on_top.sh", Path(folder) / "made"]
            (Path(folder) / "made").mkdir()
            if subprocess.run([*on_top, "true"], capture_output=True, check=False).returncode != 0:
                self.skipTest("the system lets nobody lay a file system over it")
            for package in self.made().glob("*.deb"):
                shutil.copy(package, Path(folder) / "made")
            packages = [run("dpkg-deb", "-f", package, "Package").strip() for package in (Path(folder) / "made").glob("*.deb")]
            (Path(folder) / "made/main.cpp").write_text(readme_program()[0], encoding="utf-8")
            # Which OpenBLAS there is, Debian's packages say differently from ours; here it is the one that we build with.
            install = "dpkg --install --force-depends /mnt/*.deb > /dev/null 2>&1"
            use = (f"tessera --version && {CXX} -std=c++20 /mnt/main.cpp -o /tmp/main $(pkg-config --cflags --libs tessera) && "
                   "/tmp/main")
            purge = f"dpkg --purge {' '.join(packages)} > /dev/null 2>&1"
            said = run(*on_top, f"{install} && {use} && ls /usr/bin/tessera && {purge} && echo what is left:")
            used, left = said.split("what is left:\n")
            self.assertIn(readme_program()[1], used)
            self.assertIn("/usr/bin/tessera\n", used)
            self.assertEqual(left, "")


class Command(unittest.TestCase):
    """What a person gets beside the command: manual pages and completions."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tessera-command-")
        cls.prefix = Path(cls.folder.name)
        run(CMAKE, "--install", BUILD, "--prefix", cls.prefix, "--component", "command")
        cls.share = cls.prefix / "share"
        cls.environment = {**os.environ, "PATH": f"{cls.prefix / 'bin'}:{os.environ['PATH']}"}
        said = run(cls.prefix / "bin/tessera", "--help")
        cls.commands = re.findall(r"^  (\w+) ", said.split("Subcommands:")[1], re.M)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def options(self, command):
        return set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", run(self.prefix / "bin/tessera", command, "--help"), re.M))

    @unittest.skipUnless(shutil.which("help2man"), "help2man is not here")
    def test_every_command_has_a_manual_page(self):
        pages = self.share / "man/man1"
        self.assertEqual({page.name for page in pages.iterdir()},
                         {"tessera.1.gz"} | {f"tessera-{command}.1.gz" for command in self.commands})
        for command in self.commands:
            page = run("man", "--local-file", "--encoding=utf8", pages / f"tessera-{command}.1.gz",
                       env={**self.environment, "MANPAGER": "cat", "MANWIDTH": "100"})
            self.assertIn(f"tessera-{command} - ", page)
            for option in self.options(command):
                self.assertIn(option, page)

    def completed(self, shell, *words):
        """What the shell offers at the end of the last word."""
        if shell == "bash":
            script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tessera; '
                      'printf "%s\\n" "${COMPREPLY[@]}"')
            return run("bash", "-c", script, "bash", self.share / "bash-completion/completions/tessera", *words,
                       env=self.environment).split()
        if shell == "fish":
            script = f"source {self.share / 'fish/vendor_completions.d/tessera.fish'}; complete -C '{' '.join(words)}'"
            return [line.split("\t")[0] for line in run("fish", "-c", script, env=self.environment).splitlines()]
        # zsh's own functions need a terminal: they are played, and say what they are asked to offer.
        script = ('_describe() { local -a all; all=(${(P)2}); print -l -- ${all%%:*} }; _files() {}\n'
                  'compadd() { print -l -- $@ }\n'
                  'file=$1; shift; words=("$@"); CURRENT=$#; prefix=$words[-1]\nplay() { source $file }; play')
        offered = run("zsh", "-c", script, "zsh", self.share / "zsh/vendor-completions/_tessera", *words,
                      env=self.environment).split()
        return [word for word in offered if word.startswith(words[-1])]

    def test_completions(self):
        for shell in ("bash", "fish", "zsh"):
            if not shutil.which(shell):
                continue
            with self.subTest(shell=shell):
                self.assertEqual(set(self.completed(shell, "tessera", "")) & set(self.commands), set(self.commands))
                # In alphabetical order or in that of --help, as the shell has it.
                self.assertEqual(sorted(self.completed(shell, "tessera", "pl")),
                                 sorted(c for c in self.commands if c.startswith("pl")))
                self.assertEqual(sorted(self.completed(shell, "tessera", "run", "--backend", "")), ["mpi", "sim"])
                self.assertEqual(self.completed(shell, "tessera", "plan", "--planner", "x"), ["xla"])
                for command in self.commands:
                    self.assertLessEqual(self.options(command), set(self.completed(shell, "tessera", command, "--")))


@unittest.skipUnless((SOURCE / ".git").exists() and shutil.which("git"), "not a repository")
class Release(unittest.TestCase):
    def test_it_builds_without_java_git_and_network(self):
        with tempfile.TemporaryDirectory(prefix="tessera-release-") as folder:
            root = Path(folder)
            run("git", "clone", "--quiet", SOURCE, root / "clone")
            archive = Path(run(root / "clone/scripts/release", root).strip())
            again = Path(run(root / "clone/scripts/release", root / "again").strip())
            self.assertEqual(archive.read_bytes(), again.read_bytes())
            run("tar", "-xzf", archive, "-C", root)
            tree = root / archive.name.removesuffix(".tar.gz")
            # A call of one of these fails.
            (root / "bin").mkdir()
            for tool in ("java", "git", "antlr4", "curl", "wget"):
                (root / "bin" / tool).write_text(f"#!/bin/sh\necho {tool} was called >&2\nexit 1\n", encoding="utf-8")
                (root / "bin" / tool).chmod(0o755)
            environment = {**os.environ, "PATH": f"{root / 'bin'}:{os.environ['PATH']}"}
            run(CMAKE, "-S", tree, "-B", root / "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={CXX}", "-DTESSERA_TESTS=OFF",
                "-DTESSERA_BENCH=OFF", "-DTESSERA_COMMAND=OFF", "-DTESSERA_ANTLR_TOOL=NOTFOUND", env=environment)
            run(CMAKE, "--build", root / "build", "--target", "tessera_grammar", "tessera_base", env=environment)

    def test_it_refuses_what_differs(self):
        with tempfile.TemporaryDirectory(prefix="tessera-refused-") as folder:
            clone = Path(folder) / "clone"
            run("git", "clone", "--quiet", SOURCE, clone)
            run("git", "-C", clone, "tag", "v9.9.9")
            with self.assertRaisesRegex(AssertionError, r"the commit is tagged v9\.9\.9"):
                run(clone / "scripts/release", folder)
            run("git", "-C", clone, "tag", "--delete", "v9.9.9")
            (clone / "CHANGELOG.md").write_text("# Changes\n\n## 9.9.9\n", encoding="utf-8")
            with self.assertRaisesRegex(AssertionError, r"CHANGELOG\.md ends with 9\.9\.9"):
                run(clone / "scripts/release", folder)


class Site(unittest.TestCase):
    @unittest.skipUnless(shutil.which("mkdocs"), "mkdocs is not here")
    def test_it_is_built_of_the_documents_and_headers(self):
        with tempfile.TemporaryDirectory(prefix="tessera-site-") as folder:
            run("mkdocs", "build", "--quiet", "--strict", "--config-file", SOURCE / "mkdocs.yml", "--site-dir", folder)
            pages = {str(page.relative_to(folder)) for page in Path(folder).rglob("*.html")}
            for document in (SOURCE / "docs").glob("*.md"):
                self.assertIn({"README": "index"}.get(document.stem, document.stem) + ".html", pages)
            for header in (SOURCE / "embed/include/tessera").iterdir():
                self.assertIn(f"api/{header.name}.html", pages)
            for page in pages:
                loaded = re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="(https?:[^"]*)"',
                                    (Path(folder) / page).read_text(encoding="utf-8"))
                self.assertEqual(loaded, [], page)


class Interface(unittest.TestCase):
    @unittest.skipUnless(shutil.which("abidw"), "abidw is not here")
    def test_of_c_is_what_the_header_declares(self):
        header = (SOURCE / "embed/include/tessera/tessera.h").read_text(encoding="utf-8")
        declared = set(re.findall(r"\b(tessera_\w+)\(", header)) - set(re.findall(r"^static inline \w+ (\w+)\(", header, re.M))
        said = run("abidw", "--no-corpus-path", "--no-comp-dir-path", Path(BUILD) / "lib/libtessera.so")
        symbols = set(re.findall(r"<elf-symbol name='(tessera_\w+)'", said))
        self.assertEqual(symbols, declared)


class Subproject(unittest.TestCase):
    def test_nothing_but_what_the_library_needs_is_looked_for(self):
        with tempfile.TemporaryDirectory(prefix="tessera-subproject-") as folder:
            project = Path(folder)
            (project / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(host LANGUAGES CXX)\n"
                f'add_subdirectory("{SOURCE}" tessera)\nadd_executable(main main.cpp)\n'
                "target_link_libraries(main PRIVATE tessera::tessera)\n"
                "foreach(unwanted IN ITEMS tessera tessera_repl tessera-bench embed_tests tessera_runtime_openmpi)\n"
                "  if(TARGET ${unwanted})\n    message(FATAL_ERROR \"there is ${unwanted}\")\n  endif()\nendforeach()\n")
            (project / "main.cpp").write_text(readme_program()[0], encoding="utf-8")
            unwanted = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("benchmark", "GTest", "rapidcheck", "CLI11")]
            run(CMAKE, "-S", project, "-B", project / "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={CXX}", *unwanted)
            plan = run(CMAKE, "--build", project / "build", "--target", "main", "--", "-n", "-v")
            compiled = [line for line in plan.splitlines() if " -c " in line]
            for room in ("base", "grammar", "frontend", "synth", "typeck", "runtime", "embed"):
                self.assertTrue(any(f"tessera/{room}/" in line for line in compiled), room)
            self.assertEqual([line for line in compiled if "-Werror" in line or "ccache" in line], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[6:])
