#include "frontend/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "base/utf8.hpp"
#include "frontend/ast.hpp"
#include "frontend/foreign_layouts.hpp"
#include "frontend/text.hpp"

namespace tessera::frontend {

namespace {

constexpr std::string_view kLoop = "a loop carries a value: `loop w = w0 for i < n { ... }`";
constexpr std::string_view kEnd = "a loop ends by its condition: `loop w = w0 for i < n while c { ... }`";
constexpr std::string_view kLet = "a value is named with `let a = ...`";
constexpr std::string_view kFn = "a function is written `fn f(a: f32[8]) = ...`";

constexpr std::array<ForeignWord, 23> kForeign = {
    {{"elif", "write `else if`"},
     {"elseif", "write `else if`"},
     {"then", "write `if c { a } else { b }`"},
     {"break", kEnd},
     {"continue", "write `if c { w } else { ... }` in the body of the loop"},
     {"return", "a block is worth its last expression"},
     {"def", kFn},
     {"func", kFn},
     {"function", kFn},
     {"lambda", kFn},
     {"var", kLet},
     {"const", kLet},
     {"mut", "values do not change; a name may be bound again with `let`"},
     {"class", "a record holds several arrays by name: `{w: a, b: c}`, of the type `{w: f32[8], b: f32}`"},
     {"struct", "a record holds several arrays by name: `{w: a, b: c}`, of the type `{w: f32[8], b: f32}`"},
     {"import",
      "write `use \"layers.tess\"` for what another file declares; the functions of the language are at hand"},
     {"and", "write `&&`"},
     {"or", "write `||`"},
     {"not", "write `!`"},
     {"in", "a loop counts: `for i < n`"},
     {"is", "write `==`"},
     {"True", "write `true`"},
     {"False", "write `false`"}}};

constexpr std::array<ForeignWord, 18> kCharacters = {
    {{"'", "strings stand between double quotes"},
     {"`", "strings stand between double quotes"},
     {"\xE2\x80\x9C", "strings stand between straight double quotes"},
     {"\xE2\x80\x9D", "strings stand between straight double quotes"},
     {"\\", "a line goes on by itself after an operator and inside ( ) and [ ]"},
     {".", "a number has a digit beside its point"},
     {"\u2018", "strings stand between straight double quotes"},
     {"\u2019", "strings stand between straight double quotes"},
     {"\u00D7", "write `a * b`"},
     {"\u00B7", "write `a * b`, or `a @ b` for a product of matrices"},
     {"\u00F7", "write `a / b`"},
     {"\u2212", "write `-`, the minus of the keyboard"},
     {"\u2013", "write `-`, the minus of the keyboard"},
     {"\u2264", "write `a <= b`"},
     {"\u2265", "write `a >= b`"},
     {"\u2260", "write `a != b`"},
     {"\u2192", "write `->`"},
     {"\xC2\xA0", "this is a no-break space; type a blank"}}};

constexpr std::array<ForeignWord, 23> kElementWords = {
    {{"float32", "f32"},     {"float64", "f64"},   {"float", "f32"},    {"double", "f64"}, {"int", "i64"},
     {"int32", "i32"},       {"int64", "i64"},     {"int8", "i8"},      {"uint8", "u8"},   {"byte", "u8"},
     {"int16", "i16"},       {"uint16", "u16"},    {"uint32", "u32"},   {"uint64", "i64"}, {"half", "f16"},
     {"float16", "f16"},     {"bfloat16", "bf16"}, {"boolean", "bool"}, {"i1", "bool"},    {"complex64", "c64"},
     {"complex128", "c128"}, {"cfloat", "c64"},    {"cdouble", "c128"}}};

const ForeignWord* find(std::span<const ForeignWord> words, std::string_view word) {
  const auto found = std::find_if(words.begin(), words.end(), [&](const ForeignWord& w) { return w.word == word; });
  return found == words.end() ? nullptr : &*found;
}

bool is_combining_mark(std::uint32_t code_point) { return code_point >= 0x300U && code_point <= 0x36FU; }

// Words of other sessions: names there, or functions.
constexpr ForeignWord kOfSessions[] = {{"quit", "`:quit` leaves a session"},
                                       {"exit", "`:quit` leaves a session"},
                                       {"help", "`:help` lists the commands of a session"},
                                       {"dir", "`:mem` lists the names of a session"},
                                       {"who", "`:mem` lists the names of a session"},
                                       {"whos", "`:mem` lists the names of a session"},
                                       {"globals", "`:mem` lists the names of a session"},
                                       {"locals", "`:mem` lists the names of a session"},
                                       {"history", "`:history` lists the inputs of a session"},
                                       {"reset", "`:reset` forgets the names of a session"},
                                       {"undo", "`:undo` takes the last input of a session back"},
                                       {"timeit", "`:time EXPRESSION` measures in a session"}};

// Operations that take other arguments there than here.
constexpr ForeignWord kOtherArguments[] = {{"pad", "write `pad(a, [[1, 1], [0, 2]])`"},
                                           {"zeros", "write `zeros(f32[3, 4])`: the type says the shape"},
                                           {"ones", "write `ones(f32[3, 4])`: the type says the shape"},
                                           {"full", "write `full(f32[3, 4], 1.0)`: the type says the shape"},
                                           {"eye", "write `eye(f32[4, 4])`: the type says the shape"},
                                           {"linspace", "write `linspace(f32[11], 0.0, 1.0)`: the type says how many"},
                                           {"dot", "write `a @ b`"},
                                           {"normal", "write `normal(f32[3, 4], 0)`: of a type and a seed"},
                                           {"random", "write `random(f32[3, 4], 0)`: of a type and a seed"},
                                           {"reshape", "write `reshape(a, [3, 4])`"},
                                           {"transpose", "write `transpose(a)`, or `transpose(a, dims=[1, 0])`"},
                                           {"einsum", "write `einsum(\"ij->i\", a)`, between double quotes"},
                                           {"save", "write `save(a, \"a.npy\")`: the array comes first"},
                                           {"load", "write `load(\"a.npy\", f32[3, 4])`: a file and a type"},
                                           {"all_gather", "write `all_gather(a, 0, x)`: a dimension, a mesh axis"},
                                           {"max", "write `max(a)`, or `max(a, dim=0)`"},
                                           {"min", "write `min(a)`, or `min(a, dim=0)`"},
                                           {"sum", "write `sum(a)`, or `sum(a, dim=0)`"},
                                           {"mean", "write `mean(a)`, or `mean(a, dim=0)`"},
                                           {"var", "write `var(a)`, or `var(a, dim=0)`"},
                                           {"std", "write `std(a)`, or `std(a, dim=0)`"},
                                           {"norm", "write `norm(a)`, or `norm(a, dim=0)`"},
                                           {"prod", "write `prod(a)`, or `prod(a, dim=0)`"},
                                           {"all", "write `all(a)`, or `all(a, dim=0)`"},
                                           {"any", "write `any(a)`, or `any(a, dim=0)`"},
                                           {"argmax", "write `argmax(a, dim=0)`"},
                                           {"argmin", "write `argmin(a, dim=0)`"},
                                           {"softmax", "write `softmax(a, dim=0)`"},
                                           {"log_softmax", "write `log_softmax(a, dim=0)`"},
                                           {"logsumexp", "write `logsumexp(a)`, or `logsumexp(a, dim=0)`"},
                                           {"cumsum", "write `cumsum(a, dim=0)`"},
                                           {"cumprod", "write `cumprod(a, dim=0)`"},
                                           {"cummax", "write `cummax(a, dim=0)`"},
                                           {"cummin", "write `cummin(a, dim=0)`"},
                                           {"concat", "write `concat([a, b], 0)`"}};

constexpr std::array<std::string_view, 12> kLibraries = {"np", "jnp", "numpy", "jax",  "lax", "torch",
                                                         "nn", "tf",  "math",  "dist", "MPI", "comm"};

constexpr std::array<ForeignWord, 4> kAttributes = {
    {{"T", "write `transpose(a)`"},
     {"at", "write `a with [i] = v`: a copy in which that part is v"},
     {"size", "`size(a, 0)` is an extent; `:type a` in a session says them all"},
     {"shape", "`size(a, 0)` is an extent; `:type a` in a session says them all"}}};

constexpr std::array<ForeignWord, 6> kConstants = {
    {{"inf", "write `1.0 / 0.0`"},
     {"nan", "write `0.0 / 0.0`"},
     {"pi", "write `3.141592653589793`"},
     {"newaxis", "write `a[:, new]`"},
     {"None", "write `a[:, new]` for a new dimension"},
     {"new", "`new` adds a dimension where an array is read, as in `a[:, new]`"}}};

// The element type that `b.astype(...)` asks for, in whatever way another library writes it.
std::string_view element_asked_for(std::string_view argument) {
  if (argument.size() > 1 && argument.front() == '"') argument = argument.substr(1, argument.size() - 2);
  if (const auto* known = find(kElementWords, argument)) return known->help;
  return element_keyword(argument) ? argument : "f32";
}

}  // namespace

const ForeignWord* find_foreign(std::string_view word) { return find(kForeign, word); }

std::optional<std::string_view> help_for_character(std::string_view character) {
  if (const auto* known = find(kCharacters, character)) return known->help;
  if (base::valid_sequence_length(character) != character.size() || !is_combining_mark(decode(character))) {
    return std::nullopt;
  }
  return "this mark is a character of its own; type the letter and its mark as one";
}

std::optional<std::string_view> help_for_function(std::string_view name) {
  if (const auto help = help_for_operation(name)) return help;
  for (const std::span<const ForeignWord> words : {std::span<const ForeignWord>(kForeign), {kOfSessions}}) {
    if (const ForeignWord* known = find(words, name)) return known->help;
  }
  return help_for_layout_word(name);
}

std::optional<std::string_view> help_for_constant(std::string_view name) {
  const ForeignWord* known = find(kConstants, name);
  if (known == nullptr) known = find(kOfSessions, name);
  return known == nullptr ? std::nullopt : std::optional(known->help);
}

bool is_library(std::string_view name) {
  return std::find(kLibraries.begin(), kLibraries.end(), name) != kLibraries.end();
}

namespace {

// `np.exp`: the name alone; of a name that no operation has, the nearest.
std::string help_for_prefix(const Member& member, FunctionNames functions) {
  const std::vector<std::string> names = functions == nullptr ? std::vector<std::string>() : functions();
  const bool is_known = names.empty() || std::find(names.begin(), names.end(), member.name) != names.end();
  if (is_known) return fmt::format("leave out `{}.`: functions have no prefix", member.of);
  if (const auto near = base::nearest(member.name, names))
    return fmt::format("there is no operation `{}`; did you mean `{}`, without a prefix?", member.name, *near);
  return fmt::format("there is no operation `{}`, and functions have no prefix; docs/language.md lists the operations",
                     member.name);
}

// Help about `a`, with the name that was written in its place: `x @ b` for `a @ b`.
std::string about(std::string_view help, const std::string& name) {
  std::string text;
  bool in_code = false;
  for (std::size_t at = 0; at < help.size(); ++at) {
    if (help[at] == '`') in_code = !in_code;
    const bool is_word = help[at] == 'a' && (at == 0 || !base::is_in_word(help[at - 1])) &&
                         (at + 1 == help.size() || !base::is_in_word(help[at + 1]));
    if (in_code && is_word) {
      text += name;
    } else {
      text += help[at];
    }
  }
  return text;
}

}  // namespace

std::optional<std::string> help_for_call(std::string_view name, std::string_view argument) {
  const auto help = help_for_function(name);
  if (!help) return std::nullopt;
  const bool is_other = help->find(fmt::format(" {}", argument)) != std::string_view::npos;  // `concat([a, b], 0)` of b
  return is_name(argument) && !is_other ? about(*help, std::string(argument)) : std::string(*help);
}

namespace {

// `x.at[1:3].set(v)`, whose part is what stands in brackets behind `at`.
std::optional<std::string> help_for_part(const Member& member) {
  if (member.part.empty()) return std::nullopt;
  const std::string part = member.of + member.part;
  if (member.name == "get") return fmt::format("write `{}`", part);
  const auto with = [&](const std::string& v) {
    return fmt::format("write `{} with {} = {}`: a copy in which that part is {}", member.of, member.part, v, v);
  };
  if (member.name == "set") return with("v");
  for (const auto& [name, sign] :
       {std::pair("add", "+"), {"subtract", "-"}, {"multiply", "*"}, {"mul", "*"}, {"divide", "/"}, {"power", "**"}}) {
    if (member.name == name) return with(fmt::format("{} {} v", part, sign));
  }
  if (member.name == "max" || member.name == "min") return with(fmt::format("{}({}, v)", member.name, part));
  return std::nullopt;
}

}  // namespace

std::string help_for_member(const Member& member, FunctionNames functions) {
  if (const auto help = help_for_part(member)) return *help;
  const bool of_library = is_library(member.of.substr(0, member.of.find('.')));
  if (of_library && member.name == "cond" && !member.of.ends_with("linalg")) return "write `if c { a } else { b }`";
  if (member.name == "astype" && !of_library) {
    return fmt::format("write `{}({})`: the element type is called as a function", element_asked_for(member.argument),
                       member.of);
  }
  if (const auto* known = find(kElementWords, member.name);
      known != nullptr && of_library && element_keyword(known->help))
    return "the element type is `" + std::string(known->help) + "`";
  if (const auto* known = find(kElementWords, member.name); known != nullptr && !of_library)
    return fmt::format("write `{}({})`: the element type is called as a function", known->help, member.of);
  const auto of_value = [&](std::string_view help) { return of_library ? std::string(help) : about(help, member.of); };
  if (member.name == "as" && !of_library) return about(kAs, member.of);
  if (member.name == "reshape" && !of_library && !member.arguments.empty())
    return fmt::format("write `reshape({}, [{}])`", member.of, member.arguments);
  if (const auto* known = of_library ? nullptr : find(kAttributes, member.name)) return of_value(known->help);
  if (const auto* known = of_library ? find(kConstants, member.name) : nullptr) return std::string(known->help);
  if (const auto help = help_for_function(member.name)) return of_value(*help);
  const bool is_written_alike = of_library && member.name == "einsum" && member.argument.starts_with('"');
  if (const auto* known = find(kOtherArguments, member.name); known != nullptr && !is_written_alike)
    return of_value(known->help);
  if (of_library) return help_for_prefix(member, functions);
  return fmt::format("arrays have no attributes or methods: a function is called as `{}({})`", member.name, member.of);
}

namespace {

std::string in_small_letters(std::string_view word) {
  std::string small;
  for (const char c : word) small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

}  // namespace

std::optional<std::string_view> element_meant_by(std::string_view word) {
  if (const auto* known = find(kElementWords, word)) return known->help;
  if (const auto element = element_keyword(in_small_letters(word))) return spelling(*element);
  std::vector<std::string> candidates;
  // The others are too short to be near anything: f8 would be i8.
  for (const auto element : {ElementKeyword::bool_, ElementKeyword::i32, ElementKeyword::i64, ElementKeyword::f32,
                             ElementKeyword::f64, ElementKeyword::f16, ElementKeyword::bf16}) {
    candidates.emplace_back(spelling(element));
  }
  const auto near = base::nearest(word, candidates);
  const auto meant = near ? element_keyword(*near) : std::nullopt;
  if (!meant) return std::nullopt;
  return spelling(*meant);
}

}  // namespace tessera::frontend
