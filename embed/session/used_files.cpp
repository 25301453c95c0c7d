#include "embed/session/used_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/manual/library_texts.hpp"
#include "embed/session/session_impl.hpp"
#include "frontend/parse.hpp"
#include "runtime/io/opening.hpp"
#include "runtime/ranks/texts.hpp"
#include "tessera/analysis.hpp"
#include "typeck/elaborate/operation_names.hpp"
#include "typeck/kinds.hpp"

namespace tessera::embed {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFilesMax = 1000;
constexpr std::size_t kDepthMax = 64;

// `layers.tess` in `models/train.tess` is `models/layers.tess`.
std::string name_of(const std::string& path, const std::string& user) {
  if (find_library_text(path)) return path;
  const fs::path own(path);
  return (own.is_absolute() ? own : fs::path(user).parent_path() / own).lexically_normal().string();
}

base::Diagnostic unread(const frontend::Use& use, std::string_view why) {
  base::Diagnostic refused = base::make(typeck::Kind::use_unread, use.path, why).at(use.path_span);
  if (use.path.ends_with(".tess")) return refused;
  return std::move(refused).suggest(
      fmt::format("write the name of a file, relative to this one, as in \"layers.tess\", "
                  "or a text of the library: {}",
                  fmt::join(library_names(), ", ")));
}

class UsedWalk {
 public:
  UsedWalk(Texts& texts, const Config& config, base::StopToken stop, const TextReader& reader)
      : texts_(texts), limits_(check_limits(config)), stop_(stop), reader_(reader) {
    nesting_max_ = config.nesting_max > 0 ? static_cast<std::size_t>(config.nesting_max) : frontend::kNestingMax;
    bytes_left_ = static_cast<std::int64_t>(limits_.text_bytes_max);
    if (config.text_bytes_max > 0) bytes_left_ = std::min(bytes_left_, config.text_bytes_max);
  }

  typeck::UsedFiles take(const frontend::Ast& ast) {
    bytes_left_ -= texts_.sources[ast.source].bytes();
    tokens_ = ast.tokens;
    visit(ast, texts_.sources[ast.source].name());
    return std::move(table_);
  }

 private:
  void visit(const frontend::Ast& ast, const std::string& name) {
    open_.push_back(fs::path(name).lexically_normal().string());
    for (const frontend::StatementId id : ast.program) {
      if (const auto* use = std::get_if<frontend::Use>(&ast[id].node)) {
        table_[{ast.source, use->path}] = file_of(*use, name_of(use->path, name));
      }
    }
    open_.pop_back();
  }

  typeck::UsedFile file_of(const frontend::Use& use, const std::string& name) {
    if (std::ranges::find(open_, name) != open_.end()) return {nullptr, {circle(use)}};
    if (const auto known = files_.find(name); known != files_.end()) return {known->second, {}};
    typeck::UsedFile read = read_file(use, name);
    files_[name] = read.ast;
    if (read.ast != nullptr) visit(*read.ast, name);
    return read;
  }

  // The checker adds where each file on the way is used.
  static base::Diagnostic circle(const frontend::Use& use) {
    return base::make(typeck::Kind::use_circle, use.path)
        .at(use.path_span, "it is used again here")
        .suggest("put what both need into a third file");
  }

  typeck::UsedFile read_file(const frontend::Use& use, const std::string& name) {
    if (files_.size() >= kFilesMax)
      return {nullptr, {unread(use, fmt::format("a program may use {} files, and this is one more", kFilesMax))}};
    if (open_.size() > kDepthMax)
      return {nullptr, {unread(use, fmt::format("files use files more than {} deep", kDepthMax))}};
    const std::optional<std::string_view> own = find_library_text(name);
    auto text = own ? base::Result<std::string>(std::string(*own)) : reader_(name, bytes_left_);
    if (!text) return {nullptr, {unread(use, text.errors().front().message)}};
    bytes_left_ -= std::ssize(*text);
    const base::SourceId source = texts_.add(name, std::move(*text));
    auto ast = frontend::parse(texts_.sources, source, stop_, nesting_max_, typeck::operation_names,
                               limits_.tokens_max - std::min(limits_.tokens_max, tokens_));
    if (!ast) return {nullptr, ast.errors()};
    tokens_ += ast->tokens;
    texts_.weigh(source, bytes_of(*ast));
    return {std::make_shared<const frontend::Ast>(std::move(*ast)), {}};
  }

