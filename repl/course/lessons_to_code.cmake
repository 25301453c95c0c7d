# Writes OUTPUT, C++ code that holds the files LESSONS as texts. Run by the build: cmake -DLESSONS=... -DOUTPUT=... -P this.
set(code "#include \"repl/course/lessons.hpp\"\n\nnamespace tessera::repl {\n\nstd::vector<LessonText> lesson_texts() {\n  return {\n")
foreach(lesson IN LISTS LESSONS)
  cmake_path(GET lesson FILENAME file)
  file(READ "${lesson}" text)
  string(APPEND code "      {\"${file}\", R\"~~~~(${text})~~~~\"},\n")
endforeach()
string(APPEND code "  };\n}\n\n}  // namespace tessera::repl\n")
file(WRITE "${OUTPUT}" "${code}")
