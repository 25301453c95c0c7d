#!/usr/bin/env python3
"""Ranks that are killed, disks that are full, and a small /dev/shm: nothing hangs, no file is half written, nothing
of ours is left behind.

    test_losses.py MPIRUN PATH/TO/tessera PATH/TO/libdoomed.so [KILLS [SEED]]"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from crowd import run_crowd, waiting
from launches import ENDS_WITHIN, RanksTest, rank_of, ranks_below

DOOMED = "libdoomed.so"
KILLS = 6
PARTS = 4
SEED = 20261121

# Redistributions, a loop, and a file that is written again and again.
WORK = """mesh m = [x: 4]
let a = iota(f32[1024@x, 512])
print "begun"
let c = loop b = a for i < 300 { (b as [1024, 512@x]) * 0.5 as [1024@x, 512] }
save(a, "a.npy")
save(c, "a.npy")
save(a, "a.npy")
print sum(c)
"""


# Visits of some ms, and borders of 2 MiB: a rank that is killed is in one or the other. Seldom is a pipeline over.
PIPELINE = """mesh a = [x: 2] on 0:2
mesh b = [x: 2] on 2:4
let t = random(f32[40, 1024, 512] on a, 1)
let w = random(f32[512, 512@x] on a, 2)
let v = random(f32[512@x, 512] on b, 3)
save(w, "a.npy")
print "begun"
let (p, q) = loop p = w, q = v for k < 1000 {
  pipeline p = p, q = q for i < 40 by "SCHEDULE" {
    let hb = t[i] @ w as [1024, 512@x] on b
    let dy = hb @ v
    let dh = dy @ transpose(v) as [1024, 512@x] on a
    (p + transpose(t[i]) @ dh * 1e-9, q + transpose(hb) @ dy * 1e-9)
  }
}
save(p, "a.npy")
"""


# Two stages of two devices, each of which sends a part of every border; little of everything, so that one comes to its end soon.
VISITS = """mesh a = [x: 2] on 0:2
mesh b = [x: 2] on 2:4
let t = random(f32[4, 64, 32] on a, 1)
let w = random(f32[32, 32@x] on a, 2)
let v = random(f32[32@x, 32] on b, 3)
save(w, "a.npy")
let (p, q) = pipeline p = w, q = v for i < 4 by "SCHEDULE" {
  let hb = t[i] @ w as [64, 32@x] on b
  let dy = hb @ v
  let dh = dy @ transpose(v) as [64, 32@x] on a
  (p + transpose(t[i]) @ dh, q + transpose(hb) @ dy)
}
save(p, "a.npy")
print "over"
"""

# From the devices of one node to those of the other, all of which want all of it: a relay of several slots.
RELAYED = """mesh a = [x: 4] on 0:4
mesh b = [x: 4] on 4:8
let t = iota(f32[64@x, 64] on a)
save(t, "a.npy")
let u = t as [64, 64] on b
save(u + 1.0, "a.npy")
print "over"
"""

# A sum over two nodes of four devices, in a program of several stretches, and nothing else that takes messages. It is short,
# for each of its messages takes a launch of its own.
NODES = [{"name": "node", "count": 2, "bandwidth": 1e7, "latency": 1e-6},
         {"name": "device", "count": 4, "bandwidth": 1e8, "latency": 1e-6}]
SUMMED = """mesh m = [x: 8]
let a = iota(f32[8@x, 256])
let s = sum(a, dim=0) as f32[256]
print s[1]
"""

# A shell stands between the launcher and each rank and outlives it, so that the launcher sees nothing.
OUTLIVED = ["bash", "-c", '"$@" & wait $!; status=$?; [ $status -lt 128 ] || sleep 30; exit $status', "bash"]


def shared_files():
    """What lies in /dev/shm that no MPI calls its own."""
    return sorted(name for name in os.listdir("/dev/shm") if "tessera" in name or "memfd" in name)


class Kills(RanksTest):
    def expect_no_rest(self, sharing):
        """Beside the script and the array there may be what rank 0 was writing, where ranks do not share memory; it is taken
        away here."""
        rest = sorted(path.name for path in self.folder.iterdir() if path.name not in ("program.tess", "a.npy"))
        self.assertLessEqual(len(rest), 0 if sharing == "on" else 1, rest)
        for name in rest:
            self.assertRegex(name, r"^\.a\.npy\.\d+\.\d+\.part$")
            (self.folder / name).unlink()

    def test_a_killed_launcher(self):
        path = self.script("let a = loop w = 0.0 for i < 1000000000 { w + 1.0 }\n")
        for moment in (0.05, 0.2, 1):
            with self.subTest(moment=moment):
                begin = time.monotonic()
                process = self.start([self.mpirun, "-np", 3, *self.command("run", path)])
                time.sleep(moment)
                ranks = ranks_below(process.pid)
                process.kill()
                self.finish(process, begin)
                self.expect_gone(ranks)

    def test_a_launcher_that_is_told_to_end(self):
        """It ends the ranks, which say nothing; what was printed is there."""
        path = self.script("mesh m = [x: 3]\nsave(iota(f32[3@x]), \"a.npy\")\nprint \"begun\"\n"
                           "let a = loop b = iota(f32[300@x, 30]) for i < 100000000 { (b as [300, 30@x]) as [300@x, 30] }\n")
        process = self.start([self.mpirun, "-np", 3, *self.command("run", path)])
        self.expect_line(process, "begun")
        ranks = ranks_below(process.pid)
        self.assertEqual(len(ranks), 3)
        told = time.monotonic()
        process.terminate()
        self.expect_gone(ranks, 5)
        done = self.finish(process, told)
        self.assertNotIn(done.status, (0, 3), done)
        self.assertNotIn("error[", done.err)
        self.expect_no_rest("on")

    def test_ranks_see_a_loss_themselves(self):
        path = self.script("mesh m = [x: 3]\nprint \"begun\"\n"
                           "let a = loop b = iota(f32[300@x, 30]) for i < 100000000 { (b as [300, 30@x]) as [300@x, 30] }\n")
        begin = time.monotonic()
        process = self.start([self.mpirun, "-np", 3, *OUTLIVED, *self.command("run", path)])
        # Before that a rank may be lost while MPI starts, which is the launcher's to see.
        self.expect_line(process, "begun")
        ranks = ranks_below(process.pid)
        self.assertEqual(len(ranks), 3)
        os.kill(next(one for one in ranks if rank_of(one) == 1), signal.SIGKILL)
        done = self.finish(process, begin)
        self.assertEqual(done.status, 3, done.err)
        self.assertRegex(done.err, r"(?m)^error\[peer-lost\]: rank 1 is gone$")
        self.assertEqual(len(done.diagnostics()), 1, done.err)
        self.expect_gone(ranks)

    def test_the_first_rank_is_lost(self):
        """Its deputy says so, once, within five seconds."""
        path = self.script("mesh m = [x: 4]\nprint \"begun\"\n"
                           "let a = loop b = iota(f32[400@x, 40]) for i < 100000000 { (b as [400, 40@x]) as [400@x, 40] }\n")
        for ranks in (2, 4):
            with self.subTest(ranks=ranks):
                process = self.start([self.mpirun, "-np", ranks, *OUTLIVED, *self.command("run", path)])
                self.expect_line(process, "begun")
                running = ranks_below(process.pid)
                self.assertEqual(len(running), ranks)
                os.kill(next(one for one in running if rank_of(one) == 0), signal.SIGKILL)
                killed = time.monotonic()
                self.expect_gone(running, 5)
                done = self.finish(process, killed)
                self.assertEqual(done.status, 3, done.err)
                self.assertEqual(done.diagnostics(), ["error[peer-lost]: rank 0 is gone"], done.err)

    def test_a_killed_rank(self):
        path = self.script(WORK)
        self.assertEqual(self.launch(1, "run", path).status, 0)
        whole = (self.folder / "a.npy").stat().st_size
        dice = random.Random(SEED)
        print(f"seed {SEED}", file=sys.stderr)
        for number in range(KILLS):
            ranks = dice.choice([2, 3, 4])
            sharing = dice.choice(["on", "off"])
            with self.subTest(kill=number, ranks=ranks, sharing=sharing):
                self.kill_one(path, ranks, sharing, dice)
                if (self.folder / "a.npy").exists():
                    self.assertEqual((self.folder / "a.npy").stat().st_size, whole)
                self.expect_no_rest(sharing)
                self.assertEqual(shared_files(), [])

    def summed(self, text):
        """The program's script, beside the machine that it is for."""
        (self.folder / "nodes.json").write_text(json.dumps(NODES))
        return self.script(text)

    def doomed(self, path, rank, message, sharing="off", outlived=()):
        """The launch in which that rank ends before that message of its own, and the seconds that all other ranks then take to
        end (Open MPI's launcher may never end: see end_soon); none if it did not come so far."""
        process = self.start([self.mpirun, "-np", 4, *outlived, *self.command("run", "--machine", self.folder / "nodes.json", path)],
                             env=dict(os.environ, TESSERA_SHARED_MEMORY=sharing, LD_PRELOAD=DOOMED,
                                      TESSERA_DOOMED=f"{rank} {message}"))
        killed = self.folder / "killed"
        while process.poll() is None and not killed.exists():
            time.sleep(0.01)
        if not killed.exists():
            return self.finish(process, time.monotonic()), None
        self.expect_gone(ranks_below(process.pid), 5)
        seconds = time.time() - killed.stat().st_mtime
        killed.unlink()
        self.end_soon(process, [])
        return self.finish(process, time.monotonic()), seconds

    def kill_at_messages_of_a_sum(self, part):
        """In every slot of a reduction program somebody sends. Ranks that send messages, as those of several machines do, are
        ended by the launcher."""
        path = self.summed(SUMMED)
        plan = subprocess.run([*map(str, self.command("plan", "--machine", self.folder / "nodes.json", "--mesh", "x:8")),
                               "--from", "f32[256]{+x}", "--to", "f32[256]"], capture_output=True, text=True, check=True)
        stretches = re.search(r"all_gather .* in (\d+)", plan.stdout)
        self.assertIsNotNone(stretches, "the sum has no program of several stretches: " + plan.stdout)
        for rank in (2,) if KILLS <= 6 else range(4):
            message = 1 + part
            done, seconds = self.doomed(path, rank, message)
            while seconds is not None:
                with self.subTest(rank=rank, message=message):
                    self.assertNotEqual(done.status, 0, done.err)
                    self.assertLessEqual(len(done.diagnostics()), 1, done.err)
                    self.assertLess(seconds, 5)
                    self.assertEqual(sorted(one.name for one in self.folder.iterdir()), ["nodes.json", "program.tess"])
                    self.assertEqual(shared_files(), [])
                message += PARTS
                done, seconds = self.doomed(path, rank, message)
            self.assertEqual((done.status, done.out), (0, "7176.0\n"), done.err)
            # A slot for each stretch and more, in each of which it sends.
            self.assertGreater(message, int(stretches[1]))

    def doom_at_messages(self, part, path, rank, sharing, outlived=()):
        """Whichever it is, one message within five seconds, and the file of before or after, whole. Gives the number of messages,
        or a few more, as the part has it."""
        def content():
            return (self.folder / "a.npy").read_bytes() if (self.folder / "a.npy").exists() else None

        known = {None}
        for text in (path.read_text(), path.read_text().split("save(")[0] + "save(" + path.read_text().split("save(")[1].split("\n")[0]):
            subprocess.run([*map(str, self.command("run", self.script(text, "alone.tess")))], check=True, capture_output=True,
                           cwd=self.folder)
            known.add(content())
        self.assertEqual(len(known), 3)
        (self.folder / "alone.tess").unlink()
        message, seconds = part + 1 - PARTS, 0
        while seconds is not None:
            message += PARTS
            (self.folder / "a.npy").unlink(missing_ok=True)
            done, seconds = self.doomed(path, rank, message, sharing, outlived)
            with self.subTest(rank=rank, message=message, sharing=sharing):
                self.assertIn(content(), known)
                self.assertEqual(shared_files(), [])
                if seconds is None:
                    self.assertEqual((done.status, done.out), (0, "over\n"), done.err)
                    continue
                self.assertLess(seconds, 5)
                self.assertNotEqual(done.status, 0, done.err)
                # Rank 0 speaks for all, and for nobody when it is gone.
                gone = [f"error[peer-lost]: rank {rank} is gone"]
                self.assertIn(done.diagnostics(), [[], gone] if rank == 0 or not outlived or "mpich" in self.mpirun else [gone])
            for rest in self.folder.glob(".a.npy.*.part"):
                self.assertEqual(sharing, "off")
                rest.unlink()
            self.assertEqual(sorted(one.name for one in self.folder.iterdir() if one.name != "a.npy"), ["nodes.json", "program.tess"])
        return message - 1

    def kill_at_messages_of_a_pipeline(self, part, sharing, outlived):
        """A message ends each of its visits. What is lost is seen by the launcher, or by the ranks themselves."""
        few = KILLS <= 6
        for schedule in ("auto",) if few else ("1f1b", "auto"):
            path = self.summed(VISITS.replace("SCHEDULE", schedule))
            for rank in (3,) if few else range(4):
                # Four microbatches, and half of a border for each device of the other stage.
                self.assertGreaterEqual(self.doom_at_messages(part, path, rank, sharing, outlived), 4)

    def kill_at_messages_of_a_relay(self, part):
        path = self.summed(RELAYED)
        plan = subprocess.run([*map(str, self.command("plan", "--machine", self.folder / "nodes.json", "--mesh", "x:4 on 0:4")),
                               "--to-mesh", "x:4 on 4:8", "--from", "f32[64@x, 64]", "--to", "f32[64, 64]"],
                              capture_output=True, text=True, check=True)
        stretches = re.search(r"relay +(\d+) stretches", plan.stdout)
        self.assertIsNotNone(stretches, "the change is no relay of several stretches: " + plan.stdout)
        for rank in (2,) if KILLS <= 6 else range(4):
            # A slot for each stretch and more.
            self.assertGreaterEqual(self.doom_at_messages(part, path, rank, "off"), int(stretches[1]))

    def test_a_rank_killed_amid_a_sum(self):
        """Ranks that share memory see it themselves, in whatever slot it is."""
        path = self.summed(SUMMED.replace("256", "4194304").replace("let s", 'print "begun"\nlet s').replace(
            "sum(a, dim=0) as f32[4194304]", "loop s = 0.0 for i < 1000 { max(sum(a, dim=0) as f32[4194304]) }").replace(
                "s[1]", "s"))
        dice = random.Random(SEED + 2)
        for number in range(KILLS):
            victim = dice.randrange(4)
            with self.subTest(kill=number, victim=victim):
                process = self.start([self.mpirun, "-np", 4, *OUTLIVED,
                                      *self.command("run", "--machine", self.folder / "nodes.json", path)])
                self.expect_line(process, "begun")
                time.sleep(dice.random() * 0.3)
                ranks = ranks_below(process.pid)
                os.kill(next(one for one in ranks if rank_of(one) == victim), signal.SIGKILL)
                killed = time.monotonic()
                self.expect_gone(ranks, 5)
                done = self.finish(process, killed)
                self.assertEqual(done.status, 3, done.err)
                # MPICH's launcher may end before it has passed on what was said last.
                if done.diagnostics() or "mpich" not in self.mpirun:
                    self.assertEqual(done.diagnostics(), [f"error[peer-lost]: rank {victim} is gone"], done.err)
                self.assertEqual(sorted(one.name for one in self.folder.iterdir()), ["nodes.json", "program.tess"])
                self.assertEqual(shared_files(), [])

    def test_a_rank_killed_in_a_pipeline(self):
        """In a visit or amid a border, on any stage, one message within five seconds, whoever is lost; the old file is whole."""
        dice = random.Random(SEED + 1)
        for number in range(KILLS):
            schedule = dice.choice(["gpipe", "1f1b", "eager-1f1b", "auto"])
            ranks = dice.choice([2, 4])
            sharing = dice.choice(["on", "off"])
            victim = dice.randrange(ranks)
            with self.subTest(kill=number, schedule=schedule, ranks=ranks, sharing=sharing, victim=victim):
                path = self.script(PIPELINE.replace("SCHEDULE", schedule))
                process = self.start([self.mpirun, "-np", ranks, *self.command("run", path)],
                                     env=dict(os.environ, TESSERA_SHARED_MEMORY=sharing))
                self.expect_line(process, "begun")
                whole = (self.folder / "a.npy").stat().st_size
                time.sleep(0.1 + dice.random() * 0.7)
                running = ranks_below(process.pid)
                self.assertEqual(len(running), ranks)
                os.kill(next(one for one in running if rank_of(one) == victim), signal.SIGKILL)
                killed = time.monotonic()
                self.expect_gone(running, 5)
                self.end_soon(process, running)
                done = self.finish(process, killed)
                self.assertNotEqual(done.status, 0, done.err)
                self.assertLessEqual(len(done.diagnostics()), 1, done.err)
                self.assertEqual((self.folder / "a.npy").stat().st_size, whole)
                self.expect_no_rest(sharing)
                self.assertEqual(shared_files(), [])

    def test_an_interrupt_in_a_pipeline(self):
        """It ends the ranks before their next visits."""
        for ranks in (2, 4):
            process = self.start([self.mpirun, "-np", ranks, *self.command("run", self.script(PIPELINE.replace("SCHEDULE", "auto")))])
            self.expect_line(process, "begun")
            time.sleep(0.4)
            running = ranks_below(process.pid)
            asked = time.monotonic()
            for one in running:
                os.kill(one, signal.SIGINT)
            self.expect_gone(running, 5)
            self.end_soon(process, running)
            done = self.finish(process, asked)
            self.assertNotEqual(done.status, 0)
            self.assertLessEqual(done.err.count("error[interrupted]"), 1, done.err)

    def kill_one(self, path, ranks, sharing, dice):
        process = self.start([self.mpirun, "-np", ranks, *self.command("run", path)],
                             env=dict(os.environ, TESSERA_SHARED_MEMORY=sharing))
        begin = time.monotonic()
        while len(ranks_below(process.pid)) < ranks and time.monotonic() < begin + 20 and process.poll() is None:
            time.sleep(0.01)
        time.sleep(dice.random() * 0.8)
        victims = ranks_below(process.pid)
        has_killed = bool(victims)
        if victims:
            try:
                os.kill(dice.choice(victims), signal.SIGKILL)
            except ProcessLookupError:
                has_killed = False
        self.end_soon(process, victims)
        done = self.finish(process, begin)
        if has_killed and "error" not in done.err and done.status == 0:
            # It had ended by itself before the signal reached it.
            self.assertIn("begun", done.out)


