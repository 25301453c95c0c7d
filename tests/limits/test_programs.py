"""Well-formed texts that ask for too much: extents, meshes, functions, memory. Each ends in a diagnostic within seconds."""

import json

from limits import COMMAND, PROGRAM, WORLD, Hostile, main


class Extents(Hostile):
    def test_products_that_overflow(self):
        self.refused("let a = zeros(f32[4294967296, 4294967296])", "size-too-large")
        self.refused("let a = zeros(f32[9223372036854775807])", "size-too-large")
        self.refused("let a = zeros(f32[3037000500, 3037000500, 2])", "size-too-large")
        self.refused("let a = reshape(zeros(f32[4]), [4294967296, 4294967296])", "bad-reshape")
        self.refused("let a = broadcast(1.0, [4294967296, 4294967296])", "size-too-large")
        self.refused("let a = pad(zeros(f32[4]), [9223372036854775807, 9223372036854775807])")
        self.refused("let a = one_hot(iota(i64[1000]), 9223372036854775807)", "size-too-large")
        self.refused("let n = 9223372036854775807\nlet a = zeros(f32[(n + 1)])", "negative-extent")
        self.refused("let a = zeros(f32[(0 - 5)])", "negative-extent")
        self.refused("let a = concat([zeros(bool[9223372036854775807]), zeros(bool[9223372036854775807])], 0)")
        self.refused("let a = zeros(f32[1000000]) @ 1.0")

    def test_products_that_overflow_only_between(self):
        self.survived("let a = zeros(f32[0, 4294967296, 4294967296])", commands=("check", "run"))
        self.survived("let a = zeros(f32[4294967296, 4294967296, 0])", commands=("check", "run"))
        self.survived("let a = einsum(\"i,j,k->ijk\", zeros(f32[4000000]), zeros(f32[4000000]), zeros(f32[4000000]))", commands=("check",))

    def test_positions(self):
        array = "let a = iota(f32[4])\n"
        self.refused(array + "print a[9223372036854775807]", "index-range")
        self.refused(array + "print a[-9223372036854775807]", "index-range")
        self.accepted(array + "print a[-9223372036854775807:9223372036854775807]\n")
        self.refused(array + "let i = sum(iota(i64[9]))\nprint a[i]", "index-out-of-range", commands=("run",))
        self.refused(array + "print update(a, 9223372036854775807, a)", "index-range")
        self.refused(array + "print sum(a, dim=9223372036854775807)", "dim-range")
        self.refused(array + "print take(a, 9223372036854775807)", commands=("run",))
        self.refused(array + "let b = transpose(a, [9223372036854775807])")
        self.refused(array + "let b = reshape(a, [-1, -1])", "bad-reshape")
        self.refused(array + "let b = reshape(a, [-1, 0])", "bad-reshape")


