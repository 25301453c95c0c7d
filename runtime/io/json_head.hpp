// The JSON of .safetensors files and their indices: objects, strings and lists of numbers, read without building what
// nobody asks for. Keys that are there twice are refused, and so is text that is not UTF-8.
//
//   JsonText json(R"({"a": [1, 2], "b": {"c": 3}})");
//   json.object([&](const std::string& key) {
//     if (key == "a") numbers = json.numbers(); else json.skip();
//   });
//   json.end();
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::runtime {

// Says what is wrong with a head. Thrown by JsonText, and caught by whoever made one.
struct BadHead {
  std::string why;
};
[[noreturn]] void fail_head(std::string why);

class JsonText {
 public:
  explicit JsonText(std::string_view text);

  // Calls member(key) for each member of an object; it has to read the value.
  void object(const std::function<void(const std::string& key)>& member);
  std::string string();
  std::vector<std::int64_t> numbers();
  // Any value, as it is written. Only its strings and brackets are looked at.
  std::string_view skip();
  // Nothing may follow.
  void end();

 private:
  bool take(char wanted);
  void expect(char wanted);
  void blanks();
  std::int64_t number();
  void plain();
  void escape(std::string& result);
  std::uint32_t code_unit();
  [[noreturn]] void fail_here(std::string_view wanted) const;

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace tessera::runtime
