"""Plans: their figures agree with each other, with the JSON, and with what the command prints."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import tessera

COMMAND = Path(os.environ["TESSERA_BUILD"]) / "tessera"
CHANGES = [("x:4", "f32[8@x,8]", "f32[8,8@x]"), ("x:4,y:2", "f32[16@y, 16, 16@x]", "f32[16, 16@(x,y), 16]"),
           ("x:3", "i64[7@x]", "i64[7]"), ("x:4", "f32[8]{+x}", "f32[8@x]"), ("x:2", "f32[4]", "f32[4]")]


@pytest.mark.parametrize("mesh, begin, end", CHANGES)
def test_str_is_the_command_s_table_and_json_its_json(mesh, begin, end):
    plan = tessera.plan(mesh, begin, end)
    arguments = [COMMAND, "plan", "--mesh", mesh, "--from", begin, "--to", end]
    table = subprocess.run(arguments, capture_output=True, text=True).stdout
    assert table.startswith(str(plan) + "\n")
    assert subprocess.run([*arguments, "--json"], capture_output=True, text=True).stdout == plan.json() + "\n"
    figures = json.loads(plan.json())
    assert plan.received_bytes == figures["received_bytes_total"] == sum(step.received_bytes_total for step in plan.steps)
    assert plan.received_bytes >= plan.lower_bound_bytes and plan.seconds >= plan.lower_bound_seconds
    assert plan.verified and plan.planner == "tessera" and plan.peak_bytes == figures["peak_bytes"]
    for row, step in zip(plan.to_dicts(), plan.steps, strict=True):
        assert (row["op"], row["type"], row["peak_bytes"]) == (step.op, step.type.replace(" ", ""), step.peak_bytes)


@pytest.mark.parametrize("mesh, begin, end", CHANGES)
def test_moves_lead_from_moment_to_moment(mesh, begin, end):
    plan = tessera.plan(mesh, begin, end)
    for index, step in enumerate(plan.steps):
        before, after = plan.moment(index), plan.moment(index + 1)
        assert sum(held.received_bytes for held in after.devices) == step.received_bytes_total
        for move in plan.moves(index):
            if not move.combines and move.hop == 0:
                held = before.devices[move.source].box
                assert all(h.start <= b.start and b.stop <= h.stop for h, b in zip(held, move.box))
    with pytest.raises(tessera.CommandError):
        plan.moment(len(plan.steps) + 1)
    again = tessera.verify(plan.json(sends=True))
    assert again.received_bytes == plan.received_bytes


def test_a_plan_that_was_tampered_with_is_wrong():
    figures = json.loads(tessera.plan(*CHANGES[0]).json())
    figures["received_bytes_total"] += 1
    with pytest.raises(ValueError, match="a wrong plan: "):
        tessera.verify(json.dumps(figures))


def test_options(tmp_path):
    machine = [{"name": "node", "count": 2, "bandwidth": 25e9, "latency": 5e-6}, {"name": "gpu", "count": 2, "bandwidth": 300e9, "latency": 1e-6}]
    (tmp_path / "machine.json").write_text(json.dumps(machine), encoding="utf-8")
    ways = [tessera.plan("x:4", "f32[8@x,8]", "f32[8,8@x]", machine=given).seconds
            for given in (machine, json.dumps(machine), tmp_path / "machine.json", str(tmp_path / "machine.json"))]
    assert len(set(ways)) == 1 and ways[0] != tessera.plan("x:4", "f32[8@x,8]", "f32[8,8@x]").seconds
    placed = tessera.plan("a:2,b:2", "f32[8@a]", "f32[8]", machine=machine, place=[[1, 2], [2, 1]])
    assert placed.seconds == tessera.plan("a:2,b:2", "f32[8@a]", "f32[8]", machine=machine, place="[[1,2],[2,1]]").seconds
    assert tessera.plan("x:4", "f32[8@x,8]", "f32[8,8@x]", within="1KiB").peak_bytes <= 1024
    with pytest.raises(tessera.TesseraError):
        tessera.plan("x:4", "f32[8@x,8]", "f32[8,8@x]", within=8)
    moved = tessera.plan("x:2", "f32[8@x]", "f32[8@x]", to_mesh="x:4 on 2:6")
    assert moved.received_bytes == 32
    by_name = tessera.plan({"x": 2}, "f32[8@x]", "f32[8]", to_mesh={"x": 2})
    assert by_name.received_bytes == tessera.plan("x:2", "f32[8@x]", "f32[8]", to_mesh="x:2").received_bytes
    with pytest.raises(TypeError, match="a mesh is a text such as 'x:4,y:2'"):
        tessera.plan(4, "f32[8@x]", "f32[8]")


def test_compare():
    plans = tessera.compare("x:4,y:2", "f32[16@y, 16, 16@x]", "f32[16, 16@(x,y), 16]")
    assert [plan.planner for plan in plans][:4] == ["tessera", "paper", "xla", "shardy"]
    assert plans[0].received_bytes == min(plan.received_bytes for plan in plans)
    across = tessera.compare("x:2", "f32[8@x]", "f32[8@x]", to_mesh="x:2 on 2:4")
    assert [plan.planner for plan in across][:1] == ["tessera"] and len(across) > 1
