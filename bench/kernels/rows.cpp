#include "bench/kernels/rows.hpp"

#include <cstdlib>

namespace tessera::bench {

namespace {

const std::string kFour = "x: 4";
const std::string kLine = "f32[4194304@x]";
const std::string kLarge = "f32[16777216@x]";
const std::string kRows = "f32[4096@x,4096]";

// A function of each of 4 Mi elements.
Row function(const std::string& name, const std::string& python) {
  return {"function", kFour, {{"a", kLine}}, name + "(a)", kLine, python};
}

Row of_two(const std::string& statement, const std::string& python, const std::string& result = kLine) {
  return {"elementwise", kFour, {{"a", kLine}, {"b", kLine}}, statement, result, python};
}

Row of_rows(const std::string& sort, const std::string& statement, const std::string& result,
            const std::string& python) {
  return {sort, kFour, {{"a", kRows}}, statement, result, python};
}

Row change(const std::string& mesh, const std::string& from, const std::string& to) {
  return {"change", mesh, {{"a", from}}, "a as " + to.substr(to.find('[')), to, "relayout(a)"};
}

std::vector<Row> elementwise_rows() {
  return {
      {"elementwise", kFour, {{"a", kLarge}, {"b", kLarge}}, "exp(a)*tanh(b)", kLarge, "np.exp(a)*np.tanh(b)"},
      {"elementwise", kFour, {{"a", kLarge}, {"b", kLarge}}, "relu(a*2.0 + b)", kLarge, "np.maximum(a*2 + b, 0)"},
      {"function", kFour, {{"a", kLarge}}, "gelu(a)", kLarge, "gelu(a)"},
      function("exp", "np.exp(a)"),
      function("exp2", "np.exp2(a)"),
      {"function", kFour, {{"a", kLine}}, "log(abs(a))", kLine, "np.log(np.abs(a))"},
      {"function", kFour, {{"a", kLine}}, "sqrt(abs(a))", kLine, "np.sqrt(np.abs(a))"},
      {"function", kFour, {{"a", kLine}}, "rsqrt(abs(a))", kLine, "1/np.sqrt(np.abs(a))"},
      function("tanh", "np.tanh(a)"),
      function("sigmoid", "1/(1 + np.exp(-a))"),
      function("relu", "np.maximum(a, 0)"),
      function("gelu", "gelu(a)"),
      function("erf", "erf(a)"),
      function("abs", "np.abs(a)"),
      function("neg", "-a"),
      function("sign", "np.sign(a)"),
      function("floor", "np.floor(a)"),
      function("sin", "np.sin(a)"),
      function("cos", "np.cos(a)"),
      of_two("a + b", "a + b"),
      of_two("a - b", "a - b"),
      of_two("a * b", "a * b"),
      of_two("a / b", "a / b"),
      of_two("a % b", "np.mod(a, b)"),
      of_two("abs(a) ** b", "np.abs(a) ** b"),
      of_two("max(a, b)", "np.maximum(a, b)"),
      of_two("min(a, b)", "np.minimum(a, b)"),
      of_two("a < b", "a < b", "bool[4194304@x]"),
      of_two("where(a > b, a, b)", "np.where(a > b, a, b)"),
      {"elementwise", kFour, {{"a", kLine}}, "clip(a, -0.5, 0.5)", kLine, "np.clip(a, -0.5, 0.5)"},
      {"elementwise", kFour, {{"a", kLine}}, "i32(a)", "i32[4194304@x]", "a.astype(np.int32)"},
      {"small", "", {{"a", "f32[1024]"}, {"b", "f32[1024]"}}, "a + b", "f32[1024]", "a + b"},
      {"small", kFour, {{"a", "f32[1024@x]"}, {"b", "f32[1024@x]"}}, "a + b", "f32[1024@x]", "a + b"},
  };
}

std::vector<Row> reduction_rows() {
  const std::string columns = "f32[4096,4096@x]";
  return {
      of_rows("reduction", "sum(a)", "f32[]", "np.sum(a)"),
      of_rows("reduction", "sum(a, dim=1)", "f32[4096@x]", "np.sum(a, axis=1)"),
      of_rows("reduction", "mean(a, dim=1)", "f32[4096@x]", "np.mean(a, axis=1)"),
      of_rows("reduction", "prod(a, dim=1)", "f32[4096@x]", "np.prod(a, axis=1)"),
      of_rows("reduction", "max(a, dim=1)", "f32[4096@x]", "np.max(a, axis=1)"),
      {"reduction", kFour, {{"a", columns}}, "max(a, dim=0)", "f32[4096@x]", "np.max(a, axis=0)"},
      {"reduction", kFour, {{"a", columns}}, "min(a, dim=0)", "f32[4096@x]", "np.min(a, axis=0)"},
      {"reduction", kFour, {{"a", columns}}, "sum(a, dim=0)", "f32[4096@x]", "np.sum(a, axis=0)"},
      of_rows("reduction", "argmax(a, dim=1)", "i64[4096@x]", "np.argmax(a, axis=1)"),
      of_rows("reduction", "argmin(a, dim=1)", "i64[4096@x]", "np.argmin(a, axis=1)"),
      {"reduction", kFour, {{"a", columns}}, "argmax(a, dim=0)", "i64[4096@x]", "np.argmax(a, axis=0)"},
      of_rows("reduction", "cumsum(a, 1)", kRows, "np.cumsum(a, axis=1)"),
      {"reduction", kFour, {{"a", columns}}, "cumsum(a, 0)", columns, "np.cumsum(a, axis=0)"},
      of_rows("fused", "softmax(a, 1)", kRows, "softmax(a)"),
      of_rows("fused", "(a - reshape(mean(a, dim=1), [4096, 1])) * reshape(rsqrt(mean(a*a, dim=1) + 1e-5), [4096, 1])",
              kRows, "(a - np.mean(a, axis=1)[:, None]) / np.sqrt(np.mean(a*a, axis=1)[:, None] + 1e-5)"),
      {"fused", kFour, {{"a", kRows}, {"b", kRows}}, "sum(a*b)", "f32[]", "np.sum(a*b)"},
      {"fused", kFour, {{"a", kRows}, {"b", kRows}}, "max(abs(a - b))", "f32[]", "np.max(np.abs(a - b))"},
      {"fused", kFour, {{"a", kRows}, {"b", kRows}}, "allclose(a, b)", "bool[]", "np.allclose(a, b)"},
  };
}

std::vector<Row> shape_rows() {
  return {
      {"move", "", {{"a", "f32[4096,4096]"}}, "transpose(a) + 0.0", "f32[4096,4096]", "a.T + np.float32(0)"},
      of_rows("move", "transpose(a) + 0.0", "f32[4096,4096@x]", "a.T + np.float32(0)"),
      {"move",
       kFour,
       {{"a", "f32[256@x,64,1024]"}},
       "transpose(a, [0, 2, 1]) + 0.0",
       "f32[256@x,1024,64]",
       "np.transpose(a, (0, 2, 1)) + np.float32(0)"},
      of_rows("move", "reshape(transpose(a), [16777216])", "f32[16777216@x]", "a.T.reshape(-1)"),
      {"move", kFour, {{"a", "f32[4096]"}}, "broadcast(a, [4096, 4096])", "f32[4096,4096]", ""},
      {"move",
       kFour,
       {{"a", kRows}, {"b", kRows}},
       "concat([a, b], 1)",
       "f32[4096@x,8192]",
       "np.concatenate([a, b], axis=1)"},
      {"move",
       kFour,
       {{"a", "f32[4096,4096@x]"}, {"b", "f32[4096,4096@x]"}},
       "concat([a, b], 0)",
       "f32[8192,4096@x]",
       "np.concatenate([a, b], axis=0)"},
      of_rows("move", "pad(a, [[0, 0], [1, 1]])", "f32[4096@x,4098]", "np.pad(a, ((0, 0), (1, 1)))"),
      {"move", "", {{"a", "f32[4096,4096]"}, {"v", "f32[64,4096]"}}, "update(a, 100, v)", "f32[4096,4096]", ""},
      {"move",
       kFour,
       {{"t", "f32[4096,64]"}, {"ids", "i32[65536@x]", 4096}},
       "take(t, ids)",
       "f32[65536@x,64]",
       "t[ids]"},
      {"move", kFour, {{"ids", "i32[65536@x]", 256}}, "one_hot(ids, 256)", "f32[65536@x,256]", ""},
  };
}

std::vector<Row> constructor_rows() {
  return {
      {"constructor", kFour, {}, "iota(f32[16777216@x])", kLarge, ""},
      {"constructor", kFour, {}, "zeros(f32[16777216@x])", kLarge, ""},
      {"constructor", kFour, {}, "ones(f32[16777216@x])", kLarge, ""},
      {"constructor", kFour, {}, "full(f32[16777216@x], 2.5)", kLarge, ""},
      {"constructor", kFour, {}, "random(f32[16777216@x], 1)", kLarge, ""},
      {"constructor", kFour, {}, "normal(f32[16777216@x], 1)", kLarge, ""},
  };
}

std::vector<Row> change_rows() {
  return {
      change(kFour, "f32[4096@x,4096]", "f32[4096,4096@x]"),
      change(kFour, "f32[2097152@x,8]", "f32[2097152,8@x]"),
      change(kFour, "f32[1398100@x,12]", "f32[1398100,12@x]"),
      change(kFour, "f32[838860@x,20]", "f32[838860,20@x]"),
      change(kFour, "f32[65536@x,256]", "f32[65536,256@x]"),
      change("x: 3, y: 4", "f32[60@x,60,60,60]", "f32[60,60,60,60@(y,x)]"),
      {"change", kFour, {{"a", kRows}}, "a as [4096, 4096]", "f32[4096,4096]", "relayout(a)"},
      {"change", kFour, {{"a", "f32[4096,4096]"}}, "a as [4096@x, 4096]", kRows, "relayout(a)"},
  };
}

std::vector<Row> product_rows() {
  const std::string square = "f32[2048,2048]";
  const std::string heads = "f32[8@x,1024,64]";
  return {
      {"product", "", {{"a", square}, {"b", square}}, "a @ b", square, "a @ b", Bound::product},
      {"product",
       kFour,
       {{"a", "f32[2048@x,2048]"}, {"b", square}},
       "a @ b",
       "f32[2048@x,2048]",
       "a @ b",
       Bound::product},
      {"product",
       kFour,
       {{"a", "f64[1536@x,1536]"}, {"b", "f64[1536,1536]"}},
       "a @ b",
       "f64[1536@x,1536]",
       "a @ b",
       Bound::product},
      {"product",
       kFour,
       {{"a", "f32[1024@x,4096]"}, {"b", "f32[1024@x,4096]"}},
       "einsum(\"ij,ij->i\", a, b)",
       "f32[1024@x]",
       "np.einsum('ij,ij->i', a, b)"},
      {"product",
       kFour,
       {{"q", heads}, {"k", heads}, {"v", heads}},
       "einsum(\"hij,hjd->hid\", softmax(einsum(\"hid,hjd->hij\", q, k) * 0.125, 2), v)",
       heads,
       "np.matmul(softmax(np.matmul(q, np.swapaxes(k, 1, 2)) * np.float32(0.125)), v)"},
  };
}

std::vector<Row> all_rows() {
  std::vector<Row> all;
  for (auto family : {elementwise_rows, reduction_rows, shape_rows, constructor_rows, change_rows, product_rows}) {
    const auto some = family();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

const std::vector<Row>& kernel_rows() {
  static const std::vector<Row> rows = all_rows();
  return rows;
}

std::int64_t RowType::bytes() const {
  std::int64_t bytes = element == "bool" ? 1 : element.ends_with("64") ? 8 : 4;
  for (const std::int64_t extent : shape) bytes *= extent;
  return bytes;
}

RowType row_type(const std::string& text, const std::string& mesh) {
  RowType type{text.substr(0, text.find('[')), {}, 1};
  for (std::size_t at = mesh.find(": "); at != std::string::npos; at = mesh.find(": ", at + 1)) {
    const std::size_t axis = at - 1;  // of one letter
    if (text.find(mesh[axis], text.find('[')) == std::string::npos)
      type.copies *= std::strtoll(mesh.c_str() + at + 1, nullptr, 10);
  }
  for (std::size_t at = type.element.size() + 1; at < text.size() && text[at] != ']';) {
    type.shape.push_back(std::strtoll(text.c_str() + at, nullptr, 10));
    // The axes of a dimension may hold commas of their own.
    int depth = 0;
    while (text[at] != ']' && (text[at] != ',' || depth > 0))
      depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0, ++at;
    if (text[at] == ',') ++at;
  }
  return type;
}

}  // namespace tessera::bench
