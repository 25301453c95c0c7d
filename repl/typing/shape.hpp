// The shape of what is typed or pasted: prompts that came along, indentation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::repl {

// A text copied from a session or a document has prompts, `> ` or `7> `, `. ` or `8. ` where a statement goes on, and
// answers between; one of Python's has `>>> ` and `... `. If its first line that is not blank has a prompt, what stands
// behind prompts is left, and no other line; any other text stays as it is but for line breaks at its end. Lines become
// one where only one is wanted.
//
//     > let a = (1 +          let a = (1 +
//     . 2)                    2)
//     a : i64                 a * 2
//     > a * 2
//     6
std::string without_prompts(std::string_view pasted, bool lines_wanted);

// The blanks with which a line begins that is begun behind the text.
std::string indentation_after(std::string_view text);
// How many blanks before the cursor go where a closing bracket is typed as the first of its line.
std::size_t blanks_before_closing(std::string_view before_cursor, std::string_view typed);

}  // namespace tessera::repl
