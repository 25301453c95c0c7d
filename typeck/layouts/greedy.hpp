// Rules 1 to 3 of where communication comes from: operands of an operation with an index signature are brought
// together, one operation after the other, without a look at what comes later. What was redistributed before (rule 6)
// has no part in it: a change costs what its plan takes, whether or not it was made already.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "typeck/layouts/assignment.hpp"
#include "typeck/layouts/plans.hpp"
#include "typeck/layouts/problem.hpp"
#include "typeck/layouts/signature.hpp"
#include "typeck/layouts/want.hpp"

namespace tessera::typeck {

// A value as the rules see it where it is used.
struct Operand {
  const synth::ArrayType& type;
  base::Span span;
  std::optional<KnownScalar> known = {};
};

// Adds what a change by this plan takes.
void add_plan(Alternative& price, const synth::Plan& plan);
// Adds what comes after it.
void add_price(Alternative& price, const Alternative& rest);
// The same elements in the type that operations compute in.
synth::ArrayType widened(const synth::ArrayType& type);

class Greedy {
 public:
  Greedy(Plans& plans, Reports& reports) : plans_(plans), reports_(reports) {}

  // Nothing where there is no way, which is reported.
  std::optional<NodeLayouts> solve(const Signature& signature, const std::vector<Operand>& operands, const Want& want);

  // Adds the change to this type, unless the value has it.
  static void change(Changes& way, const synth::ArrayType& from, const synth::ArrayType& to, Reason why);
  // Finishes what is pending: into the wanted layout where one is given that fits, else where it lies. The type then.
  std::optional<synth::ArrayType> finish(const Operand& operand, const std::string& who, base::Span asked_at,
                                         const Want* want, Changes& way);
  // Rule 3: pending operands that do not pass through the operation are finished; their types then.
  bool finish_all(const Signature& signature, const std::vector<Operand>& operands, const Want& want,
                  std::vector<synth::ArrayType>& types, std::vector<Changes>& uses);
  Plans& plans() const { return plans_; }

 private:
  using Layouts = std::vector<std::optional<synth::Layout>>;
  Layouts finishing_layouts(const Signature& signature, const std::vector<synth::ArrayType>& types, const Want& want);
  std::optional<Alternative> finishing_price(const Signature& signature, const std::vector<synth::ArrayType>& types,
                                             const Layouts& layouts, const Want& want);
  std::optional<synth::IndexSplits> cheapest(const Signature& signature, const Problem& problem,
                                             const std::vector<synth::ArrayType>& types, const Want& want, Reason& why);
  void report_clash(const Signature& signature, const std::vector<Operand>& operands,
                    const std::vector<synth::ArrayType>& types, std::size_t a, std::size_t b);

  Plans& plans_;
  Reports& reports_;
};

}  // namespace tessera::typeck
