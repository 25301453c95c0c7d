#include "typeck/open/messages.hpp"

#include <algorithm>
#include <charconv>

namespace tessera::typeck {

namespace {

// Around the number of a type that is asked for; no text of a program holds these.
constexpr char kBegin = '\x02';
constexpr char kEnd = '\x03';

class Filler {
 public:
  Filler(const std::vector<Messages::Asked>& asked, const Messages::TypeText& text) : asked_(asked), text_(text) {}

  void fill(std::string& message) const {
    for (std::size_t begin = message.find(kBegin); begin != std::string::npos; begin = message.find(kBegin, begin)) {
      const std::size_t end = message.find(kEnd, begin);
      std::size_t number = asked_.size();
      if (end != std::string::npos) std::from_chars(message.data() + begin + 1, message.data() + end, number);
      if (number >= asked_.size()) return;
      const std::string type = text_(asked_[number]);
      message.replace(begin, end - begin + 1, type);
      begin += type.size();
    }
  }

  void fill(base::Diagnostic& diagnostic) const {
    fill(diagnostic.message);
    fill(diagnostic.help);
    for (base::Label& label : diagnostic.labels) fill(label.text);
  }

 private:
  const std::vector<Messages::Asked>& asked_;
  const Messages::TypeText& text_;
};

}  // namespace

void Messages::report(base::Diagnostic diagnostic, std::size_t position) {
  if (!diagnostic.labels.empty()) {
    const bool first_time = seen_.emplace(diagnostic.labels.front().span, diagnostic.kind.slug).second;
    if (!first_time) return;
  }
  failed_ = failed_ || diagnostic.kind.severity == base::Severity::error;
  reports_.push_back({std::move(diagnostic), position});
}

void Messages::forget_since(Mark mark) {
  reports_.erase(reports_.begin() + static_cast<std::ptrdiff_t>(mark.reports), reports_.end());
  seen_ = std::move(mark.seen);
  failed_ = mark.failed;
}

std::string Messages::type_of(open::ValueId value, Moment moment) {
  asked_.push_back({value, moment, {}});
  return kBegin + std::to_string(asked_.size() - 1) + kEnd;
}

std::string Messages::type_of(const open::Type& type, const open::WrittenLayout& layout, Moment moment) {
  asked_.push_back({{}, moment, std::pair(type, layout)});
  return kBegin + std::to_string(asked_.size() - 1) + kEnd;
}

void Messages::label_calls(std::size_t first, base::Span call, std::string_view text) {
  constexpr std::size_t kLabelsMax = 8;
  for (std::size_t k = first; k < reports_.size(); ++k) {
    auto& labels = reports_[k].diagnostic.labels;
    if (labels.size() < kLabelsMax) labels.push_back({call, std::string(text), false});
  }
}

base::Diagnostics Messages::take(const TypeText& text) {
  std::stable_sort(reports_.begin(), reports_.end(),
                   [](const Report& a, const Report& b) { return a.position < b.position; });
  const Filler filler(asked_, text);
  base::Diagnostics all;
  for (Report& report : reports_) {
    filler.fill(report.diagnostic);
    all.push_back(std::move(report.diagnostic));
  }
  reports_.clear();
  return all;
}

}  // namespace tessera::typeck