def in_parts():
    """A test for each PARTSth message of a kind, so that several launches are under way at a time."""
    def test(name, action, *arguments):
        setattr(Kills, f"test_a_rank_killed_at_every_message_of_a_{name}", lambda self: action(self, *arguments))

    for part in range(PARTS):
        test(f"sum_{part}", Kills.kill_at_messages_of_a_sum, part)
        test(f"relay_{part}", Kills.kill_at_messages_of_a_relay, part)
        for name, sharing, outlived in (("seen_by_the_launcher", "off", ()), ("seen_by_ranks", "on", OUTLIVED)):
            test(f"pipeline_{name}_{part}", Kills.kill_at_messages_of_a_pipeline, part, sharing, outlived)


in_parts()


class Threads(RanksTest):
    """A rank on which no thread can be started fails or goes on without: the others do not wait for ever."""

    def test_threads_that_one_rank_cannot_start(self):
        large = "mesh m = [x: 2]\nlet a = iota(f32[2097152@x])\nlet b = loop b = a for i < 200 { b * 0.5 + 1.0 }\nprint sum(b) > 0.0\n"
        for name, text in (("large", large), ("pipeline", VISITS.replace("SCHEDULE", "gpipe")), ("work", WORK)):
            path = self.script(text, f"{name}.tess")
            for sharing in ("on", "off"):
                with self.subTest(program=name, sharing=sharing):
                    begin = time.monotonic()
                    done = self.finish(self.start([self.mpirun, "-np", 2, *self.command("run", path)],
                                                  env=dict(os.environ, TESSERA_SHARED_MEMORY=sharing, LD_PRELOAD=DOOMED,
                                                           TESSERA_THREADLESS="1")), begin)
                    if done.status == 0:
                        continue
                    self.assertEqual(done.status, 3, done.err)
                    self.assertEqual(len(done.diagnostics()), 1, done.err)
                    self.assertIn("error[out-of-memory]", done.err)
                    self.assertIn("no thread can be started (on rank 1)", done.err)


