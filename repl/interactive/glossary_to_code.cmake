# Writes OUTPUT, C++ code that holds docs/glossary.md as a text. Run by the build: cmake -DGLOSSARY=... -DOUTPUT=... -P this.
file(READ "${GLOSSARY}" text)
file(WRITE "${OUTPUT}" "#include \"repl/interactive/glossary.hpp\"

namespace tessera::repl {

std::string_view glossary_text() {
  return R\"~~~~(${text})~~~~\";
}

}  // namespace tessera::repl
")