  Texts& texts_;
  CheckLimits limits_;
  base::StopToken stop_;
  const TextReader& reader_;
  std::size_t nesting_max_ = 0;
  std::int64_t bytes_left_ = 0;
  std::size_t tokens_ = 0;                                             // of all texts so far
  std::vector<std::string> open_;                                      // the files that are being read
  std::map<std::string, std::shared_ptr<const frontend::Ast>> files_;  // nullptr: could not be read
  typeck::UsedFiles table_;
};

// What rank 0 has read, by the files' names: `+` and a text, or `-` and why there is none.
using ToldTexts = std::map<std::string, std::string>;

std::string packed(const ToldTexts& told) {
  std::string all;
  for (const auto& [name, text] : told) all += fmt::format("{} {} {}{}", name.size(), text.size(), name, text);
  return all;
}

ToldTexts unpacked(std::string_view all) {
  ToldTexts told;
  const auto take_number = [&all] {
    std::size_t number = 0;
    const auto read = std::from_chars(all.data(), all.data() + all.size(), number);
    all.remove_prefix(std::min(static_cast<std::size_t>(read.ptr - all.data()) + 1, all.size()));
    return number;
  };
  const auto take_text = [&all](std::size_t size) {
    const std::string_view text = all.substr(0, size);
    all.remove_prefix(text.size());
    return std::string(text);
  };
  while (!all.empty()) {
    const std::size_t name_size = take_number();
    const std::size_t text_size = take_number();
    std::string name = take_text(name_size);
    told[std::move(name)] = take_text(text_size);
  }
  return told;
}

// Reads as `reader` does and notes what came of it.
TextReader noting(const TextReader& reader, ToldTexts& told) {
  return [&reader, &told](const std::string& name, std::int64_t bytes_max) -> base::Result<std::string> {
    auto text = reader(name, bytes_max);
    told[name] = text ? "+" + *text : "-" + text.errors().front().message;
    return text;
  };
}

TextReader told_by(const ToldTexts& told) {
  return [&told](const std::string& name, std::int64_t) -> base::Result<std::string> {
    const auto found = told.find(name);
    TESSERA_CHECK(found != told.end() && !found->second.empty(), "rank 0 has not read a file that another rank uses");
    if (found->second.front() == '+') return found->second.substr(1);
    return base::make(embed::Kind::bad_call, found->second.substr(1));
  };
}

}  // namespace

bool uses_files(const frontend::Ast& ast) {
  return std::ranges::any_of(
      ast.program, [&](frontend::StatementId id) { return std::holds_alternative<frontend::Use>(ast[id].node); });
}

TextReader reader_of(const Config& config) {
  return
      [policy = to_policy(config.files)](const std::string& name, std::int64_t bytes_max) -> base::Result<std::string> {
        TESSERA_TRY(opened, runtime::open_to_read(policy, name));
        if (opened.bytes > bytes_max) {
          return base::make(embed::Kind::bad_call,
                            fmt::format("with its {} bytes the texts are longer than is allowed", opened.bytes));
        }
        return opened.file.text_at(0, opened.bytes);
      };
}

base::Result<typeck::UsedFiles> used_files(const frontend::Ast& ast, Texts& texts, const Config& config,
                                           base::StopToken stop, const TextReader& reader) {
  return base::guarded_until_stopped(
      [&]() -> base::Result<typeck::UsedFiles> { return UsedWalk(texts, config, stop, reader).take(ast); });
}

base::Result<typeck::UsedFiles> used_files(const frontend::Ast& ast, Texts& texts, const Config& config,
                                           runtime::Team& team) {
  if (team.rank() > 0) {
    TESSERA_TRY(shared, runtime::share_texts(team, ""));
    const ToldTexts told = unpacked(shared.front());
    return used_files(ast, texts, config, {}, told_by(told));
  }
  ToldTexts told;
  const TextReader reader = reader_of(config);
  auto table = used_files(ast, texts, config, {}, noting(reader, told));
  const auto shared = runtime::share_texts(team, packed(told));
  if (!shared) return shared.errors();
  return table;
}

}  // namespace tessera::embed
