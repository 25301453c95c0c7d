#include "typeck/open/operation_form.hpp"

#include <type_traits>

namespace tessera::typeck::open {

namespace {

// One function for each operation of an open program's own.
template <class Io>
struct Held {
  template <class T>
  using In = text::In<Io, T>;

  Io& io;
  std::string_view word;
  const std::vector<Type>& types;

  template <class T>
  void numbers(std::vector<T>& all) const {
    io.list(all, [&](auto& number) { io.number(number); });
  }
  void numbers(const std::vector<std::size_t>& all) const {
    io.list(all, [&](const auto& number) { io.number(number); });
  }

  void operator()(In<synth::Operation> operation) const { io.operation(word, operation); }
  void operator()(In<Squeeze> squeeze) const { numbers(squeeze.dimensions); }
  void operator()(In<Unsqueeze> unsqueeze) const { numbers(unsqueeze.dimensions); }
  void operator()(In<Slice> slice) const {
    io.list(slice.dimensions, [&](auto& taken) {
      io.number(taken.start);
      io.word("for");
      io.number(taken.length);
      if (io.said(taken.scalar >= 0, "from")) io.number(taken.scalar);
      io.flag(taken.single, "single");
      if (io.said(taken.step != 1, "step")) io.number(taken.step);
    });
  }
  void operator()(In<Pad> pad) const {
    io.list(pad.widths, [&](auto& width) {
      io.number(width.first);
      io.word("and");
      io.number(width.second);
    });
  }
  void operator()(In<Concat> concat) const { io.number(concat.dimension); }
  void operator()(In<Update> update) const {
    io.list(update.dimensions, [&](auto& laid) {
      if (io.said(laid.start.has_value(), "at")) {
        if constexpr (Io::kReads) laid.start.emplace();
        io.number(*laid.start);
      } else {
        io.word("scalar");
      }
      io.word("for");
      io.number(laid.length);
      if (io.said(laid.step != 1, "step")) io.number(laid.step);
      io.flag(laid.wraps, "wraps");
    });
  }
  void operator()(In<Roll> roll) const {
    io.number(roll.dimension);
    if (!io.said(roll.by.has_value(), "by")) return;
    if constexpr (Io::kReads) roll.by.emplace();
    io.number(*roll.by);
  }
  void operator()(In<Product> product) const {
    if constexpr (Io::kReads) {
      synth::Operation contract;
      io.operation("contract", contract);
      if (const auto* read = std::get_if<synth::Contract>(&contract)) product.contract = *read;
    } else {
      io.operation("contract", synth::Operation(product.contract));
    }
    if (io.said(!product.names.empty(), "indices")) io.list(product.names, [&](auto& name) { io.quoted(name); });
  }
  void operator()(In<Broadcast>) const {}
  void operator()(In<Widen>) const {}
  void operator()(In<Together>) const {}
  void operator()(In<Whole> whole) const {
    numbers(whole.dimensions);
    if (io.said(whole.sorted.has_value(), "sorted")) {
      if constexpr (Io::kReads) whole.sorted.emplace();
      io.flag(whole.sorted->positions, "positions");
    }
    io.place(whole.asked_at);
  }
  void operator()(In<Finish> finish) const { io.flag(finish.is_output, "output"); }
  void operator()(In<Make> make) const {
    if constexpr (Io::kReads) {
      const std::string_view name = io.name();
      io.operation(name, make.operation);
    } else {
      const std::string_view name = synth::name(make.operation);
      io.word(name);
      io.operation(name, make.operation);
    }
    written_layout(io, make.layout, first_mesh(types));
    io.place(make.written);
    io.flag(make.is_like, "like");
  }
  void operator()(In<ByHand> step) const {
    if constexpr (Io::kReads) {
      const auto kind = synth::collective_by_name(io.name());
      if (!kind.has_value()) return io.fail("an unknown collective");
      step.kind = *kind;
    } else {
      io.word(synth::name(step.kind));
    }
    io.axes(step.axes, first_mesh(types));
    io.word("from");
    io.number(step.from);
    io.word("to");
    io.number(step.to);
    if (!io.said(step.target.has_value(), "target")) return;
    if constexpr (Io::kReads) step.target.emplace();
    written_layout(io, *step.target, first_mesh(types));
  }
  void operator()(In<Used> used) const { operand_of(used); }
  void operator()(In<Back> back) const {
    operand_of(back);
    io.flag(back.goes_home, "goes_home");
  }
  void operator()(In<Both>) const {}
  void operator()(In<Home> home) const { io.id("%", home.by); }
  void operator()(In<FinishAs>) const {}
  void operator()(In<ZerosAs>) const {}
  void operator()(In<Sum>) const {}
  void operator()(In<PutRow>) const {}
  void operator()(In<TakeRow>) const {}

 private:
  template <class T>
  void operand_of(T& operand) const {
    io.number(operand.operand);
    io.word("of");
    io.id("%", operand.by);
  }
};

// Tries the alternatives of Operation in turn, but for the first, which is a synth::Operation.
template <std::size_t k = 1>
Operation blank_of(std::string_view word) {
  if constexpr (k < std::variant_size_v<Operation>) {
    using T = std::variant_alternative_t<k, Operation>;
    if (word == kWord<T>) return T{};
    return blank_of<k + 1>(word);
  } else {
    return synth::Operation{};
  }
}

}  // namespace

void array_type(text::Writer& io, const Type& type) { io.type(type.element(), type.shape(), type.mesh_ref()); }

void array_type(text::Reader& io, Type& type) {
  synth::ElementType element = type.element();
  synth::Shape shape;
  synth::MeshRef mesh = type.mesh_ref();
  io.type(element, shape, mesh);
  type = Type(element, shape, mesh);
}

void known_scalar(text::Writer& io, const std::optional<KnownScalar>& known) {
  if (!io.said(known.has_value(), "is")) return;
  std::string value = std::visit([](auto one) { return fmt::format("{}", one); }, *known);
  const bool looks_whole = value.find_first_not_of("-0123456789") == std::string::npos;
  io.word(std::holds_alternative<double>(*known) && looks_whole ? value + ".0" : value);
}

void known_scalar(text::Reader& io, std::optional<KnownScalar>& known) {
  if (!io.said(false, "is")) return;
  if (io.accept("true")) {
    known = true;
  } else if (io.accept("false")) {
    known = false;
  } else {
    const std::string_view text = io.numeral();
    if (text.find_first_not_of("-0123456789") == std::string_view::npos) {
      known = io.value_of<std::int64_t>(text);
    } else {
      known = io.value_of<double>(text);
    }
  }
}

std::string_view operation_word(const Operation& operation) {
  return std::visit(
      []<class T>(const T& own) -> std::string_view {
        if constexpr (std::is_same_v<T, synth::Operation>) {
          return synth::name(own);
        } else {
          return kWord<T>;
        }
      },
      operation);
}

Operation operation_named(std::string_view word) { return blank_of(word); }

const synth::Mesh& first_mesh(const std::vector<Type>& types) {
  return types.empty() ? *synth::Mesh::single_device() : types.front().mesh();
}

void operation_form(text::Writer& io, const Operation& operation, std::string_view word,
                    const std::vector<Type>& types) {
  std::visit(Held<text::Writer>{io, word, types}, operation);
}

void operation_form(text::Reader& io, Operation& operation, std::string_view word, const std::vector<Type>& types) {
  std::visit(Held<text::Reader>{io, word, types}, operation);
}

}  // namespace tessera::typeck::open