class Disks(RanksTest):
    """In a name space of mounts of their own, which root may have."""

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0:
            self.skipTest("only root may mount")

    def mounted(self, where, size, ranks, path):
        """The program's launch where a small file system lies at `where`."""
        script = f'mount -t tmpfs -o size={size} tmpfs "{where}" && cd "$1" && shift && exec "$@"'
        command = ["unshare", "-m", "bash", "-c", script, "bash", self.folder, self.mpirun, "-np", ranks,
                   *self.command("run", path)]
        begin = time.monotonic()
        return self.finish(self.start(command), begin)

    def test_a_full_disk(self):
        (self.folder / "disk").mkdir()
        path = self.script('mesh m = [x: 4]\nsave(ones(f32[100@x]), "disk/a.npy")\nsave(ones(f32[1000000@x]), "disk/a.npy")\n')
        # The folder can be seen from inside only: a listing is the last word of the program's launcher.
        done = self.mounted(self.folder / "disk", "1m", 3, path)
        self.assertEqual(done.status, 3, done.err)
        self.assertEqual(len(done.diagnostics()), 1, done.err)
        self.assertIn("error[cannot-write]", done.err)
        self.assertIn("No space left", done.err)

    def test_a_full_disk_leaves_the_old_file(self):
        (self.folder / "disk").mkdir()
        save = self.script('mesh m = [x: 4]\nsave(iota(f32[100@x]), "disk/a.npy")\nsave(ones(f32[1000000@x]), "disk/a.npy")\n')
        look = self.script('mesh m = [x: 4]\nprint sum(load("disk/a.npy", f32[100@x]))\n', "look.tess")
        script = (f'mount -t tmpfs -o size=1m tmpfs disk && {{ {self.mpirun} -np 3 "$0" run "$1"; '
                  f'{self.mpirun} -np 2 "$0" run "$2"; ls -A disk; }}')
        begin = time.monotonic()
        done = self.finish(self.start(["unshare", "-m", "bash", "-c", script, self.tessera, save, look]), begin)
        self.assertEqual(done.out, "4950.0\na.npy\n", done.err)

    def test_arrays_larger_than_the_shared_memory_file_system(self):
        path = self.script("mesh m = [x: 4]\nlet a = ones(f32[4096@x, 2048])\nlet b = a as [4096, 2048@x]\nprint sum(b)\n")
        done = self.mounted("/dev/shm", "16m", 3, path)
        self.assertEqual((done.status, done.out), (0, "8388608.0\n"), done.err)


if __name__ == "__main__":
    RanksTest.mpirun, RanksTest.tessera, DOOMED = sys.argv[1:4]
    KILLS = int(sys.argv[4]) if len(sys.argv) > 4 else KILLS
    SEED = int(sys.argv[5]) if len(sys.argv) > 5 else SEED
    run_crowd(waiting(RanksTest.mpirun), sys.argv[6:])
