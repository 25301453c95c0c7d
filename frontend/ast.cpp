#include "frontend/ast.hpp"

#include <algorithm>
#include <array>

namespace tessera::frontend {

namespace {

constexpr std::array kElements = {
#define SPELLING(identifier, spelling) std::string_view(spelling),
    TESSERA_ELEMENT_KEYWORDS(SPELLING)
#undef SPELLING
};

constexpr std::array kOps = {
#define SPELLING(identifier, spelling, precedence) std::string_view(spelling),
    TESSERA_BINARY_OPS(SPELLING)
#undef SPELLING
};

constexpr std::array kPrecedences = {
#define PRECEDENCE(identifier, spelling, precedence) precedence,
    TESSERA_BINARY_OPS(PRECEDENCE)
#undef PRECEDENCE
};

constexpr std::array kUnaryOps = {
#define SPELLING(identifier, spelling, precedence) std::string_view(spelling),
    TESSERA_UNARY_OPS(SPELLING)
#undef SPELLING
};

constexpr std::array kUnaryPrecedences = {
#define PRECEDENCE(identifier, spelling, precedence) precedence,
    TESSERA_UNARY_OPS(PRECEDENCE)
#undef PRECEDENCE
};

// The member of an enum whose table of spellings holds `wanted`.
template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& spellings, std::string_view wanted) {
  const auto found = std::find(spellings.begin(), spellings.end(), wanted);
  if (found == spellings.end()) return std::nullopt;
  return static_cast<Enum>(found - spellings.begin());
}

}  // namespace

std::string_view spelling(ElementKeyword element) { return kElements[static_cast<std::size_t>(element)]; }
std::string_view spelling(BinaryOp op) { return kOps[static_cast<std::size_t>(op)]; }
std::string_view spelling(UnaryOp op) { return kUnaryOps[static_cast<std::size_t>(op)]; }
int precedence(UnaryOp op) { return kUnaryPrecedences[static_cast<std::size_t>(op)]; }
int precedence(BinaryOp op) { return kPrecedences[static_cast<std::size_t>(op)]; }

std::optional<ElementKeyword> element_keyword(std::string_view spelling) {
  return find<ElementKeyword>(kElements, spelling);
}
std::optional<UnaryOp> unary_op(std::string_view spelling) { return find<UnaryOp>(kUnaryOps, spelling); }
std::optional<BinaryOp> binary_op(std::string_view spelling) { return find<BinaryOp>(kOps, spelling); }

}  // namespace tessera::frontend
