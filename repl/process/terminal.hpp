// Abilities of the terminal, and what its user asked for in the environment.
#pragma once

namespace tessera::repl {

// Columns of a line: COLUMNS, else what the terminal says, else 80.
int terminal_columns();
// Does somebody see what is written there? Not where an MPI launcher passes it on.
bool is_terminal(int descriptor);
// Are standard input and output a terminal?
bool is_conversation();
// Does the terminal move its cursor where it is told to?
bool is_addressable_terminal();
// Standard input, opened anew so that reading it never waits: a terminal that has just told of what was typed throws it
// away at Ctrl-C. Where it cannot be opened, standard input as it is.
class TerminalInput {
 public:
  TerminalInput();
  TerminalInput(const TerminalInput&) = delete;
  TerminalInput& operator=(const TerminalInput&) = delete;
  ~TerminalInput();

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};
// Colours on this descriptor: a terminal's, unless NO_COLOR or TERM=dumb says otherwise. A rank of Open MPI has none.
bool takes_colour(int descriptor);
// Takes the environment's character set for what is typed, or UTF-8 where it names none.
void use_unicode();
// Lines and corners instead of + - |: a terminal whose character set is UTF-8.
bool takes_box_characters(int descriptor);

}  // namespace tessera::repl
