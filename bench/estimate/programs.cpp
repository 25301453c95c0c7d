#include "bench/estimate/programs.hpp"

#include <fmt/format.h>

namespace tessera::bench {

namespace {

constexpr const char* kMesh = "mesh m = [h: 2, r: 2]\n";
constexpr const char* kRows = "let a = random(f32[2048@(h,r), 1024], 1)\n";
// So much that what a link lets pass at once, after a pause, is little of it.
constexpr const char* kMoved = "let a = random(f32[8192@(h,r), 1024], 1)\n";
constexpr const char* kLarge = "let b = random(f32[32768@(h,r), 1024], 2)\n";
constexpr const char* kWeights =
    "let w = random(f32[1024, 1024], 3) / 32.0\nlet v = random(f32[1024, 256], 4) / 32.0\n";

std::vector<EstimatedProgram> products() {
  return {
      {"product", "aw", "let c = a @ w"},
      {"product, narrow", "aw", "let c = a @ v"},
      {"product, transposed", "aw", "let c = a @ transpose(w)"},
      {"two layers", "aw", "let c = relu(a @ w) @ v"},
      {"product of a split dimension", "aw",
       "let p = a as [2048, 1024@(h,r)]\nlet c = (p @ (w as [1024@(h,r), 1024])) as [2048@(h,r), 1024]"},
      {"gradient of two layers", "aw",
       "fn loss(a: f32[N, 1024]?, w: f32[1024, 1024], v: f32[1024, 256]) = sum(relu(a @ w) @ v)\n"
       "let (l, gw, gv) = grad(loss, wrt=[w, v])(a, w, v)\n"
       "let c = gw as [1024, 1024]\nlet d = gv as [1024, 256]"},
      {"four steps of one layer", "aw", "let c = loop x = a for i < 4 { relu(x @ w) }"},
      {"attention", "aw",
       "let q = a @ v\nlet k = (a @ v) as [2048, 256]\nlet s = q @ transpose(k)\n"
       "let e = exp(s - reshape(max(s, dim=1), [2048, 1]))\nlet c = (e / reshape(sum(e, dim=1), [2048, 1])) @ k"},
  };
}

std::vector<EstimatedProgram> passes() {
  return {
      {"add", "b", "let c = b + b * 0.5"},
      {"one pass of four steps", "b", "let c = relu(b * 2.0 + 1.0) * b"},
      {"two results", "b", "let c = b * 2.0\nlet d = c + b"},
      {"exponential", "b", "let c = exp(b)"},
      {"sums of rows", "b", "let c = sum(b, dim=1)"},
      {"sum of all", "b", "let c = sum(b * b) as []"},
      {"sums of columns", "b", "let c = sum(b, dim=0) as [1024]"},
      {"softmax", "b",
       "let e = exp(b - reshape(max(b, dim=1), [32768, 1]))\nlet c = e / reshape(sum(e, dim=1), [32768, 1])"},
      {"layer norm", "b",
       "let u = b - reshape(sum(b, dim=1) / 1024.0, [32768, 1])\n"
       "let c = u / reshape(sqrt(sum(u * u, dim=1) / 1024.0 + 0.001), [32768, 1])"},
      {"ten turns", "b", "let c = loop x = b for i < 10 { x * 0.9 + 0.1 }"},
      {"half precision", "b", "let c = f32(f16(b)) + b"},
      {"running sums", "b", "let c = cumsum(b, dim=1)"},
      {"transposed", "b", "let c = transpose(b)"},
  };
}

std::vector<EstimatedProgram> moves() {
  return {
      {"rows to columns", "m", "let c = a as [8192, 1024@(h,r)]"},
      {"everywhere", "m", "let c = a as [8192, 1024]"},
      {"everywhere in a host", "m", "let c = a as [8192@h, 1024]"},
      {"the other order", "m", "let c = a as [8192@(r,h), 1024]"},
      {"a sum everywhere", "b", "let p = sum(reshape(b, [32, 1024, 1024]), dim=0)\nlet c = p as [1024, 1024]"},
      {"a sum, scattered", "b", "let p = sum(reshape(b, [32, 1024, 1024]), dim=0)\nlet c = p as [1024@(h,r), 1024]"},
      {"weights gathered", "aw", "let s = w as [1024@(h,r), 1024]\nlet c = a @ (s as [1024, 1024])"},
      {"a slice", "m", "let c = a[1024:7168]"},
      {"joined", "m", "let c = concat([a, a], 0)"},
  };
}

}  // namespace

std::vector<EstimatedProgram> programs_to_estimate() {
  std::vector<EstimatedProgram> all;
  for (const auto& some : {products(), passes(), moves()}) all.insert(all.end(), some.begin(), some.end());
  for (EstimatedProgram& one : all) {
    std::string given = kMesh;
    for (const char what : one.given)
      given += what == 'a' ? kRows : what == 'm' ? kMoved : what == 'b' ? kLarge : kWeights;
    one.given = given;
    one.text += "\n";
  }
  return all;
}

}  // namespace tessera::bench
