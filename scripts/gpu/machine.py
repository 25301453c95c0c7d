"""What the machine has: its GPUs as Tessera and the driver see them, and the versions of what stands beside."""

import json
import shutil

from commands import run


def add(report, tools, clock):
    listed = run([tools.tessera, "gpu"], clock.left(30))
    report.keep("tessera-gpu.txt", listed.out + listed.err)
    report.line("machine", "tessera gpu", "ok" if listed.status == 0 else "FAIL", listed.first_words())
    told = run([tools.tessera, "gpu", "--json"], clock.left(30))
    try:
        report.figure("gpu", json.loads(told.out))
    except ValueError:
        report.line("machine", "tessera gpu --json", "FAIL", told.first_words())
    if shutil.which("nvidia-smi"):
        query = "name,driver_version,memory.total,clocks.max.sm,clocks.max.mem,power.limit,persistence_mode"
        smi = run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], clock.left(20))
        report.line("machine", "nvidia-smi", "ok" if smi.status == 0 else "FAIL", smi.first_words())
        report.figure("nvidia-smi", smi.out.strip())
    else:
        report.line("machine", "nvidia-smi", "skipped", "there is none: no card")
    report.figure("build", run([tools.tessera, "--version"], clock.left(10)).out.strip())
