# Writes OUTPUT, C++ code that holds the page's files in FOLDER as texts. Run by the build:
# cmake -DFOLDER=... -DOUTPUT=... -P this.
set(code "#include \"repl/page/page.hpp\"\n\nnamespace tessera::repl {\n\n")
foreach(part IN ITEMS template:page.html style:page.css stage:stage.js timeline:timeline.js estimate:estimate.js loads:loads.js script:page.js)
  string(REPLACE ":" ";" part "${part}")
  list(GET part 0 name)
  list(GET part 1 file)
  file(READ "${FOLDER}/${file}" text)
  string(APPEND code "std::string_view page_${name}() {\n  return R\"~~~~(${text})~~~~\";\n}\n\n")
endforeach()
file(WRITE "${OUTPUT}" "${code}}  // namespace tessera::repl\n")
