# Writes OUTPUT, C++ code that defines FUNCTION of HEADER to give the text of the file INPUT. Run by the build:
# cmake -DINPUT=... -DOUTPUT=... -DHEADER=... -DFUNCTION=... -P this.
file(READ "${INPUT}" text)
file(WRITE "${OUTPUT}"
"#include \"${HEADER}\"

#pragma GCC diagnostic ignored \"-Woverlength-strings\"  // a document is longer than what every compiler has to take

namespace tessera::embed {

std::string_view ${FUNCTION}() { return R\"~~~~(${text})~~~~\"; }

}  // namespace tessera::embed
")
