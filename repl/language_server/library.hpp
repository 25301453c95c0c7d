// The texts that are open, their machines, and their analyses.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "repl/language_server/document.hpp"

namespace tessera::repl {

using Say = std::function<void(const std::string& line)>;

// The path of a `file:` URI; of another the URI itself.
std::string path_of(std::string_view uri);

class TextLibrary {
 public:
  // `say` takes lines for the client's log.
  explicit TextLibrary(Say say) : say_(std::move(say)) {}

  Units units = Units::utf16;
  EditorSettings settings;
  std::string root;  // where relative paths of programs begin; empty: beside the text

  void open(const std::string& uri, std::string text, std::int64_t version);
  // Changes as the protocol lists them: a text in place of a range, or of all.
  void change(const std::string& uri, const nlohmann::json& changes, std::int64_t version);
  void close(const std::string& uri) { texts_.erase(uri); }
  bool is_open(const std::string& uri) const { return texts_.contains(uri); }
  std::optional<std::int64_t> version(const std::string& uri) const;
  // Forgets all analyses: settings have changed.
  void forget_views();

  // The text as it is now, with what is known of it; nullptr if that was stopped, or the text is not open.
  std::shared_ptr<const View> view(const std::string& uri, const StopToken& stop);
  // The analysis of another text in its place; nothing if that was stopped.
  std::optional<Analysis> analyse(const std::string& uri, const std::string& text, const StopToken& stop);
  // The configuration in which the text is checked.
  Config config_for(const std::string& uri);

 private:
  struct OpenText {
    std::string text;
    std::int64_t version = 0;
    std::shared_ptr<const View> view;
  };
  // A folder's machine, and who analyses the texts in it.
  struct Folder {
    std::string stamp;  // which machine file it was, as it was
    Machine machine;
    Analyst analyst;
  };

  Folder& folder_of(const std::string& uri);
  Folder made(const std::string& stamp, const std::string& machine_file, const std::string& folder);
  std::string machine_file_of(const std::string& folder) const;

  Say say_;
  std::map<std::string, OpenText> texts_;
  std::map<std::string, Folder> folders_;
};

}  // namespace tessera::repl
