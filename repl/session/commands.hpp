// The commands of a session, `:plan e`: one table, from which `:help`, completion and tests come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "repl/process/files.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

struct CommandCall;  // interpreter.hpp

// The kind of argument that a command takes; completion offers words of that kind.
enum class Argument : std::uint8_t { none, expression, file, topic, setting, command, lesson, count };

struct CommandInfo {
  std::string_view name;      // `:plan`
  std::string_view argument;  // as help writes it, `EXPRESSION`; in brackets: may be left out
  Argument takes;
  std::string_view does;                 // one line
  bool (*run)(const CommandCall& call);  // gives whether it succeeded; what is wrong has then been reported
};

std::span<const CommandInfo> commands();
// By its name, or by a beginning of it that no other command has.
const CommandInfo* find_command(std::string_view word);

// A line that begins with a colon: the command, and where its argument is.
struct TypedCommand {
  const CommandInfo* command = nullptr;
  std::size_t argument_at = 0;
  std::string_view argument;
};
// Reads such a line; `session` tells names from options. Gives what is wrong, with what to type instead.
Read<TypedCommand> read_command(std::string_view text, const Session& session);
// The command that somebody meant who typed `help` or `exit()`, as other prompts have it; empty otherwise.
std::string_view command_meant_by(std::string_view line);
// The begin of the expression of such a line, which may go on in the next one; the line's end for other commands.
std::size_t expression_begin(std::string_view line);

// The commands, by what they are about.
bool run_type(const CommandCall& call);  // expressions.cpp
bool run_layout(const CommandCall& call);
bool run_plan(const CommandCall& call);
bool run_why(const CommandCall& call);       // why.cpp
bool run_choice(const CommandCall& call);    // choice.cpp
bool run_compare(const CommandCall& call);   // compare.cpp
bool run_estimate(const CommandCall& call);  // estimate.cpp
bool run_step(const CommandCall& call);      // step.cpp
bool run_mem(const CommandCall& call);       // measures.cpp
bool run_stats(const CommandCall& call);
bool run_time(const CommandCall& call);
bool run_trace(const CommandCall& call);
bool run_mesh(const CommandCall& call);  // machine.cpp
bool run_devices(const CommandCall& call);
bool run_machine(const CommandCall& call);
bool run_placements(const CommandCall& call);
bool run_load(const CommandCall& call);  // session.cpp
bool run_save(const CommandCall& call);
bool run_reset(const CommandCall& call);
bool run_undo(const CommandCall& call);
bool run_history(const CommandCall& call);
bool run_set(const CommandCall& call);
bool run_learn(const CommandCall& call);
bool run_quit(const CommandCall& call);
bool run_help(const CommandCall& call);  // help.cpp
bool run_doc(const CommandCall& call);

// The settings that `:set` knows.
std::span<const std::string_view> setting_names();

}  // namespace tessera::repl
