# Writes OUTPUT, C++ code that defines the text of the file INPUT. Run by the build: cmake -DINPUT=... -DOUTPUT=... -P this.
file(READ "${INPUT}" text)
file(WRITE "${OUTPUT}"
"#include \"embed/error_index.hpp\"

namespace tessera::embed {

std::string_view error_index_text() { return R\"~~~~(${text})~~~~\"; }

}  // namespace tessera::embed
")
