#include "bench/programs/program_rows.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace tessera::bench {

namespace {

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  if (at == std::string::npos) throw std::runtime_error("a program lacks `" + old + "`");
  return text.replace(at, old.size(), by);
}

}  // namespace

const std::vector<ProgramRow>& program_rows() {
  static const std::vector<ProgramRow> rows = {
      {"adi", {{"n", "500"}}, "let made = adi(u0, 5)", {"u0"}, "turns=5"},
      {"atax", {{"rows", "4000"}, {"columns", "4000"}}, "let made = atax(a, x)", {"a", "x"}},
      {"attention", {{"heads", "8"}, {"length", "512"}}, "let made = attention(q, k, v)", {"q", "k", "v"}},
      {"bicg", {{"rows", "4000"}, {"columns", "4000"}}, "let (s, q) = bicg(a, p, r)", {"a", "p", "r"}},
      {"cholesky", {{"n", "500"}}, "let made = lower(a)", {"a"}},
      {"conjugate_gradients", {{"N", "256"}}, "let made = solved(b, guess)", {"b"}},
      {"correlation", {{"n", "4000"}, {"columns", "400"}}, "let made = correlations(data)", {"data"}},
      {"covariance", {{"n", "4000"}, {"columns", "400"}}, "let made = covariances(data)", {"data"}},
      {"deriche", {{"height", "1000"}, {"width", "1200"}}, "let made = deriche(picture, 0.25)", {"picture"}},
      {"doitgen", {{"r", "120"}, {"q", "120"}, {"p", "120"}}, "let made = doitgen(a, c)", {"a", "c"}},
      {"fdtd_2d", {{"n", "1000"}}, "let (e, f, h) = fields(ex0, ey0, hz0, drive)", {"ex0", "ey0", "hz0", "drive"}},
      {"floyd_warshall", {{"n", "400"}}, "let made = shortest(ways)", {"ways"}},
      {"gemver",
       {{"n", "3000"}},
       "let (p, q, w) = gemver(a, u1, v1, u2, v2, y, z)",
       {"a", "u1", "v1", "u2", "v2", "y", "z"}},
      {"gesummv", {{"n", "3000"}}, "let made = gesummv(a, b, x)", {"a", "b", "x"}},
      {"go_fast", {{"n", "3000"}}, "let made = go_fast(a)", {"a"}},
      {"gramschmidt", {{"rows", "500"}, {"columns", "400"}}, "let (q, r) = orthonormal(a)", {"a"}},
      {"hdiff", {{"n", "128"}, {"levels", "80"}}, "let made = hdiff(u, weight)", {"u", "weight"}},
      {"heat_3d", {{"n", "120"}}, "let made = heat(a0, 10)", {"a0"}, "turns=10"},
      {"jacobi_2d", {{"n", "1000"}}, "let (r, s) = jacobi(a0, b0, 10)", {"a0", "b0"}, "turns=10"},
      {"k_means", {{"n", "200000"}}, "let (c, t) = k_means(points, start)", {"points", "start"}},
      {"lu", {{"n", "500"}}, "let (p, q) = lu(a)", {"a"}},
      {"mandelbrot", {{"height", "600"}, {"width", "800"}}, "let made = counts(re, im, 20)", {"re", "im"}, "turns=20"},
      {"mlp",
       {{"n", "256"}, {"width", "1024"}},
       "let made = mlp(pictures, w1, b1, w2, b2, w3, b3)",
       {"pictures", "w1", "b1", "w2", "b2", "w3", "b3"}},
      {"moving_mean", {{"rows", "1000"}, {"columns", "4000"}}, "let (r, s) = smoothed(a)", {"a"}},
      {"mvt", {{"n", "4000"}}, "let (r, s) = mvt(a, x1, x2, y1, y2)", {"a", "x1", "x2", "y1", "y2"}},
      {"nbody", {{"n", "600"}}, "let (r, s) = moved(p0, v0, mass, 5)", {"p0", "v0", "mass"}, "turns=5"},
      {"softmax", {{"batch", "16"}, {"length", "256"}}, "let made = shares(scores)", {"scores"}},
      {"syrk", {{"n", "1000"}, {"k", "800"}}, "let made = syrk(a, c)", {"a", "c"}},
  };
  return rows;
}

std::string definitions(const ProgramRow& row, int devices) {
  std::ifstream file(fmt::format("{}/{}.tess", TESSERA_BENCH_PROGRAMS, row.name));
  std::string text;
  const std::size_t open = row.statement.find('(', row.statement.find('='));
  const std::size_t name = row.statement.rfind(' ', open) + 1;
  const std::string call = "= " + row.statement.substr(name, open + 1 - name);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("let ") && line.find(call) != std::string::npos) break;
    for (const auto& [size, value] : row.sizes) {
      if (line.starts_with("let " + size + " = ")) line = "let " + size + " = " + value;
    }
    text += line + "\n";
  }
  // No file may be opened: the solver keeps no checkpoints.
  const std::string save = "    if turns % 50 == 49 { save(next, \"potential.npy\") }\n";
  if (row.name == "conjugate_gradients") text = replaced(std::move(text), save, "");
  return replaced(std::move(text), "mesh m = [x: 4]", fmt::format("mesh m = [x: {}]", devices));
}

}  // namespace tessera::bench
