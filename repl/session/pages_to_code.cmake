# Writes OUTPUT, C++ code that holds the pages of the manual. Run by the build: cmake -DPAGES=a.md;b.md -DOUTPUT=... -P this.
set(rows)
foreach(page IN LISTS PAGES)
  get_filename_component(name "${page}" NAME_WE)
  file(READ "${page}" text)
  string(APPEND rows "    Page{\"${name}\", R\"~~~~(${text})~~~~\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"repl/session/pages.hpp\"

namespace tessera::repl {

const std::vector<Page>& pages() {
  static const std::vector<Page> all = {
${rows}  };
  return all;
}

}  // namespace tessera::repl
")
