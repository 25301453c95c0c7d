#include "python/module/settings.hpp"

#include <nanobind/stl/string.h>

#include <type_traits>

namespace tessera::python {

Reshard reshard_of(const std::string& text) {
  if (text == "silent") return Reshard::silent;
  if (text == "warn") return Reshard::warn;
  if (text == "error") return Reshard::error;
  throw nb::value_error(("reshard is \"silent\", \"warn\" or \"error\", not \"" + text + "\"").c_str());
}

std::string gpus_of(const nb::object& given) {
  if (given.is_none() || given.is(nb::bool_(false))) return "";
  if (given.is(nb::bool_(true))) return "all";
  if (nb::isinstance<nb::str>(given)) return nb::cast<std::string>(given);
  if (nb::isinstance<nb::int_>(given)) return nb::cast<std::string>(nb::str(given));
  std::string numbers;
  for (const nb::handle number : given)
    numbers += (numbers.empty() ? "" : ",") + nb::cast<std::string>(nb::str(number));
  return numbers;
}

Products products_of(const std::string& text) {
  if (text == "blas") return Products::blas;
  if (text == "ordered") return Products::ordered;
  if (text == "tf32") return Products::tf32;
  throw nb::value_error(("products is \"blas\", \"ordered\" or \"tf32\", not \"" + text + "\"").c_str());
}

FilePolicy files_of(const nb::object& given) {
  FilePolicy policy;
  if (given.is_none() || given.is(nb::bool_(false)) || PyCallable_Check(given.ptr()) != 0) return policy;
  if (given.is(nb::bool_(true))) {
    policy.kind = FilePolicy::Kind::allowed;
    return policy;
  }
  policy.kind = FilePolicy::Kind::rooted;
  policy.root = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(given));
  return policy;
}

std::map<std::string, std::string> texts_of(const nb::object& defines) {
  std::map<std::string, std::string> texts;
  if (defines.is_none()) return texts;
  for (const auto [name, value] : nb::cast<nb::dict>(defines)) {
    const bool is_bool = nb::isinstance<nb::bool_>(value);
    texts[nb::cast<std::string>(nb::str(name))] =
        is_bool ? (nb::cast<bool>(value) ? "true" : "false") : nb::cast<std::string>(nb::str(value));
  }
  return texts;
}

void set_limits(Config& config, const nb::kwargs& limits) {
  std::size_t known = 0;
  const auto take = [&](const char* name, auto& into) {
    if (!limits.contains(name)) return;
    into = nb::cast<std::remove_reference_t<decltype(into)>>(limits[name]);
    ++known;
  };
  take("memory_bytes_max", config.memory_bytes_max);
  take("text_bytes_max", config.text_bytes_max);
  take("nesting_max", config.nesting_max);
  take("devices_max", config.devices_max);
  take("steps_max", config.steps_max);
  take("output_bytes_max", config.output_bytes_max);
  take("seconds_max", config.seconds_max);
  take("gpu_memory", config.gpu_memory);
  take("_bare_expressions", config.bare_expressions);
  if (known == limits.size()) return;
  const std::string given = nb::cast<std::string>(nb::str(", ").attr("join")(limits));
  throw nb::type_error(
      ("Session() does not take all of " + given + ": help(tessera.Session) lists what it takes").c_str());
}

}  // namespace tessera::python
