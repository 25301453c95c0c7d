#include "tests/differential/numpy_script.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace tessera::differential {

namespace {

// A value of another type than the program's is an error there, not a difference here.
constexpr std::string_view kDriver = R"py(

def write(folder, seed, program, types):
    try:
        values = program()
        with open(f"{folder}/{seed}.bin", "wb") as out:
            for name, dtype, shape in types:
                value = np.asarray(values[name])
                if value.dtype != dtype or value.shape != shape:
                    raise TypeError(f"{name} is {value.dtype}{value.shape}, not {np.dtype(dtype)}{shape}")
                out.write(np.ascontiguousarray(value).tobytes())
    except Exception as error:
        with open(f"{folder}/{seed}.error", "w") as out:
            out.write(f"{type(error).__name__}: {error}")

)py";

std::string types_text(const generator::Program& program) {
  std::string text = "[";
  for (const generator::Statement& statement : program.statements) {
    for (std::size_t k = 0; k < statement.names.size(); ++k) {
      const generator::Facts& facts = statement.facts[k];
      text += fmt::format("(\"{}\", {}, tuple({})), ", statement.names[k], generator::numpy_name(facts.element),
                          generator::list_text(facts.shape));
    }
  }
  return text + "]";
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::size_t element_bytes(Element element) {
  switch (element) {
    case Element::boolean:
    case Element::i8:
    case Element::u8: return 1;
    case Element::i16:
    case Element::u16:
    case Element::f16:
    case Element::bf16: return 2;
    case Element::i32:
    case Element::u32:
    case Element::f32: return 4;
    case Element::i64:
    case Element::f64:
    case Element::c64: return 8;
    case Element::c128: return 16;
  }
  return 0;
}

}  // namespace

std::string numpy_script(const std::vector<generator::Program>& programs, const std::string& folder) {
  std::string script(generator::numpy_prelude());
  script += kDriver;
  for (const generator::Program& program : programs) {
    script += fmt::format("\ndef program_{}():\n{}    return locals()\n\n", program.seed, numpy_text(program));
    script += fmt::format("\nwrite(\"{0}\", {1}, program_{1}, {2})\n", folder, program.seed, types_text(program));
  }
  return script;
}

Outcome numpy_outcome(const generator::Program& program, const std::string& folder) {
  Outcome outcome;
  outcome.failure = read_file(fmt::format("{}/{}.error", folder, program.seed));
  if (!outcome.failure.empty()) return outcome;
  const std::string bytes = read_file(fmt::format("{}/{}.bin", folder, program.seed));
  std::size_t at = 0;
  for (const generator::Statement& statement : program.statements) {
    for (std::size_t k = 0; k < statement.names.size(); ++k) {
      const generator::Facts& facts = statement.facts[k];
      Value value{facts.element, facts.shape, {}};
      const std::size_t size = static_cast<std::size_t>(generator::count(facts.shape)) * element_bytes(facts.element);
      if (at + size > bytes.size()) {
        outcome.failure = "the script wrote too little";
        return outcome;
      }
      const auto* first = reinterpret_cast<const std::byte*>(bytes.data()) + at;
      value.bytes.assign(first, first + size);
      at += value.bytes.size();
      outcome.values[statement.names[k]] = std::move(value);
    }
  }
  return outcome;
}

int run_python(const std::string& script_path) {
  return std::system(fmt::format("{} {}", TESSERA_PYTHON, script_path).c_str());
}

}  // namespace tessera::differential
