"""Options and settings that ask for GPUs, on any machine: number 4000 is none, and nothing ever runs elsewhere instead."""

import json
import tempfile
from pathlib import Path

from driver import CommandLine, main


class Gpu(CommandLine):
    def test_a_program_that_cannot_have_its_gpu_does_not_run(self):
        for words in [["--gpu", "4000"], ["--gpu=4000"], ["--gpu", "0,4000"]]:
            done = self.fails(3, "run", *words, "-", text="print 1\n")
            self.assertEqual(done.out, "")
            self.assertIn("error[no-gpu]: there is no GPU to run on: ", done.err)
            self.assertIn("help: ", done.err)

    def test_the_variable_stands_for_the_option(self):
        self.environment["TESSERA_GPU"] = "4000"
        self.assertIn("[no-gpu]", self.fails(3, "run", "-", text="print 1\n").err)
        self.assertEqual(self.succeeds("run", "--gpu", "off", "-", text="print 1\n"), "1\n")
        self.assertIn("f32[4]", self.succeeds("check", "-", text="let a = ones(f32[4])\n"))

    def test_a_script_behind_the_option_is_no_list(self):
        self.write("a.tess", "print 1\n")
        done = self.tessera("run", "--gpu", "a.tess")
        self.assertIn((done.status, done.out), [(0, "1\n"), (3, "")])
        self.assertEqual(done.status == 3, "error[no-gpu]" in done.err or "error[gpu-library]" in done.err)

    def test_what_makes_no_sense(self):
        for words, said in [(["--gpu=first"], "`first` are no GPUs"), (["--gpu", "0", "--gpu-memory", "lots"], "--gpu-memory needs a size"),
                            (["--products", "quick"], "--products"), (["--throttle", "--gpu", "0"], "--throttle")]:
            done = self.fails(2, "run", *words, "-", text="print 1\n")
            self.assertIn(said, done.err)
            self.assertEqual(done.out, "")
        self.assertIn("tessera run --gpu FILE", self.fails(2, "--gpu", "0", "check", "-").err)

    def test_products_in_order_need_no_gpu(self):
        text = "let a = random(f32[40, 40], 1)\nprint (a @ a)[3, 4]\n"
        ordered, usual = (float(self.succeeds("run", *words, "-", text=text)) for words in (["--products", "ordered"], []))
        self.assertAlmostEqual(ordered, usual, places=3)

    def test_products_in_tf32(self):
        """Operands keep ten bits of their fractions where a GPU multiplies f32, and nowhere else."""
        text = ("let one = ones(f32[64, 64])\nlet a = one + 0.0001220703125\nprint (a @ one)[3, 4]\n"
                "let c = f64(one) + 0.0001220703125\nprint (c @ f64(one))[3, 4]\n")
        in_f32 = self.succeeds("run", "--products", "tf32", "-", text=text)
        self.assertEqual(in_f32, self.succeeds("run", "-", text=text))
        self.on_emulated_gpus()
        in_f64 = in_f32.splitlines()[1]
        self.assertEqual(self.succeeds("run", "--gpu", "0", "-", text=text), in_f32)
        self.assertEqual(self.succeeds("run", "--gpu", "0", "--products", "ordered", "-", text=text), in_f32)
        self.assertEqual(self.succeeds("run", "--gpu", "0", "--products", "tf32", "-", text=text), f"64.0\n{in_f64}\n")

    def test_the_list_of_gpus(self):
        done = self.tessera("gpu")
        for name in ["driver", "NVRTC", "cuBLAS", "kernels: "]:
            self.assertIn(name, done.out)
        report = json.loads(self.tessera("gpu", "--json").out)
        self.assertEqual(done.status, 3 if report["problems"] else 0)
        self.assertEqual(len(report["libraries"]), 3)
        for problem in report["problems"]:
            self.assertIn(f"error[{problem['error']}]", done.err)

    def test_the_setting_of_a_session(self):
        done = self.fails(1, text="let a = iota(f32[4])\n:set gpu 4000\nsum(a)\n:set gpu off\n:set gpu\n:set\n")
        self.assertIn("error[no-gpu]", done.err)
        self.assertIn("help: :set gpu on, :set gpu off or :set gpu 0,2", done.err)
        self.assertIn("6.0\n", done.out)
        self.assertIn("gpu off\n", done.out)

    def test_a_session_that_cannot_have_its_gpu(self):
        done = self.fails(1, "--gpu", "4000", text="let a = 1\n:set gpu off\nlet a = 2\na\n")
        self.assertIn("error[no-gpu]", done.err)
        self.assertTrue(done.out.endswith("2\n"), done.out)

    def on_emulated_gpus(self, **more):
        emulated = Path(self.executable).parent / "emulated"
        if not (emulated / "libcuda.so.1").exists():
            self.skipTest("the emulated driver is not built")
        self.environment.update(TESSERA_CUDA=str(emulated), XDG_CACHE_HOME=str(emulated / "cache"), **more)

    def test_kernels_are_compiled_without_a_gpu(self):
        """A run finds all that it needs: of branches that were not taken, of loops, and of what files hold."""
        self.on_emulated_gpus()
        self.write("a.tess", "mesh m = [x: 2]\nlet a = iota(f32[40@x, 8])\nlet n = max(a)\n"
                             "let b = loop b = a while max(b) > 3.0, max=100_000_000 { b * 0.25 + sin(b) }\n"
                             "let c = if n > 1.0 { cumsum(b, 0) } else { exp(b as [40, 8@x]) as [40@x, 8] }\n"
                             "assert n > 1.0\nsave(c, \"c.npy\")\nprint c[3, 4], sort(sum(c, dim=1), 0)[5]\n")
        with tempfile.TemporaryDirectory() as cache:
            self.environment["XDG_CACHE_HOME"] = cache
            kept = Path(cache) / "tessera/kernels"
            done = self.tessera("gpu", "compile", "--arch", "sm_90", "a.tess")
            self.assertEqual((done.status, done.err), (0, ""))
            self.assertRegex(done.out, r"^a\.tess: \d+ kernels for sm_90, \d+ of them compiled now, by NVRTC 13\.9")
            self.assertFalse((self.folder / "c.npy").exists())
            files = {path.name for path in kept.iterdir()}
            self.assertGreater(len(files), 10)
            self.assertIn(", 0 of them compiled now", self.succeeds("gpu", "compile", "--arch", "sm_90", "a.tess"))
            self.environment["TESSERA_EMULATED_FAILURE"] = "nvrtcCompileProgram:1:6"
            usual = self.succeeds("run", "a.tess")
            self.assertEqual(self.succeeds("run", "--gpu", "0", "a.tess"), usual)
            self.assertEqual({path.name for path in kept.iterdir()}, files)
        for words, status, said in [(["--arch", "hopper"], 2, "`hopper` is no architecture of a GPU"), (["--arch", "sm_52"], 3, "too old")]:
            self.assertIn(said, self.fails(status, "gpu", "compile", *words, "a.tess").err)

    def test_devices_are_dealt_to_gpus(self):
        """Also those of a value that was made when there were fewer: they are dealt anew."""
        self.on_emulated_gpus(TESSERA_EMULATED_GPUS="3")
        text = ("mesh m = [x: 2]\nlet a = iota(f32[8@x])\nmesh n = [y: 6]\nlet b = iota(f32[12@y])\nsum(a)\nsum(b)\n"
                "let c = a as [8@y]\nc\n")
        usual = self.succeeds(text=text)
        for gpus in ["all", "0,1", "2", "0,0"]:
            self.assertEqual(self.succeeds("--gpu", gpus, text=text), usual)
        shown = self.succeeds("--gpu", "0,2", text="mesh m = [x: 4]\n:devices\n")
        self.assertEqual([line.split()[-4:] for line in shown.splitlines() if "Emulated" in line],
                         [["GPU", number, "(Emulated", "GPU)"] for number in "0022"])

    def test_what_is_measured_of_gpus(self):
        """Links between GPUs, between devices of one, and what these do; a machine file on which the next run is planned."""
        self.on_emulated_gpus(TESSERA_EMULATED_GPUS="2", TESSERA_GPU="all")
        for words, levels in [([], [("gpu", 2)]), (["--gpu", "1,0", "--devices", "4"], [("gpu", 2), ("device", 2)])]:
            said = self.succeeds("calibrate", *words, "-o", "machine.json")
            self.assertEqual(said, (self.folder / "machine.json").read_text(encoding="utf-8"))
            machine = json.loads(said)
            self.assertEqual([(level["name"], level["count"]) for level in machine["levels"]], levels)
            for level in machine["levels"]:
                self.assertTrue(0 < level["gap"] <= level["latency"] and level["bandwidth"] > 1e4, level)
            self.assertEqual(sum(kind["count"] for kind in machine["devices"]), 2 * len(levels))
            for kind in machine["devices"]:
                self.assertEqual(list(kind), ["count", "flops", "bandwidth", "memory"])
                self.assertTrue(min(kind["flops"], kind["bandwidth"], kind["memory"]) > 1e4, kind)
        text = "mesh m = [x: 4]\nlet a = iota(f32[8@x])\nprint sum(a)\n"
        self.assertEqual(self.succeeds("run", "--machine", "machine.json", "-", text=text), "28.0\n")

    def test_gpus_that_cannot_be_measured(self):
        done = self.fails(3, "calibrate", "--gpu", "4000", "-o", "machine.json")
        self.assertIn("error[no-gpu]: there is no GPU to run on: ", done.err)
        self.assertIn("help: ", done.err)
        self.assertFalse((self.folder / "machine.json").exists())
        self.assertIn("`first` are no GPUs", self.fails(2, "calibrate", "--gpu=first", "-o", "-").err)
        self.on_emulated_gpus(TESSERA_EMULATED_GPUS="2")
        self.assertIn("one device has no links", self.fails(2, "calibrate", "--gpu", "0", "-o", "-").err)
        self.assertIn("3 devices are not the same number on each of 2 GPUs", self.fails(2, "calibrate", "--gpu", "--devices", "3", "-o", "-").err)
        self.assertIn("GPUs cannot be throttled", self.fails(2, "calibrate", "--gpu", "0", "--throttle", "--devices", "2", "-o", "-").err)

    def test_tracks_of_traces_name_the_gpu(self):
        self.on_emulated_gpus(TESSERA_EMULATED_GPUS="2")
        text = "mesh m = [x: 4]\nlet a = iota(f32[8@x])\nprint sum(a)\n"
        self.succeeds("run", "--gpu", "0,1", "--trace", "a.json", "-", text=text)
        session = f"{text}:set gpu 1,0\n:trace b.json\nprint sum(a + 1.0)\n:trace\n"
        self.succeeds(text=session)
        for name, order in [("a.json", "0011"), ("b.json", "1100")]:
            events = json.loads((self.folder / name).read_text(encoding="utf-8"))["traceEvents"]
            names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
            self.assertEqual(sorted(names.values()), [f"device {d}, GPU {gpu} (Emulated GPU)" for d, gpu in enumerate(order)])

    def test_gpus_of_one_process_are_of_one_kind(self):
        self.on_emulated_gpus(TESSERA_EMULATED_GPUS="2", TESSERA_EMULATED_UNLIKE="1")
        done = self.fails(2, "run", "--gpu", "0,1", "-", text="print 1\n")
        self.assertIn("GPU 0 (Emulated GPU of kind 0) and GPU 1 (Emulated GPU of kind 1) are of different kinds", done.err)
        self.assertEqual(self.succeeds("run", "--gpu", "1", "-", text="print 1\n"), "1\n")
        self.assertEqual(self.succeeds("run", "--gpu", "--products", "ordered", "-", text="print 1\n"), "1\n")

    def test_a_gpu_that_is_lost(self):
        """On the emulated driver, at each of its first waits: what lay there is gone, and nothing else is. The first are those
        of opening it: then there is no GPU."""
        self.on_emulated_gpus()
        gone, lost = 0, 0
        for wait in range(1, 7):
            self.environment["TESSERA_EMULATED_FAILURE"] = f"cuStreamSynchronize:{wait}:700"
            done = self.tessera(text="let h = iota(f32[4])\n:set gpu on\nlet a = iota(f32[8])\nlet b = a + 1.0\nsum(b)\n"
                                     ":set gpu off\nsum(a)\nsum(h)\n")
            self.assertTrue(done.out.endswith("6.0\n"), done)
            self.assertTrue("error[gpu-lost]" in done.err or "error[no-gpu]" in done.err and lost == 0, done.err)
            lost += "error[gpu-lost]" in done.err
            gone += "error[value-lost]: `a` is gone" in done.err and "let a = iota(f32[8])" in done.err
        self.assertGreater(lost, 2)
        self.assertGreater(gone, 0)


if __name__ == "__main__":
    main()
