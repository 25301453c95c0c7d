"""tessera run: what it prints and how it ends."""

import json
import os
import re
import select
import signal
import subprocess
import time
import unittest

from driver import CommandLine, main

HELLO = 'mesh m = [x: 4, y: 2]\nlet a = iota(f32[16@y, 16, 16@x])\nlet b = a as [16, 16@(x,y), 16]\nprint "sum", sum(b)\n'
DISAGREEING = "mesh m = [x: 2]\nlet a = ones(f32[4@x, 4])\nlet b = ones(f32[4, 4@x])\nlet c = a + b\nprint sum(c)\n"


class Run(CommandLine):
    def test_prints(self):
        self.assertEqual(self.succeeds("run", self.write("a.tess", HELLO)), "sum 8386560.0\n")
        self.assertEqual(self.succeeds("run", "--backend", "sim", "a.tess"), "sum 8386560.0\n")

    def test_standard_input(self):
        self.assertEqual(self.succeeds("run", "-", text=HELLO), "sum 8386560.0\n")
        self.assertIn("  <stdin>:1:", self.fails(1, "run", "-", text="let a = b").err)

    def test_an_empty_script(self):
        self.assertEqual(self.succeeds("run", "-", text=""), "")
        self.assertEqual(self.succeeds("run", "-", text="# nothing\n"), "")

    def test_a_file_whose_name_looks_like_an_option(self):
        self.assertEqual(self.succeeds("run", "--", self.write("--odd", 'print "odd"')), "odd\n")

    def test_a_program_that_is_wrong(self):
        self.write("demo.tess", "mesh m = [x: 4, y: 2]\nfn g(a: f32[8@x, 8@x]) = a\nlet b = c\n")
        done = self.fails(1, "run", "demo.tess")
        self.assertEqual(done.out, "")
        self.assertIn("error[axis-used-twice]: mesh axis `x` splits two dimensions of one array\n"
                      "  demo.tess:2:20\n"
                      "   2 | fn g(a: f32[8@x, 8@x]) = a\n"
                      "     |               -    ^ ", done.err)
        self.assertIn("error[unknown-name]", done.err)

    def test_a_program_that_fails_while_it_runs(self):
        done = self.fails(1, "run", self.write("a.tess", 'print "before"\nassert 1 == 2, "as it must"\nprint "after"\n'))
        self.assertEqual(done.out, "before\n")
        self.assertIn("error[assertion-failed]: ", done.err)
        self.assertIn("as it must", done.err)
        self.assertIn("  a.tess:2:", done.err)

    def test_the_world_fails(self):
        done = self.fails(3, "run", self.write("a.tess", 'let a = load("missing.npy", f32[4])\nprint a\n'))
        self.assertIn("error[file-missing]", done.err)
        self.fails(3, "run", self.write("b.tess", 'let a = load("missing.npy", f32[_])\nprint a\n'))
        self.write("broken.npy", "not an array")
        done = self.fails(3, "run", self.write("c.tess", 'let a = load("broken.npy", f32[4])\nprint a\n'))
        self.assertIn("error[bad-npy]", done.err)

    def test_too_little_memory(self):
        done = self.fails(3, "run", self.write("a.tess", "let a = ones(f32[1000000, 1000000])\nprint sum(a)\n"))
        self.assertEqual(done.out, "")

    def test_products_in_little_address_space(self):
        """OpenBLAS tries for ever to map its buffers; products share those that there are, or memory has run out."""
        self.skip_under_sanitizers()
        self.write("a.tess", "mesh m = [x: 4]\nlet a = ones(f32[600@x, 600])\nprint sum(a @ ones(f32[600, 600]))\n")
        endings = set()
        for kilobytes in (120000, 300000, 400000, 600000):
            with self.subTest(kilobytes=kilobytes):
                done = self.shell(f'ulimit -v {kilobytes}; "$tessera" run a.tess')
                endings.add(done.status)
                if done.status == 0:
                    self.assertEqual(done.out, "216000000.0\n")
                else:
                    self.assertIn("error[out-of-memory]", done.err)
                    self.assertIn("  a.tess:3:", done.err)
        self.assertIn(0, endings)

    def test_products_where_no_thread_can_be_started(self):
        self.skip_under_sanitizers()
        self.write("a.tess", "let a = ones(f32[1500, 1500])\nprint sum(a @ a)\n")
        for kilobytes in range(72000, 116000, 4000):
            with self.subTest(kilobytes=kilobytes):
                done = self.shell(f'ulimit -c 0; ulimit -v {kilobytes}; exec "$tessera" run a.tess')
                self.assertIn(done.status, (0, 3), done.err)
                self.assertTrue(done.status == 0 or "memory" in done.err, done.err)

    def test_hardly_any_address_space(self):
        """Libraries may fail where no handler is. The smallest sizes are too small for the dynamic linker."""
        self.skip_under_sanitizers()
        self.write("a.tess", "print sum(iota(f32[8]))\n")
        endings = set()
        for kilobytes in range(30000, 110000, 4000):
            with self.subTest(kilobytes=kilobytes):
                done = self.shell(f'ulimit -c 0; ulimit -v {kilobytes}; exec "$tessera" run a.tess')
                endings.add(done.status)
                self.assertIn(done.status, (0, 3, 127), done.err)
                self.assertTrue(done.out == "28.0\n" if done.status == 0 else "memory" in done.err or done.status == 127,
                                done.err)
        self.assertLessEqual({0, 3}, endings)

    def test_an_array_larger_than_the_address_space(self):
        self.skip_under_sanitizers()
        self.write("a.tess", "let a = ones(f32[10000, 10000])\nprint sum(a + a)\n")
        done = self.shell('ulimit -v 300000; "$tessera" run a.tess')
        self.assertEqual(done.status, 3)
        self.assertIn("error[out-of-memory-plan]", done.err)
        self.assertIn("  a.tess:", done.err)

    def test_a_signal_during_save_leaves_no_file(self):
        """A process of its own ends the replacing that was under way. It has the pipe too, which is at its end when both are."""
        self.write("a.tess", 'let a = ones(f64[1000, 1000])\nprint "begun"\nlet b = loop w = a for i < 1000 {\n'
                   '  save(w, "a.npy")\n  w + 1.0\n}\nprint sum(b)\n')
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL):
            for later in (0.0, 0.03, 0.07):
                with self.subTest(signal=number, later=later):
                    process = subprocess.Popen([self.executable, "run", "a.tess"], cwd=self.folder, stdout=subprocess.PIPE)
                    self.addCleanup(process.stdout.close)
                    self.assertEqual(process.stdout.readline(), b"begun\n")
                    time.sleep(later)
                    process.send_signal(number)
                    self.assertEqual(process.wait(timeout=30), -number)
                    self.assertTrue(select.select([process.stdout], [], [], 30)[0], "what ends the replacing does not end")
                    self.assertEqual(process.stdout.read(), b"")
                    self.assertEqual(sorted({path.name for path in self.folder.iterdir()} - {"a.npy"}), ["a.tess"])

    def test_a_file_beyond_the_limit_of_its_size(self):
        """The write fails; it does not end the process, and a session goes on."""
        text = 'let a = zeros(f32[65536])\nsave(a, "a.npy")\nprint sum(a)\n'
        self.write("a.tess", text)
        done = self.shell('ulimit -f 8; "$tessera" run a.tess')
        self.assertEqual(done.status, 3)
        self.assertRegex(done.err, r"error\[cannot-write\]: .*File too large")
        done = self.shell('ulimit -f 8; "$tessera" < a.tess')
        self.assertIn("error[cannot-write]", done.err)
        self.assertTrue(done.out.endswith("0.0\n"), done)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.tess"])

    def test_files_are_found_from_the_working_directory(self):
        self.succeeds("run", self.write("a.tess", 'save(iota(i32[3]), "out.npy")\n'))
        self.assertTrue((self.folder / "out.npy").exists())
        self.assertEqual(self.succeeds("run", self.write("b.tess", 'print load("out.npy", i32[_])\n')), "[0 1 2]\n")

    def test_a_print_is_seen_when_it_is_done(self):
        endless = self.write("a.tess", 'print "begun"\nlet a = loop w = 0.0 for i < 1000000000 { w + 1.0 }\n')
        for command in (["run", endless], []):
            with self.subTest(command=command), open(self.folder / "a.tess", encoding="utf-8") as script, \
                    subprocess.Popen([self.executable, *command], cwd=self.folder, env=self.environment, stdin=script,
                                     stdout=subprocess.PIPE) as process:
                self.addCleanup(process.kill)
                came = select.select([process.stdout], [], [], 20)[0]
                line = process.stdout.readline() if came else b""
                process.kill()
                self.assertEqual(line, b"begun\n")

    def test_define(self):
        self.write("a.tess", "let N = 4\nlet M = 1\nprint N + M\n")
        self.assertEqual(self.succeeds("run", "a.tess"), "5\n")
        self.assertEqual(self.succeeds("run", "a.tess", "--define", "N=10", "--define=M=-3"), "7\n")
        self.assertEqual(self.succeeds("run", "--define", "N=2*3", "a.tess"), "7\n")
        self.assertIn("error[define-unused]", self.fails(2, "run", "a.tess", "--define", "K=1").err)
        self.assertIn("error[define-bad]", self.fails(2, "run", "a.tess", "--define", "N=(").err)

    def test_define_a_name_of_a_file(self):
        """A string with its quotes, as a program has it, or without, as a shell leaves it."""
        self.write("a.tess", 'let path = "a.npy"\nsave(iota(f32[2]), "{path}")\nprint path\n')
        for given in ('path="b.npy"', "path=b.npy"):
            with self.subTest(given=given):
                self.assertEqual(self.succeeds("run", "a.tess", "--define", given), "b.npy\n")
                (self.folder / "b.npy").unlink()
        self.assertFalse((self.folder / "a.npy").exists())

    def test_reshard(self):
        self.write("a.tess", DISAGREEING)
        self.assertEqual(self.succeeds("run", "a.tess"), "32.0\n")
        self.assertEqual(self.succeeds("run", "a.tess", "--reshard", "silent"), "32.0\n")
        done = self.tessera("run", "a.tess", "--reshard", "warn")
        self.assertEqual((done.status, done.out), (0, "32.0\n"))
        self.assertIn("warning[reshard]: ", done.err)
        self.assertIn("32 B received", done.err)
        done = self.fails(1, "run", "a.tess", "--reshard", "error")
        self.assertIn("error[reshard-refused]: ", done.err)
        self.assertEqual(done.out, "")

    def test_stats(self):
        self.write("a.tess", "mesh m = [x: 4]\nlet a = iota(f32[8@x])\nlet b = all_gather(a, 0, x)\nprint b[0]\n")
        done = self.tessera("run", "a.tess", "--stats")
        self.assertEqual((done.status, done.out), (0, "0.0\n"))
        self.assertRegex(done.err, r"\Aa\.tess:3:1: steps 1, received 96 B in all, peak 40 B per device, "
                                   r"\d+\.\d+ seconds\n\Z")


    def test_stats_end_with_a_profile(self):
        """A statement that computes for long is listed, one that does next to nothing is not."""
        self.write("a.tess", "mesh m = [x: 4]\nlet k = 3\nlet a = iota(f32[2048@x, 2048])\nlet b = a @ (a * 2.0 as [2048, 2048])\n"
                             "print sum(b) > 0.0\n")
        told = self.tessera("run", "a.tess", "--stats").err
        head, *rows = told[told.index("statement "):].splitlines()
        self.assertEqual(head.split(), ["statement", "line", "time", "computing", "moving", "waiting"])
        self.assertTrue(any(row.startswith("let b = a @ (a * 2....     4") for row in rows), told)
        self.assertNotIn("let k", told)
        self.assertGreater(sum(int(share) for share in re.findall(r" (\d+)%", told)), 95)

    def test_stats_of_a_run_that_fails(self):
        self.write("a.tess", "mesh m = [x: 4]\nlet a = iota(f32[1048576@x])\nlet b = all_gather(a, 0, x)\n"
                             "assert b[1] == 2.0\nprint sum(all_gather(a * 2.0, 0, x))\n")
        done = self.tessera("run", "a.tess", "--stats")
        self.assertEqual((done.status, done.out), (1, ""))
        self.assertIn("error[assertion-failed]", done.err)
        told = done.err.splitlines()[-1]
        self.assertRegex(told, r"\Aa\.tess:3:1: steps 1, received 12 MiB in all, peak \d")
        self.assertEqual(done.err.count("received "), 1, "a later statement was counted")
        # Checking counts nothing.
        self.write("b.tess", "print nothing\n")
        self.assertNotIn("received", self.tessera("run", "b.tess", "--stats").err)

    def test_the_peak_counts_the_steps_that_receive_nothing(self):
        self.write("a.tess", "mesh m = [x: 2]\nlet k = iota(f32[8@x])\n"
                             "let y = sum(reshape(k as [8], [8, 1]) @ reshape(k as [8], [1, 8]))\n")
        told = self.tessera("run", "a.tess", "--stats").err
        self.assertIn("steps 2, received 64 B in all, peak 320 B per device", told)  # 256 of them are the product

    def test_exact_bytes_stand_beside_rounded_ones(self):
        self.write("a.tess", "mesh m = [x: 4]\nlet a = iota(f32[1048578@x])\nprint sum(all_gather(a, 0, x))\n")
        done = self.tessera("run", "a.tess", "--stats")
        self.assertIn("received 12 MiB (12582936 bytes) in all, ", done.err)