class Meshes(Hostile):
    def test_too_many_devices(self):
        self.refused("mesh m = [x: 1000000000]", "mesh-too-large")
        self.refused("mesh m = [x: 65537]", "mesh-too-large")
        self.refused("mesh m = [x: 65536, y: 65536, z: 65536, w: 65536]", "mesh-too-large")
        self.refused("mesh m = [x: 9223372036854775807, y: 9223372036854775807]", "mesh-too-large")
        self.refused("mesh m = [x: 0]", "mesh-axis-size")
        self.refused("mesh m = [x: (0 - 4)]", "mesh-axis-size")
        self.refused("mesh m = [a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1]", "mesh-axes-too-many")

    def test_as_many_as_there_may_be_are_planned(self):
        self.accepted("mesh m = [x: 256, y: 256]\nplan zeros(f32[65536@x, 64]) as [65536, 64@x]\n", commands=("check",))

    def test_operations_on_as_many_as_there_may_be(self):
        """Nothing is looked at for every pair of devices."""
        start = "mesh m = [x: 65536]\nlet a = zeros(f32[131072@x, 4])\nlet i = zeros(i64[131072@x])\n"
        fn = "fn f(t: f32[131072@x, 4]) -> f32 = sum(take(t, i) as [131072@x, 4])\n"
        for line in ("let b: f32[131072@x, 4] = take(a, i)", fn + "let (l, g) = grad(f)(a)", "let b = cumsum(a, 0)", "let b = cummax(a, 0)", "let b = recur(a, a, 0)",
                     "let b = bincount(i, 1000)", "let b = topk(a, 2, 0)", "let b = argmax(a, dim=0)", "let b = roll(a, 1, 0)"):
            self.accepted(start + line + "\n", commands=("check",))

    def test_what_a_gather_would_receive_may_be_more_than_a_number_holds(self):
        path = self.write("mesh m = [x: 65536]\nlet a = zeros(f64[1125899906842624@x])\nlet b = concat([a, a], 0)\n")
        done = self.tessera("check", "--json", path)
        self.expect(done, (0,), "tessera check --json")
        moved = [json.loads(line) for line in done.out.splitlines() if '"op":"assemble"' in line]
        self.assertEqual([one["gathered_bytes_total"] for one in moved], [2**63 - 1])

    def test_many_devices_and_a_small_array(self):
        self.survived("mesh m = [x: 4096]\nlet a = iota(f32[3@x])\nprint sum(a)\n", commands=("check", "run"))

    def test_many_changes_between_many_devices(self):
        """The copies of one change fill 70 MB; those of the changes before are not kept."""
        lines = ["mesh m = [x: 512]", "let a = iota(f32[512@x, 512])"]
        lines += ["let a = a as [512, 512@x]", "let a = a as [512@x, 512]"] * 6
        done = self.tessera("run", self.write("\n".join([*lines, "print a[511, 511]"])))
        self.assertEqual((done.status, done.out), (0, "262143.0\n"), done.err)
        if self.build_type == "Release":
            self.assertLess(done.resident_bytes, 300 << 20)

    def test_on_the_command_line(self):
        plan = ["plan", "--from", "f32[16@x]", "--to", "f32[16]", "--mesh"]
        for mesh, statuses in [("x:1000000000", (PROGRAM,)), ("x:" + "9" * 100, (COMMAND, PROGRAM)), ("(" * 10_000, (COMMAND,)),
                               ("x:4," * 10_000, (COMMAND, PROGRAM)), ("", (COMMAND, PROGRAM)), ("x:0", (PROGRAM,))]:
            self.expect(self.tessera(*plan, mesh), statuses, f"--mesh {mesh[:40]}")

    def test_types_on_the_command_line(self):
        for text, statuses in [("f32[" + "(" * 10_000, (COMMAND,)), ("f32[9999999999999999999]", (COMMAND, PROGRAM)), ("f32[" + "1," * 10_000 + "1]", (COMMAND, PROGRAM)),
                               ("f32[4294967296,4294967296]", (PROGRAM,)), ("\x01", (COMMAND,)), ("f32[16@x]" * 1000, (COMMAND,))]:
            done = self.tessera("plan", "--mesh", "x:4", "--from", text, "--to", "f32[16]")
            self.expect(done, statuses, f"--from {text[:40]}")


class Functions(Hostile):
    def doubling(self, levels):
        lines = ["fn g0(a: f32[4]?) = a + a"]
        lines += [f"fn g{k}(a: f32[4]?) = g{k - 1}(a) + g{k - 1}(a)" for k in range(1, levels)]
        return "\n".join(lines) + f"\nlet b = g{levels - 1}(iota(f32[4]))\nprint b\n"

    def test_calls_that_double_at_every_level(self):
        self.accepted(self.doubling(8))
        path = self.write(self.doubling(40))
        self.expect(self.tessera("check", path), (0, PROGRAM), "tessera check")
        done = self.tessera("run", path)
        self.expect(done, (PROGRAM,), "tessera run")
        self.assertIn("[program-too-large]", done.err)

    def test_loops_that_double_at_every_level(self):
        lines = ["fn g0(a: f32[4]) -> f32[4] = a * 0.5"]
        lines += [f"fn g{k}(a: f32[4]) -> f32[4] = loop w = g{k - 1}(a) for i < 1 {{ g{k - 1}(w) }}" for k in range(1, 40)]
        self.refused("\n".join(lines) + "\nlet b = g39(iota(f32[4]))\nprint b\n", commands=("run",))

    def test_values_that_double_at_every_level(self):
        lines = ["let a0 = iota(f32[4])"] + [f"let a{k} = concat([a{k - 1}, a{k - 1}], 0)" for k in range(1, 80)]
        self.refused("\n".join(lines), "size-too-large")

    def test_ten_thousand_functions(self):
        lines = [f"fn g{k}(a: f32[N]?) = a * {k}.0" for k in range(10_000)]
        calls = [f"let b{k} = g{k}(iota(f32[4]))" for k in range(0, 10_000, 100)]
        self.accepted("\n".join(lines + calls), commands=("check",))

    def test_a_chain_of_ten_thousand_functions(self):
        lines = ["fn g0(a: f32[N]?) = a"] + [f"fn g{k}(a: f32[N]?) = g{k - 1}(a)" for k in range(1, 10_000)]
        self.refused("\n".join(lines) + "\nlet b = g9999(iota(f32[4]))\n", "too-deep")

    def test_a_chain_of_functions_each_checked_where_it_is_declared(self):
        for call in ("g{}(a) * 2.0", "loop w = a for i < 1 {{ g{}(w) }}"):
            lines = ["fn g0(a: f32) = a + 1.0"] + [f"fn g{k}(a: f32) = {call.format(k - 1)}" for k in range(1, 10_000)]
            self.refused("\n".join(lines) + "\nprint g9999(1.0)\n", "too-deep")
        lines = ["fn g1(a: f32) = a + 1.0"] + [f"fn g{k}(a: f32) = g{k - 1}(a)" for k in range(2, 101)]
        self.accepted("\n".join(lines) + "\nprint g100(1.0)\n")

    def test_recursion(self):
        self.refused("fn f(a: f32[N]?) = f(a)\nlet b = f(iota(f32[4]))\n")
        self.refused("fn f(a: f32[4]) = f(a)\n")

    def test_a_function_of_many_types(self):
        calls = [f"let b{k} = f(iota(f32[{k}]))" for k in range(1, 3000)]
        self.accepted("fn f(a: f32[N]?) = sum(a * 2.0)\n" + "\n".join(calls), commands=("check",))


