// Helpers that the tests of the runtime share: arrays, programs built by hand, a world that records, and NumPy.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/execute/run.hpp"
#include "runtime/kernels/tile.hpp"
#include "runtime/values/value.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime::test {

using synth::ElementType;
using synth::RegisterId;
using synth::Shape;

template <class T>
constexpr ElementType element_of() {
  if constexpr (std::same_as<T, bool>)
    return ElementType::boolean;
  else if constexpr (std::same_as<T, std::int32_t>)
    return ElementType::i32;
  else if constexpr (std::same_as<T, std::int64_t>)
    return ElementType::i64;
  else if constexpr (std::same_as<T, float>)
    return ElementType::f32;
  else
    return ElementType::f64;
}

// A dense array that owns its elements.
template <class T>
struct Array {
  Shape shape;
  std::vector<std::byte> bytes;

  explicit Array(Shape s) : shape(s), bytes(static_cast<std::size_t>(count(s)) * sizeof(T)) {}
  Array(Shape s, const std::vector<T>& values) : Array(s) {
    EXPECT_EQ(static_cast<std::int64_t>(values.size()), count(s));
    for (std::size_t i = 0; i < values.size(); ++i) data()[i] = values[i];
  }
  static Array scalar(T value) { return Array(Shape{}, {value}); }

  T* data() { return reinterpret_cast<T*>(bytes.data()); }
  const T* data() const { return reinterpret_cast<const T*>(bytes.data()); }
  std::int64_t size() const { return count(shape); }
  T operator[](std::int64_t i) const { return data()[i]; }
  std::vector<T> values() const { return std::vector<T>(data(), data() + size()); }
  TileView view() const { return dense_view(element_of<T>(), shape, bytes.data()); }
  TileOut out() { return {element_of<T>(), shape, bytes.data()}; }
  synth::Literal literal() const { return {element_of<T>(), shape, bytes}; }
};

template <class T>
Array<T> array_of(const synth::Literal& literal) {
  EXPECT_EQ(literal.element, element_of<T>());
  Array<T> array(literal.shape);
  array.bytes = literal.bytes;
  return array;
}

// 0, 1, 2, ...
template <class T>
Array<T> counting(const Shape& shape) {
  Array<T> array(shape);
  for (std::int64_t i = 0; i < array.size(); ++i) array.data()[i] = static_cast<T>(i);
  return array;
}

// Indices of an array of this shape, row-major.
void for_indices(const Shape& shape, const std::function<void(const Shape&)>& f);
std::int64_t position(const Shape& shape, const Shape& index);

// Meshes and types by their text.
synth::MeshRef mesh_of(std::string_view text);
synth::ArrayType type_of(std::string_view text, const synth::MeshRef& mesh);

// Programs, a step at a time.
class Builder {
 public:
  explicit Builder(std::string_view mesh) : mesh_(mesh_of(mesh)) {}

  const synth::MeshRef& mesh() const { return mesh_; }
  synth::Program& program() { return program_; }
  RegisterId reg(const synth::ArrayType& type) { return program_.registers.add(type); }
  RegisterId reg(std::string_view type) { return reg(type_of(type, mesh_)); }
  RegisterId input(const synth::ArrayType& type);
  RegisterId input(std::string_view type) { return input(type_of(type, mesh_)); }
  RegisterId apply(synth::Operation operation, std::vector<RegisterId> operands, const synth::ArrayType& type);
  RegisterId apply(synth::Operation operation, std::vector<RegisterId> operands, std::string_view type) {
    return apply(std::move(operation), std::move(operands), type_of(type, mesh_));
  }
  void effect(synth::Operation operation, std::vector<RegisterId> operands = {});
  template <class T>
  RegisterId constant(const Array<T>& array, const synth::ArrayType& type) {
    return apply(synth::Constant{program_.literals.add(array.literal())}, {}, type);
  }
  template <class T>
  RegisterId constant(const Array<T>& array, std::string_view type) {
    return apply(synth::Constant{program_.literals.add(array.literal())}, {}, type);
  }
  RegisterId number(std::int64_t value) { return constant(Array<std::int64_t>::scalar(value), "i64[]"); }
  RegisterId collect(synth::CollectiveKind kind, RegisterId from, const synth::ArrayType& to);
  RegisterId collect(synth::CollectiveKind kind, RegisterId from, std::string_view to) {
    return collect(kind, from, type_of(to, mesh_));
  }
  void output(RegisterId id) { program_.outputs.push_back(id); }
  synth::StringId string(std::string text) { return program_.strings.add(std::move(text)); }

  // Steps go into `body` until the next call; null: the program's own.
  void into(synth::Body* body) { body_ = body; }
  void add(decltype(synth::Step::node) node);

 private:
  synth::MeshRef mesh_;
  synth::Program program_;
  synth::Body* body_ = nullptr;
  std::uint32_t origin_ = 0;
};

// A world that keeps what is written, and opens any file.
struct Recorder {
  std::string written;
  World world;
  Recorder();
};

Outcome run_well(const synth::Program& program, const std::vector<Value>& inputs = {});
base::Diagnostic run_badly(const synth::Program& program, const std::vector<Value>& inputs = {});

template <class T>
Value value_of(const Array<T>& array, const synth::ArrayType& type) {
  auto value = scatter(array.literal(), type);
  EXPECT_TRUE(value.ok());
  return *value;
}
template <class T>
Value value_of(const Array<T>& array, std::string_view type, const synth::MeshRef& mesh) {
  return value_of(array, type_of(type, mesh));
}
template <class T>
Array<T> gathered(const Value& value) {
  return array_of<T>(*gather(value));
}

// A mesh of at most 12 devices; a layout of an array on it: every axis unused, or on a dimension, in any order; some of
// them pending if asked for. From RapidCheck's present property.
synth::MeshRef random_mesh();
enum class Pending : std::uint8_t { never, perhaps };
synth::ArrayType random_type(ElementType element, const Shape& shape, const synth::MeshRef& mesh,
                             Pending pending = Pending::never);

// A folder of its own for one test, removed with it.
class Folder {
 public:
  Folder();
  ~Folder();
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }
  std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};
std::string read_text(const std::string& path);
void write_text(const std::string& path, std::string_view text);

bool has_numpy();
// Runs a Python script; true if it exits with 0.
bool run_python(const std::string& script, const std::string& arguments);

}  // namespace tessera::runtime::test
