"""Arrows of a trace, from senders to receivers."""

import re


def check_arrows(test, events):
    """Each arrow has two ends, each inside a slice of its track, both of one step. Gives the names of the steps."""
    tracks = {}
    for event in events:
        if event["ph"] == "X" and event["cat"] == "step":
            tracks.setdefault((event["pid"], event["tid"]), []).append(event)
    ends = {"s": {}, "f": {}}
    for event in events:
        if event["ph"] in ends:
            test.assertNotIn(event["id"], ends[event["ph"]])
            ends[event["ph"]][event["id"]] = event
    test.assertEqual(ends["s"].keys(), ends["f"].keys())
    test.assertGreater(len(ends["s"]), 0)
    names = set()
    for identity, begin in ends["s"].items():
        end = ends["f"][identity]
        sender, receiver = re.match(r"(\d+)>(\d+) ", identity).groups()
        around = []
        for event, device in (begin, sender), (end, receiver):
            test.assertEqual(event["tid"] % 100_000, int(device))
            around.append([one for one in tracks[event["pid"], event["tid"]]
                           if one["ts"] <= event["ts"] <= round(one["ts"] + one["dur"], 3)])
            test.assertGreater(len(around[-1]), 0, event)
        of_sender = {(one["name"], one["args"].get("source")) for one in around[0]}
        of_receiver = {(one["name"], one["args"].get("source")) for one in around[1]}
        test.assertTrue(of_sender & of_receiver, (begin, end))
        names |= {name for name, source in of_sender & of_receiver if identity.split(" ")[1] == source}
        test.assertEqual(begin["args"], end["args"])
        test.assertGreater(begin["args"]["bytes"], 0)
    return names