class OutputFiles(CommandLine):
    """A file that cannot be written is known before the work, and no other is touched."""

    def left(self):
        return sorted(path.name for path in self.folder.iterdir() if path.name != "state")

    def test_what_cannot_be_written_is_known_before_the_run(self):
        self.write("a.tess", 'print "begun"\n')
        for path in [".", "none/trace.json"]:
            for arguments in [["run", "a.tess", "--trace", path], ["draw", "a.tess", "-o", path],
                              ["learn", "--page", "1", "-o", path], ["calibrate", "-o", path]]:
                done = self.tessera(*arguments)
                self.assertEqual((done.status, done.out), (3, ""), arguments)
                self.assertRegex(done.err, rf"\Aerror: cannot write {re.escape(path)}: [^\n]+\n\Z")
        self.assertEqual(self.left(), ["a.tess"])

    def test_a_failure_leaves_no_file(self):
        self.write("a.tess", "print nothing\n")
        for arguments in [["run", "a.tess", "--trace", "out"], ["draw", "a.tess", "-o", "out"]]:
            self.assertEqual(self.tessera(*arguments).status, 1)
            self.assertEqual(self.left(), ["a.tess"])

    def test_links(self):
        self.write("a.tess", 'print "done"\n')
        os.symlink("nowhere", self.folder / "trace.json")
        done = self.fails(3, "run", "a.tess", "--trace", "trace.json")
        self.assertEqual((done.out, done.err), ("", "error: cannot write trace.json: it is a link that leads nowhere\n"))
        self.assertTrue((self.folder / "trace.json").is_symlink())
        self.write("nowhere", "old")
        self.succeeds("run", "a.tess", "--trace", "trace.json")
        self.assertTrue((self.folder / "trace.json").is_symlink())
        self.assertNotEqual(self.read("nowhere"), "old")

    def test_a_device_is_written_to_and_not_replaced(self):
        self.write("a.tess", "mesh m = [x: 2]\nlet a = iota(f32[4@x])\nlet b = a as [4]\nprint b\n")
        os.mkfifo(self.folder / "pipe")
        done = self.shell('cat pipe > read & "$tessera" draw a.tess -o pipe; wait')
        self.assertEqual((done.status, done.err), (0, ""))
        self.assertTrue(self.read("read").startswith("<!DOCTYPE html>"))
        self.assertTrue((self.folder / "pipe").is_fifo())


