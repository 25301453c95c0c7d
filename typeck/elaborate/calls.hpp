// Calls of the program's own functions. A function is elaborated once for each list of its arguments'
// shapes.
// Private to typeck/elaborate/.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "typeck/elaborate/open_graph.hpp"

namespace tessera::typeck {

class Elaborator;

class Calls {
 public:
  explicit Calls(Elaborator& elaborator) : elaborator_(elaborator) {}
  MaybeValue check_call(ExprId id, const frontend::Call& call, const Preference& want);
  struct InstanceUse {
    open::InstanceId instance;
    std::vector<open::Type> results;
    std::vector<Fields> items = {};  // of the results, where records are among them
    std::size_t height = 1;          // of the calls in it, itself included
    bool is_complete = true;
  };
  // A call's arguments, and what it calls.
  struct BoundCall {
    InstanceUse use;
    std::vector<open::Use> arguments;
  };
  std::optional<BoundCall> bind_call(Span span, const frontend::Call& call, const Function& function);
  // A call with these arrays for its parameters, or for the fields of records among them.
  MaybeValue call_with(Span span, const Function& function, std::vector<Checked> arguments);
  const Function* callable(const frontend::Name& callee,
                           std::span<const frontend::Argument> arguments = {});  // reports where there is none
  void check_definition(const Function& function);

 private:
  MaybeValue call_function(ExprId id, const frontend::Call& call, const Function& function);
  std::optional<BoundCall> bind_arguments(Span span, const Function& function, std::vector<Checked> arguments);
  std::optional<InstanceUse> instance_of(const Function& function, const std::vector<WrittenType>& written,
                                         Span call_span);
  InstanceUse make_instance(const Function& function, const std::vector<WrittenType>& types, Span call_span);
  bool declares_later(std::string_view name) const;
  void report_unknown_function(const frontend::Name& callee, std::span<const frontend::Argument> arguments,
                               const Seen& seen);
  bool bind_extents(const frontend::Parameter& parameter, const open::Type& argument, const std::string& argument_text,
                    Span call_span, std::map<std::string, std::string>& bound_by);
  std::optional<std::vector<Checked>> arguments_for(const frontend::Call& call, const Function& function);
  std::optional<WrittenType> parameter_type(const frontend::Parameter& parameter, const open::Type& argument,
                                            const std::string& argument_text, Span call_span);
  std::optional<std::vector<WrittenType>> parameter_types(const Function& function,
                                                          const std::vector<Checked>& arguments);
  MaybeValue function_result(const frontend::Fn& fn);
  MaybeValue chosen_result(const frontend::Fn& fn, const std::vector<WrittenType>& types, const Checked& made,
                           open::Instance& instance);

  Elaborator& elaborator_;
  std::map<std::string, std::vector<std::pair<std::vector<open::Type>, std::optional<InstanceUse>>>> instances_;
  std::vector<const Function*> calls_;
  std::vector<std::size_t> heights_;  // of what each of them has called so far
};

}  // namespace tessera::typeck
