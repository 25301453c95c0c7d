#include "runtime/execute/file_name.hpp"

namespace tessera::runtime {

base::Result<std::string> file_name(std::string_view form, const Storage& storage,
                                    std::span<const synth::RegisterId> numbers) {
  if (numbers.empty()) return std::string(form);
  std::string name;
  std::size_t next = 0;
  for (std::size_t at = 0; at < form.size(); ++at) {
    name += form[at];
    if (form[at] != '{' && form[at] != '}') continue;
    const bool is_place = form.substr(at, 2) == "{}" && next < numbers.size();
    ++at;
    if (!is_place) continue;
    name.pop_back();
    TESSERA_TRY(number, storage.scalar<std::int64_t>(numbers[next++]));
    name += std::to_string(number);
  }
  return name;
}

}  // namespace tessera::runtime