class Machine(CommandLine):
    NODES = [{"name": "node", "count": 2, "bandwidth": 12.5e9, "latency": 5e-6},
             {"name": "gpu", "count": 4, "bandwidth": 300e9, "latency": 1e-6}]

    def test_a_machine_that_fits(self):
        self.write("machine.json", json.dumps(self.NODES))
        self.assertEqual(self.succeeds("run", self.write("a.tess", HELLO), "--machine", "machine.json"), "sum 8386560.0\n")

    def test_one_that_does_not(self):
        self.write("machine.json", json.dumps(self.NODES[:1]))
        self.assertIn("error[machine-mismatch]", self.fails(1, "run", self.write("a.tess", HELLO), "--machine", "machine.json").err)

    def test_files_that_are_no_machine(self):
        self.write("a.tess", HELLO)
        self.assertIn("cannot read missing.json", self.fails(2, "run", "a.tess", "--machine", "missing.json").err)
        self.write("machine.json", '[\n  {"name": "node", "count": 0, "bandwidth": 1, "latency": 1}]')
        self.assertEqual(self.fails(2, "run", "a.tess", "--machine", "machine.json").err,
                         'error[machine-file]: this is not a machine model: "count" must be a whole number from 1 to 65536\n'
                         "  machine.json:2:20\n"
                         '   2 |   {"name": "node", "count": 0, "bandwidth": 1, "latency": 1}]\n'
                         "     |                    ^^^^^^^\n")

    def test_cuts_go_by_the_devices_that_a_mesh_has(self):
        machine = self.write("machine.json", json.dumps({
            "levels": [{"name": "gpu", "count": 8, "bandwidth": 1.25e9, "latency": 20e-6}],
            "devices": [{"count": 4, "flops": 1e12, "bandwidth": 1e11, "memory": 16e9},
                        {"count": 4, "flops": 3e12, "bandwidth": 3e11, "memory": 32e9}]}))
        script = self.write("cuts.tess", "mesh a = [x: 4 work(speed)] on 2:6\nmesh b = [y: 2 fit(memory)] on 3:5\n"
                            "let u = iota(f32[16@x.work] on a)\nlet v = u as [16@y.fit] on b\nshow u\nshow v\n")
        shown = self.succeeds("run", script, "--machine", machine)
        for box in ("0:2", "2:4", "4:10", "10:16", "0:5", "5:16"):
            self.assertIn(box, shown)
        beyond = self.write("beyond.tess", "mesh a = [x: 4 work(speed)] on 5:9\n")
        self.fails(1, "run", beyond, "--machine", machine)


if __name__ == "__main__":
    main()
