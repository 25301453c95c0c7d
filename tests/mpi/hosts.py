"""Hosts on this machine: network namespaces, each with a name and shared memory of its own, joined by links of a given rate.

Root may make them; tests for anybody else are skipped. Everything is made in a namespace that ends with the launch."""

import os
import shlex
import subprocess
import time
from dataclasses import dataclass, field

from launches import Done, RanksTest

NETWORK = "10.77.0"


@dataclass(frozen=True)
class Hosts:
    """So many hosts with so many ranks each. A link takes so many bytes a second each way, and so many at once after a pause."""
    count: int = 2
    ranks: int = 2
    rate: float = 1e9 / 8
    burst: int = 1 << 20
    # Seconds by which the clock of the last host is ahead.
    ahead: int = 3600

    def names(self):
        return [f"host{number}" for number in range(self.count)]


@dataclass
class Counted(Done):
    """What came of a launch on hosts, and the bytes that each host received and sent over its link, headers included."""
    received: list = field(default_factory=list)
    sent: list = field(default_factory=list)


NAMESPACES = """
set -e
mount -t tmpfs tmpfs /run
mount -t sysfs sysfs /sys
printf '127.0.0.1 localhost\\n%s.1 %s\\n' {net} "$(hostname)" > hosts
for i in $(seq 0 {last}); do printf '%s.%s host%s\\n' {net} $((i + 2)) $i >> hosts; done
mount --bind hosts /etc/hosts
ip link set lo up
ip link add bridge0 type bridge
ip addr add {net}.1/24 dev bridge0
ip link set bridge0 up
for i in $(seq 0 {last}); do
  ip netns add host$i
  ip link add outer$i type veth peer name inner$i
  ip link set outer$i master bridge0 up
  ip link set inner$i netns host$i
  ip -n host$i addr add {net}.$((i + 2))/24 dev inner$i
  ip -n host$i link set inner$i up
  ip -n host$i link set lo up
  ip netns exec host$i sysctl -qw net.ipv4.tcp_congestion_control=reno
  tc qdisc add dev outer$i root tbf {shape}
  ip netns exec host$i tc qdisc add dev inner$i root tbf {shape}
done
count() {{ for i in $(seq 0 {last}); do cat /sys/class/net/outer$i/statistics/$1; done; }}
status=0
for step in "$@"; do
  bash -c "$step" || status=$?
  echo $(count tx_bytes) / $(count rx_bytes) >> traffic
done
exit $status
"""

# The program that mpirun starts instead of ssh: HOST COMMAND... in the host's namespaces.
AGENT = """#!/bin/bash
while [[ $1 == -* ]]; do shift; done
host=$1
shift
ahead=0
[[ $host == {last} ]] && ahead={ahead}
exec ip netns exec "$host" unshare -u -i -T --fork --monotonic $ahead bash -c "hostname $host; $*"
"""


def may_make_namespaces():
    probe = "mount -t tmpfs tmpfs /run && ip netns add probe && unshare -T true"
    return os.geteuid() == 0 and subprocess.run(["unshare", "-n", "-m", "bash", "-c", probe], check=False,
                                                capture_output=True).returncode == 0


class HostsTest(RanksTest):
    hosts = Hosts()

    def setUp(self):
        super().setUp()
        if not may_make_namespaces():
            self.skipTest("only root may make network namespaces")

    def launcher(self, ranks, hosts):
        """The launcher's words for so many ranks, the first host's first. It starts the agent as it would ssh."""
        agent = self.script(AGENT.format(last=hosts.names()[-1], ahead=hosts.ahead), "agent")
        agent.chmod(0o755)
        if "mpich" in self.mpirun:
            places = ",".join(f"{name}:{hosts.ranks}" for name in hosts.names())
            return [self.mpirun, "-launcher", "ssh", "-launcher-exec", agent, "-hosts", places, "-np", ranks]
        places = self.script("".join(f"{name} slots={hosts.ranks}\n" for name in hosts.names()), "hostfile")
        settings = {"plm": "rsh", "plm_rsh_agent": agent, "btl": "self,vader,tcp", "btl_tcp_if_include": f"{NETWORK}.0/24",
                    "oob_tcp_if_include": f"{NETWORK}.0/24", "btl_vader_single_copy_mechanism": "none"}
        words = [self.mpirun, "--hostfile", places, "-np", ranks]
        for name, value in settings.items():
            words += ["--mca", name, value]
        return words

    def launch_on_hosts(self, *programs, ranks=None, hosts=None):
        """The programs (lists of words), one after the other on the same hosts; on all their ranks, unless `ranks` says less.
        The bytes are those of all programs; `traffic` has them after each."""
        hosts = hosts or self.hosts
        words = [shlex.join(str(word) for word in [*self.launcher(ranks or hosts.count * hosts.ranks, hosts), *program])
                 for program in programs]
        shape = f"rate {round(hosts.rate * 8)}bit burst {hosts.burst} latency 1000ms"
        script = NAMESPACES.format(net=NETWORK, last=hosts.count - 1, shape=shape)
        (self.folder / "traffic").unlink(missing_ok=True)
        begin = time.monotonic()
        done = self.finish(self.start(["unshare", "-n", "-m", "bash", "-c", script, "bash", *words]), begin)
        received, sent = self.traffic()[-1] if (self.folder / "traffic").exists() else ([], [])
        return Counted(done.status, done.out, done.err, done.seconds, received, sent)

    def traffic(self):
        """After each program of the last launch: the bytes received and sent by each host until then."""
        lines = (self.folder / "traffic").read_text().splitlines()
        return [tuple([int(word) for word in part.split()] for part in line.split("/")) for line in lines]

    def run_on_hosts(self, *arguments, **options):
        """`tessera ARGUMENTS` on the hosts; options as of `launch_on_hosts`."""
        return self.launch_on_hosts(self.command(*arguments), **options)
