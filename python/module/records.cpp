#include "python/module/records.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "python/module/memory.hpp"

namespace tessera::python {

namespace {

void add_leaves(Leaves& all, nb::handle dict, const std::string& prefix, const std::string& who) {
  const nb::object items = nb::module_::import_("builtins").attr("list")(dict.attr("items")());
  if (nb::len(items) == 0)
    throw nb::value_error(
        ((prefix.empty() ? who : "`" + prefix + "` of " + who) + " has no items: a record has one field at least")
            .c_str());
  for (const nb::handle item : items) {
    const nb::object key = item[0];
    const nb::object value = item[1];
    if (!nb::isinstance<nb::str>(key))
      throw nb::type_error(
          (who + " has a key that is a " + type_text(key) + ": a record's fields have names, {\"w\": ...}").c_str());
    const std::string path = (prefix.empty() ? "" : prefix + ".") + nb::cast<std::string>(key);
    if (is_record(value))
      add_leaves(all, value, path, who);
    else
      all.emplace_back(path, value);
  }
}

std::string listed(const std::vector<Function::Part>& parts, std::size_t of) {
  std::string names;
  for (const Function::Part& part : parts) {
    if (part.of == of) names += (names.empty() ? "`" : ", `") + part.field + "`";
  }
  return names;
}

[[noreturn]] void no_array(const std::string& who, nb::handle given, const std::string& type) {
  throw nb::type_error(
      (who + " is a " + type_text(given) + ": s.array(x, \"" + type + "\") makes an Array of it").c_str());
}

// The arguments of one call, one after the other.
class Arguments {
 public:
  Arguments(const Function& function, const nb::args& given) : function_(function), given_(given) {}

  std::vector<Array> arrays() && {
    for (std::size_t of = 0; of < given_.size(); ++of) add(of, given_[of]);
    return std::move(arrays_);
  }

 private:
  std::string named(std::size_t of) const {
    return "argument " + std::to_string(of + 1) + " of `" + function_.name() + "`";
  }

  void add(std::size_t of, nb::handle argument) {
    const auto& parts = function_.parameter_parts();
    const auto first = std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.of == of; });
    if (first != parts.end() && !first->field.empty()) return add_record(of, argument);
    const bool known = first != parts.end();
    const std::string type =
        known ? function_.parameters()[static_cast<std::size_t>(first - parts.begin())] : "f32[8@x, 4]";
    if (known && is_record(argument))
      throw nb::type_error((named(of) + " is a dict, and the function takes an array there, " + type).c_str());
    if (!nb::isinstance<Array>(argument)) no_array(named(of), argument, type);
    arrays_.push_back(nb::cast<const Array&>(argument));
  }

  void add_record(std::size_t of, nb::handle argument) {
    const auto& parts = function_.parameter_parts();
    if (!is_record(argument))
      throw nb::type_error((named(of) + " is a " + type_text(argument) +
                            ", and the function takes a record there: a "
                            "dict with " +
                            listed(parts, of))
                               .c_str());
    Leaves given = leaves(argument, named(of));
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].of == of) arrays_.push_back(taken_out(given, k));
    }
    if (!given.empty())
      throw nb::type_error((named(of) + " has an item `" + given.front().first +
                            "` that the function does not take: it takes " + listed(parts, of))
                               .c_str());
  }

  Array taken_out(Leaves& given, std::size_t k) const {
    const Function::Part& part = function_.parameter_parts()[k];
    const auto at =
        std::find_if(given.begin(), given.end(), [&](const auto& leaf) { return leaf.first == part.field; });
    if (at == given.end())
      throw nb::type_error((named(part.of) + " has no item `" + part.field + "`: the function takes " +
                            listed(function_.parameter_parts(), part.of))
                               .c_str());
    const nb::object value = at->second;
    given.erase(at);
    if (!nb::isinstance<Array>(value))
      no_array("`" + part.field + "` of " + named(part.of), value, function_.parameters()[k]);
    return nb::cast<const Array&>(value);
  }

  const Function& function_;
  const nb::args& given_;
  std::vector<Array> arrays_;
};

}  // namespace

bool is_record(nb::handle value) {
  return PyDict_Check(value.ptr()) || (PyMapping_Check(value.ptr()) != 0 && nb::hasattr(value, "keys"));
}

Leaves leaves(nb::handle dict, const std::string& who) {
  Leaves all;
  add_leaves(all, dict, "", who);
  return all;
}

nb::dict nested(const Leaves& items) {
  nb::dict all;
  for (const auto& [path, value] : items) {
    nb::dict in = all;
    std::size_t begin = 0;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
      const nb::str name(path.substr(begin, dot - begin).c_str());
      if (!in.contains(name)) in[name] = nb::dict();
      in = nb::cast<nb::dict>(in[name]);
      begin = dot + 1;
    }
    in[nb::str(path.substr(begin).c_str())] = value;
  }
  return all;
}

std::string type_of(nb::handle types, const std::string& who) {
  if (nb::isinstance<nb::str>(types)) return nb::cast<std::string>(types);
  if (!is_record(types))
    throw nb::type_error((who + " is a " + type_text(types) +
                          ": write it as text, \"f32[8@x, 4]\", and that of a record as a dict of types")
                             .c_str());
  if (nb::len(types) == 0) throw nb::value_error((who + " has no items: a record has one field at least").c_str());
  std::string text;
  for (const nb::handle item : nb::module_::import_("builtins").attr("list")(types.attr("items")()))
    text += (text.empty() ? "{" : ", ") + nb::cast<std::string>(nb::str(item[0])) + ": " + type_of(item[1], who);
  return text + "}";
}

std::vector<Pair> paired(nb::handle dict, nb::handle types) {
  if (!is_record(types) || !is_record(dict))
    throw nb::type_error(
        "an array and its type are an array and a text, those of a record two dicts with the same keys: "
        "s.array({\"w\": w, \"b\": b}, {\"w\": \"f32[8@x, 4]\", \"b\": \"f32[4]\"})");
  Leaves left = leaves(types, "the type");
  std::vector<Pair> all;
  for (const auto& [path, item] : leaves(dict, "the dict")) {
    const auto is_own = [&own = path](const auto& type) { return type.first == own; };
    const auto at = std::find_if(left.begin(), left.end(), is_own);
    if (at == left.end()) throw nb::type_error(("the type has no item `" + path + "`, and the dict has one").c_str());
    all.push_back({path, item, type_of(at->second, "the type of `" + path + "`")});
    left.erase(at);
  }
  if (!left.empty())
    throw nb::type_error(("the dict has no item `" + left.front().first + "`, and the type has one").c_str());
  return all;
}

nb::list items_of(const std::vector<Function::Part>& parts, const std::vector<nb::object>& arrays) {
  nb::list all;
  Leaves record;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].field.empty()) {
      all.append(arrays[k]);
      continue;
    }
    record.emplace_back(parts[k].field, arrays[k]);
    if (k + 1 < parts.size() && parts[k + 1].of == parts[k].of) continue;
    all.append(nested(record));
    record.clear();
  }
  return all;
}

std::vector<Array> arrays_of(const Function& function, const nb::args& arguments) {
  return Arguments(function, arguments).arrays();
}

}  // namespace tessera::python
