#!/usr/bin/env python3
"""Lists for `tessera move`: the weights of a model from the mesh that trained them to the one that serves them.

    bench/moves/shapes.py gpt2-small > gpt2.moves        148 arrays, 124,439,808 parameters; d:4,t:2 to r:2,t:2 on 8:12
    bench/moves/shapes.py llama3-8b > llama.moves        291 arrays, 8,030,261,248 parameters; d:8,t:8 to r:4,t:8 on 64:96
    bench/moves/shapes.py machine gpt2-small             the machine file that goes with it

Shapes are those of the published models. At the source every array is cut over all axes of its mesh, at the target over
`t` as tensor-parallel inference cuts it, and there are copies over `r`.
"""
import json
import sys

# How the target cuts a matrix: by its rows, its columns, or not at all.
ROWS, COLUMNS, WHOLE = range(3)


def gpt2_small():
    width, layers, words, places = 768, 12, 50257, 1024
    yield "wte", (words, width), ROWS
    yield "wpe", (places, width), WHOLE
    for layer in range(layers):
        of = f"h.{layer}."
        yield of + "ln_1.weight", (width,), WHOLE
        yield of + "ln_1.bias", (width,), WHOLE
        yield of + "attn.c_attn.weight", (width, 3 * width), COLUMNS
        yield of + "attn.c_attn.bias", (3 * width,), ROWS
        yield of + "attn.c_proj.weight", (width, width), ROWS
        yield of + "attn.c_proj.bias", (width,), WHOLE
        yield of + "ln_2.weight", (width,), WHOLE
        yield of + "ln_2.bias", (width,), WHOLE
        yield of + "mlp.c_fc.weight", (width, 4 * width), COLUMNS
        yield of + "mlp.c_fc.bias", (4 * width,), ROWS
        yield of + "mlp.c_proj.weight", (4 * width, width), ROWS
        yield of + "mlp.c_proj.bias", (width,), WHOLE
    yield "ln_f.weight", (width,), WHOLE
    yield "ln_f.bias", (width,), WHOLE


def llama3_8b():
    width, layers, words, inner, keys = 4096, 32, 128256, 14336, 1024
    yield "embed_tokens", (words, width), ROWS
    for layer in range(layers):
        of = f"layers.{layer}."
        yield of + "self_attn.q_proj", (width, width), ROWS
        yield of + "self_attn.k_proj", (keys, width), ROWS
        yield of + "self_attn.v_proj", (keys, width), ROWS
        yield of + "self_attn.o_proj", (width, width), COLUMNS
        yield of + "mlp.gate_proj", (inner, width), ROWS
        yield of + "mlp.up_proj", (inner, width), ROWS
        yield of + "mlp.down_proj", (width, inner), COLUMNS
        yield of + "input_layernorm", (width,), WHOLE
        yield of + "post_attention_layernorm", (width,), WHOLE
    yield "norm", (width,), WHOLE
    yield "lm_head", (words, width), ROWS


# Arrays, source, target, and the machine: hosts and their devices.
MODELS = {
    "gpt2-small": (gpt2_small, "d:4,t:2", "r:2,t:2 on 8:12", [("host", 6, 125e6, 50e-6), ("device", 2, 10e9, 5e-6)]),
    "llama3-8b": (llama3_8b, "d:8,t:8", "r:4,t:8 on 64:96", [("host", 12, 12.5e9, 5e-6), ("device", 8, 300e9, 1e-6)]),
}


def type_of(shape, cuts):
    extents = [f"{extent}@{cut}" if cut else str(extent) for extent, cut in zip(shape, cuts)]
    return "f32[" + ", ".join(extents) + "]"


def source_cuts(shape, how):
    if len(shape) == 1:
        return ["(d,t)"]
    return ["t", "d"] if how == ROWS else ["d", "t"]


def target_cuts(shape, how):
    if how == WHOLE:
        return [None] * len(shape)
    return ["t"] + [None] * (len(shape) - 1) if how == ROWS else [None, "t"]


def lines(model):
    arrays, mesh, to_mesh, _ = MODELS[model]
    for name, shape, how in arrays():
        yield {"name": name, "mesh": mesh, "to_mesh": to_mesh, "from": type_of(shape, source_cuts(shape, how)),
               "to": type_of(shape, target_cuts(shape, how))}


def machine(model):
    keys = ("name", "count", "bandwidth", "latency")
    return [dict(zip(keys, level)) for level in MODELS[model][3]]


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "machine" and sys.argv[2] in MODELS:
        print(json.dumps(machine(sys.argv[2])))
    elif len(sys.argv) == 2 and sys.argv[1] in MODELS:
        for line in lines(sys.argv[1]):
            print(json.dumps(line))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
