#!/usr/bin/env python3
"""`tessera-bench programs`: what a first run takes beside those after it; on ranks, and on two hosts, the values of one process.

    test_programs_bench.py MPIRUN PATH/TO/tessera PATH/TO/tessera-bench"""

import json
import sys
import unittest

from hosts import Hosts, HostsTest
from launches import RanksTest

TURNS_OF_A_LOOP = "jacobi_2d"  # which exchanges rows in each
TRIES = 4


class ProgramsBench(RanksTest):
    bench = ""

    def rows(self, done):
        self.assertEqual(done.status, 0, done.out + done.err)
        return [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]

    def words(self, *options):
        return [self.bench, "programs", "--goes", 1, "--json", *options]

    def run_bench(self, *command):
        return self.finish(self.start(command), 0)

    @staticmethod
    def finds_pages(row):
        """Its arrays have 15 MB, in pages of 4 KiB: new once; few are new where an array before has touched them."""
        few = row["new_pages"] / 4
        return row["new_pages"] > 2000 and row["first_pages"] < few and row["warm_pages"] < few and row["first_over_warm"] < 2.5

    def test_a_first_run_touches_pages_that_the_next_finds(self):
        # A system that wants memory may take pages that are kept, and others the core: then once more.
        for left in reversed(range(TRIES)):
            rows = self.rows(self.run_bench(*self.words("--first", "--only", "mandelbrot")))
            self.assertEqual([row["name"] for row in rows], ["mandelbrot x:1", "mandelbrot x:4"])
            for row in rows:
                self.assertAlmostEqual(row["first_over_warm"] / (row["first_cpu_ms"] / row["warm_cpu_ms"]), 1, 3)
            if all(self.finds_pages(row) for row in rows):
                return
            self.assertGreater(left, 0, rows)

    def test_ranks_have_the_values_of_one_process(self):
        rows = self.rows(self.run_bench(self.mpirun, "-np", 2, *self.words("--only", TURNS_OF_A_LOOP)))
        self.assertEqual([(row["about"], row["name"], row["same_values"]) for row in rows], [("2 ranks", TURNS_OF_A_LOOP, 1)])
        self.assertGreater(rows[0]["ranks_cpu_ms"], rows[0]["one_cpu_ms"] / 4)

    def test_on_ranks_nothing_else_is_measured(self):
        done = self.run_bench(self.mpirun, "-np", 2, *self.words("--first"))
        self.assertNotEqual(done.status, 0)
        self.assertIn("on ranks neither --against nor --first measures anything", done.err)


class OnHosts(HostsTest):
    hosts = Hosts(count=2, ranks=1)

    def test_hosts_have_the_values_of_one_process(self):
        done = self.launch_on_hosts([ProgramsBench.bench, "programs", "--goes", 1, "--json", "--only", TURNS_OF_A_LOOP])
        self.assertEqual(done.status, 0, done.out + done.err)
        rows = [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]
        self.assertEqual([row["same_values"] for row in rows], [1])
        # In each of its 20 sweeps a row of 8,000 bytes goes each way; the run is made three times.
        self.assertGreater(min(done.received), 3 * 20 * 8000)


if __name__ == "__main__":
    RanksTest.mpirun, RanksTest.tessera, ProgramsBench.bench = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1])
