// A program's changes of layout as one self-contained HTML page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/estimate/sweep.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

// The page's files, which the build makes part of the executable.
std::string_view page_template();  // page.html, with @STYLE@, @DATA@, @STAGE@ and @SCRIPT@ in it
std::string_view page_style();     // page.css
std::string_view page_stage();     // stage.js
std::string_view page_timeline();  // timeline.js
std::string_view page_estimate();  // estimate.js
std::string_view page_loads();     // loads.js
std::string_view page_script();    // page.js

// The page of some data (page_data.hpp).
std::string page_with(std::string_view data);

// `name` stands for the program in the page's title; `machine` says of which machine modelled times are.
std::string drawn_page(std::string_view name, std::string_view text, std::string_view machine, const Program& program);
// The same with the points of a sweep, of which the program is the last that makes sense.
std::string estimate_page(std::string_view name, std::string_view text, std::string_view machine,
                          const Program& program, const std::vector<SweptEstimate>& sweep);

}  // namespace tessera::repl
