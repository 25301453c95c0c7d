# Writes OUTPUT, C++ code that defines texts() of texts.hpp to give the files NAMES, separated by `|`, of the folder ROOT. Those of
# runtime/device/text/std go by their last name. Run by the build: cmake -DROOT=... -DNAMES=... -DOUTPUT=... -P this.
string(REPLACE "|" ";" names "${NAMES}")
set(rows)
foreach(path IN LISTS names)
  string(REGEX REPLACE "^runtime/device/text/std/" "" name "${path}")
  list(APPEND rows "${name}|${path}")
endforeach()
list(SORT rows)
set(code "")
foreach(row IN LISTS rows)
  string(REPLACE "|" ";" row "${row}")
  list(GET row 0 name)
  list(GET row 1 path)
  file(READ "${ROOT}/${path}" text)
  string(APPEND code "    Text{\"${name}\", R\"~~~~(${text})~~~~\"},\n")
endforeach()
file(WRITE "${OUTPUT}"
"#include <array>

#include \"runtime/device/text/texts.hpp\"

#pragma GCC diagnostic ignored \"-Woverlength-strings\"  // a text is longer than what every compiler has to take

namespace tessera::device {

std::span<const Text> texts() {
  static constexpr std::array kTexts{
${code}  };
  return kTexts;
}

}  // namespace tessera::device
")
