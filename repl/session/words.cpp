#include "repl/session/words.hpp"

#include <algorithm>
#include <array>

namespace tessera::repl {

namespace {

constexpr std::string_view kInteger = "an element type: whole numbers; overflow wraps";
constexpr std::string_view kFloat = "an element type: IEEE floating point";
constexpr std::string_view kStoredInteger =
    "an element type of integers that stores what operations compute as i64; what does not fit wraps";
constexpr std::string_view kComplex =
    "an element type of complex numbers, a real and an imaginary part: `complex(re, im)`, `2.0j`";
constexpr std::string_view kStored =
    "an element type of 16 bits to store and move; operations that compute take it as f32";
constexpr std::string_view kIf = "one of two values, by a scalar of type bool; both are of one type";
constexpr std::string_view kLoop = "w is w0, then n times the value of the braces; `(a, b)` carries several";

constexpr std::string_view kWhile =
    "a loop takes a turn as long as this holds, a scalar of type bool; `max=n` behind it makes more than n turns an "
    "error";

constexpr std::array kWords = {
    WordHelp{"mesh", "mesh grid = [rows: 2, columns: 3]",
             "a grid of devices with named axes; the last one is the default"},
    WordHelp{"let", "let b = a * 2.0", "names a value; `let b: f32[16@y, 16] = a` also says where it lives"},
    WordHelp{"fn", "fn twice(v: f32[N, K] ?) -> f32[N, K] ? = v * 2.0",
             "a function; `?` takes any layout, N and K any extent"},
    WordHelp{"print", "print \"sum:\", sum(a)", "writes values, an array whole"},
    WordHelp{"show", "show a", "draws which device holds what"},
    WordHelp{"plan", "plan a as [16, 16@x]", "writes the steps that a value takes, without running them"},
    WordHelp{"save", "save(a, \"a.npy\")", "writes one .npy file; `load` reads it"},
    WordHelp{"save_shards", "save_shards(a, \"a\")", "writes the tile of every device to a .npy file of its own"},
    WordHelp{"assert", "assert sum(a) > 0.0", "ends the program if the value is false"},
    WordHelp{"as", "let b = a as [16@(x,y), 16]",
             "the same array in another layout: `@x` splits a dimension over axis x"},
    WordHelp{"on", "let b = a as f32[16@x, 16] on m", "the mesh of a type; without it the last one declared"},
    WordHelp{"local", "let b = local { a + 1.0 }", "a value for which no device may receive anything"},
    WordHelp{"grad", "let (l, g) = grad(f, wrt=w)(a, a)",
             "f's results, then the gradient of the first with respect to each name of `wrt`"},
    WordHelp{"each", "fn half(v: f32[..] ?) = v * 0.5; let r = each(half, {w: a, b: a})",
             "a function of the fields of records in turn: a record of what it gives"},
    WordHelp{"again", "let b = again { exp(a) * a }",
             "a value that a gradient computes again instead of keeping its parts"},
    WordHelp{"pipeline", "let p = pipeline w = a for i < 3 by \"auto\" { w * 2.0 }",
             "a loop whose turns overlap where they are on several meshes; `by` names the schedule"},
    WordHelp{
        "scan", "let (last, all) = scan w = a for i < 3 { (w * 2.0, w[0]) }",
        "a loop that also keeps what stands behind the carried values: of all turns, along a new dimension 0; along "
        "a dimension y = a*y + b is `recur(a, b, 0)`"},
    WordHelp{"const", "let s = loop v = a for const i < 3 { v[:8 / 2 ** i] * 2.0 }",
             "a loop that is unrolled when it is checked: `i` is a number in each turn, and shapes may change"},
    WordHelp{"with", "let b = a with [0] = 1.0, [1:-1, 1:-1] = a[1:-1, 1:-1] * 2.0",
             "a copy in which parts are replaced, from left to right; subscripts are those of `a[...]`"},
    WordHelp{"auto", "auto fn f(v: f32[16, 16] ?, w: f32[16, 16] auto) -> f32[16, 16] = v @ w",
             "a function whose layouts are chosen: those of parameters `T auto`, and all that its body does not write"},
    WordHelp{"over", "auto fn f(v: f32[16, 16] ?, w: f32[16, 16] auto) -> f32[16, 16] over (y) = v @ w",
             "the axes over which the layouts of an `auto fn` are chosen; without it all of its mesh"},
    WordHelp{
        "use", "use \"std/nn\"",
        "brings the functions and constants that a file declares, `use \"layers.tess\"`, or a text of the library; "
        "`with mesh` its meshes, too"},
    WordHelp{"within", "let b = a as [16, 16@x] within 64KiB",
             "how much memory a change of layout may take on a device"},
    WordHelp{"loop", "let p = loop w = a for i < 3 { w * 2.0 }", kLoop},
    WordHelp{"for", "let p = loop w = a for i < 3 { w * 2.0 }", kLoop},
    WordHelp{"while", "let p = loop w = 1.0 for i < 100 while w < 50.0 { w * 2.0 }", kWhile},
    WordHelp{"if", "let b = if c { a } else { a * 2.0 }", kIf},
    WordHelp{"else", "let b = if c { a } else { a * 2.0 }", kIf},
    WordHelp{"true", "let d = true", "a value of type bool"},
    WordHelp{"false", "let d = false", "a value of type bool"},
    WordHelp{"bool", "let b = zeros(bool[4@x])", "an element type: true and false"},
    WordHelp{"i32", "let b = iota(i32[16@x])", kInteger},
    WordHelp{"i64", "let b = i64(a)", kInteger},
    WordHelp{"f32", "let b = ones(f32[16@x])", kFloat},
    WordHelp{"f64", "let b = f64(a)", kFloat},
    WordHelp{"bf16", "let b = bf16(a)", kStored},
    WordHelp{"f16", "let b = f16(a)", kStored},
    WordHelp{"i8", "let b = i8(a)", kStoredInteger},
    WordHelp{"u8", "let b = u8(a)", kStoredInteger},
    WordHelp{"i16", "let b = i16(a)", kStoredInteger},
    WordHelp{"u16", "let b = u16(a)", kStoredInteger},
    WordHelp{"u32", "let b = u32(a)", kStoredInteger},
    WordHelp{"c64", "let b = c64(a)", kComplex},
    WordHelp{"c128", "let b = c128(a)", kComplex},
};

constexpr std::array kSigns = {
    WordHelp{"@", "let b = a @ ones(f32[16])", "the product of matrices, or of a matrix and a vector"},
    WordHelp{"**", "let b = a ** 2.0", "a power; it groups to the right, and `-a ** 2.0` is `-(a ** 2.0)`"},
    WordHelp{"/", "let b = a / 2.0", "a quotient; of integers the whole number below"},
    WordHelp{"%", "let b = a % 3.0", "the remainder, with the sign of the divisor"},
    WordHelp{"&&", "let d = c && sum(a) > 0.0", "of bool: are both true?"},
    WordHelp{"||", "let d = c || sum(a) > 0.0", "of bool: is one true?"},
    WordHelp{"!", "let d = !c", "of bool: is it false?"},
    WordHelp{"&", "let b = i64(a) & 7", "the bits that both integers have; of bool it is `&&`"},
    WordHelp{"|", "let b = i64(a) | 8", "the bits that one of two integers has; of bool it is `||`"},
    WordHelp{"^", "let b = i64(a) ^ 1",
             "the bits that just one of two integers has; of bool it is `!=`, and a power is `**`"},
    WordHelp{"~", "let b = ~i64(a)", "all bits of an integer turned over: -1 less the integer; of bool it is `!`"},
    WordHelp{"<<", "let b = i64(a) << 3", "an integer's bits, so many places up; what leaves is lost"},
    WordHelp{">>", "let b = i64(a) >> 3", "an integer's bits, so many places down, with copies of its sign"},
};

}  // namespace

std::span<const WordHelp> words() { return kWords; }
std::span<const WordHelp> signs() { return kSigns; }

const WordHelp* find_word(std::string_view word) {
  for (const std::span<const WordHelp> all : {words(), signs()}) {
    const auto found = std::ranges::find(all, word, &WordHelp::word);
    if (found != all.end()) return &*found;
  }
  return nullptr;
}

}  // namespace tessera::repl
