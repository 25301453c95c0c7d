#include "embed/arrays/array_impl.hpp"

#include <fmt/format.h>

#include <complex>
#include <cstring>
#include <utility>

#include "embed/arrays/lost_value.hpp"
#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "runtime/ranks/team.hpp"
#include "runtime/text/format.hpp"
#include "synth/layout/half_elements.hpp"

namespace tessera {

Array::Impl::Impl(std::string array_name, std::string printed_type, runtime::Value array_value)
    : name(std::move(array_name)),
      type(std::move(printed_type)),
      shape(array_value.type().shape().begin(), array_value.type().shape().end()),
      value(std::move(array_value)) {}

Element Array::element() const { return embed::to_public(impl_->value.type().element()); }
const std::vector<std::int64_t>& Array::shape() const { return impl_->shape; }
std::string Array::type() const { return impl_->type; }
std::int64_t Array::devices() const { return impl_->value.type().devices(); }

std::int64_t Array::device_of_run(std::int64_t device) const {
  if (device < 0 || device >= devices()) return -1;
  return static_cast<std::int64_t>(impl_->value.type().mesh().device_of_run(device).value);
}

MeshAxes Array::mesh() const { return embed::to_public(impl_->value.type().mesh()); }

Placement Array::placement() const { return embed::placement(impl_->value.type()); }

std::vector<std::byte> Array::bytes() const {
  auto whole = runtime::gather(impl_->value);
  return whole ? std::move(whole->bytes) : std::vector<std::byte>{};
}

namespace {

// Storage types are handed out as what they are computed as.
template <class T>
std::vector<T> read_elements(synth::ElementType element, const std::vector<std::byte>& dense) {
  const auto bytes = static_cast<std::size_t>(synth::bytes_of(element));
  std::vector<T> result(dense.size() / bytes);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if constexpr (std::is_same_v<T, float>) {
      std::uint16_t bits = 0;
      if (synth::is_storage(element)) {
        std::memcpy(&bits, dense.data() + i * bytes, sizeof(bits));
        result[i] = synth::widened(element, bits);
        continue;
      }
    }
    if constexpr (std::is_same_v<T, std::int64_t>) {
      if (synth::is_stored_integer(element)) {
        result[i] = synth::visit_stored_integer(element, [&](auto stored) {
          std::memcpy(&stored, dense.data() + i * bytes, sizeof(stored));
          return std::int64_t{stored};
        });
        continue;
      }
    }
    T item{};
    std::memcpy(&item, dense.data() + i * sizeof(T), sizeof(T));
    result[i] = item;
  }
  return result;
}

}  // namespace

template <class T>
Result<std::vector<T>> Array::to_vector() const {
  const synth::ElementType element = impl_->value.type().element();
  if (synth::computed_as(element) != embed::element_of<T>) {
    return embed::failure(
        base::make(embed::Kind::bad_call, fmt::format("the elements of `{}` are {}, not {}", impl_->name,
                                                      synth::name(element), synth::name(embed::element_of<T>))));
  }
  return embed::safely([&]() -> Result<std::vector<T>> {
    const auto whole = runtime::gather(impl_->value);
    if (!whole) return embed::to_public(embed::Texts{}, embed::reading_failed(whole.errors(), impl_->name));
    return read_elements<T>(element, whole->bytes);
  });
}

template Result<std::vector<bool>> Array::to_vector() const;
template Result<std::vector<std::int32_t>> Array::to_vector() const;
template Result<std::vector<std::int64_t>> Array::to_vector() const;
template Result<std::vector<float>> Array::to_vector() const;
template Result<std::vector<double>> Array::to_vector() const;
template Result<std::vector<std::complex<float>>> Array::to_vector() const;
template Result<std::vector<std::complex<double>>> Array::to_vector() const;

Result<Array::Tile> Array::tile(std::int64_t device) const {
  if (device < 0 || device >= devices()) {
    return embed::failure(
        base::make(embed::Kind::bad_call,
                   fmt::format("`{}` lives on {} devices, so there is no device {}", impl_->name, devices(), device)));
  }
  if (!impl_->value.has_device(device)) {
    const int rank = impl_->value.ranks().owner(impl_->value.type().mesh(), device);
    return embed::failure(base::make(embed::Kind::bad_call, fmt::format("device {} is rank {}'s", device, rank)));
  }
  Tile result;
  result.box = embed::to_public(synth::tile(impl_->value.type(), device));
  const auto here = impl_->value.on_host();
  if (!here) return embed::failure(embed::reading_failed(here.errors(), impl_->name).front());
  const auto held = here->tile(device);
  result.bytes.assign(held.begin(), held.end());
  return result;
}

std::string Array::text() const {
  auto text = runtime::format_value(impl_->value);
  return text ? std::move(*text) : "";
}

std::string Array::picture(int columns) const {
  auto text = runtime::format_show(impl_->value, impl_->name, std::max(columns, 1));
  return text ? std::move(*text) : "";
}

}  // namespace tessera