class Memory(Hostile):
    def test_more_than_there_is(self):
        for text in ["let a = iota(f32[10000000000])\nprint sum(a)\n",
                     "mesh m = [x: 8]\nlet a = iota(f32[100000000000@x])\nprint a\n",
                     "let a = broadcast(1.0, [1000000000000])\nprint a\n",
                     "let a = zeros(f64[1000000000000000])\nprint a[0]\n",
                     "mesh m = [x: 4096]\nlet a = zeros(f32[1000000000])\nprint a[5]\n"]:
            path = self.write(text)
            self.expect(self.tessera("check", path), (0,), text)
            self.expect(self.tessera("run", path), (WORLD,), text)

    def test_a_budget_that_cannot_be_met(self):
        text = "mesh m = [x: 4]\nlet a = iota(f32[16@x])\nlet b = a as [16] within 1\n"
        path = self.write(text)
        done = self.tessera("run", path)
        self.expect(done, (PROGRAM,), text)
        self.assertIn("least budget: ", done.err + done.out)

    def test_loops_do_not_keep_what_they_have_used(self):
        self.accepted("let a = loop w = iota(f32[1000000]) for i < 2000 { w * 0.5 + f32(i) }\nprint a[0]\n", commands=("run",))


class Files(Hostile):
    def test_batches(self):
        for name, data in [("nest.json", "[" * 100_000), ("objects.json", '{"mesh":' * 100_000), ("nul.json", "\0" * 100), ("long.json", '{"mesh": "' + "x" * 10_000_000 + '"}'),
                           ("bad.json", b"\xff\xfe\n" * 100), ("numbers.json", '{"mesh": 1e999, "from": 5, "to": []}\n' * 100)]:
            path = self.write(data, name)
            self.expect(self.tessera("plan", "--batch", path), (PROGRAM, COMMAND), name)

    def test_machines(self):
        script = self.write("print 1\n")
        for name, data in [("nest.json", "[" * 100_000), ("empty.json", ""), ("zero.json", '[{"name": "a", "count": 0, "bandwidth": 0, "latency": -1}]'),
                           ("huge.json", '[{"name": "a", "count": 9223372036854775807, "bandwidth": 1e308, "latency": 1e308}]'), ("nul.json", "\0")]:
            path = self.write(data, name)
            self.expect(self.tessera("run", script, "--machine", path), (PROGRAM, COMMAND), name)

    def test_arrays(self):
        head = b"\x93NUMPY\x01\x00"
        for name, data in [("empty.npy", b""), ("short.npy", head), ("long.npy", head + b"\xff\xff" + b"{" * 65_535), ("text.npy", b"let a = 1"),
                           ("huge.npy", head + b"\x76\x00" + b"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 2), }".ljust(117) + b"\n"),
                           ("lies.npy", head + b"\x76\x00" + b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000,), }".ljust(117) + b"\n")]:
            self.write(data, name)
            path = self.write(f'let a = load("{name}", f32[_])\nprint sum(a)\n')
            self.expect(self.tessera("run", path), (PROGRAM, WORLD), name)

    def test_what_is_no_script(self):
        for path in ["/nonexistent/a.tess", str(self.folder), "", "\x7f"]:
            self.expect(self.tessera("run", path), (COMMAND,), f"run {path}")


if __name__ == "__main__":
    main()
