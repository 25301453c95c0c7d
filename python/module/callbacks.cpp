#include "python/module/callbacks.hpp"

#include <nanobind/stl/string.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "python/module/errors.hpp"

namespace tessera::python {

namespace {

nb::object borrow(PyObject* function) { return nb::borrow(function); }

const char* name_of(FileUse use) {
  switch (use) {
    case FileUse::read: return "read";
    case FileUse::create: return "create";
    case FileUse::join: return "join";
  }
  return "";
}

// What the host's function for files gave: a descriptor, an object that has one, or why there is none.
HostFile host_file(const nb::object& given) {
  HostFile file;
  if (nb::isinstance<nb::str>(given)) {
    file.why = nb::cast<std::string>(given);
  } else if (given.is_none()) {
    file.why = "the host's function gave None";
  } else if (nb::isinstance<nb::int_>(given)) {
    file.descriptor = nb::cast<int>(given);
  } else if (nb::hasattr(given, "fileno")) {
    // The object closes its own.
    file.descriptor = dup(nb::cast<int>(given.attr("fileno")()));
  } else {
    throw nb::type_error("files: the function gives a descriptor, a file that is open, or a text that says why not");
  }
  return file;
}

}  // namespace

Callbacks::Callbacks(const std::array<nb::object, kCount>& functions)
    : held_(functions), borrowed_(std::make_shared<Borrowed>()) {
  lend();
}

void Callbacks::install(Config& config) const {
  const std::shared_ptr<Borrowed> from = borrowed_;
  const auto has = [&](Which which) { return !held_[which].is_none(); };
  const auto function = [from](Which which) { return borrow(from->functions[which].load()); };
  if (has(output)) {
    config.output = [function](std::string_view text) {
      const nb::gil_scoped_acquire locked;
      if (text.ends_with('\n')) text.remove_suffix(1);  // print writes one
      function(output)(nb::str(text.data(), text.size()));
    };
  }
  if (has(log)) {
    config.log = [function](const Diagnostic& diagnostic) {
      const nb::gil_scoped_acquire locked;
      function(log)(to_python(diagnostic));
    };
  }
  if (has(progress)) {
    config.progress = [function](const Progress& now) {
      const nb::gil_scoped_acquire locked;
      function(progress)(now.step, now.steps, now.received_bytes);
    };
  }
  if (has(open_file)) {
    config.files.kind = FilePolicy::Kind::host;
    config.files.open = [function](const std::string& name, FileUse use) {
      const nb::gil_scoped_acquire locked;
      return host_file(function(open_file)(name, name_of(use)));
    };
  }
}

void Callbacks::lend() const {
  if (is_cleared_) throw std::runtime_error("the session is being taken apart by the collector of garbage");
  for (std::size_t i = 0; i < kCount; ++i) borrowed_->functions[i].store(held_[i].ptr());
}

int Callbacks::traverse(visitproc visit, void* argument) const {
  for (const nb::object& function : held_) {
    if (PyObject* const held = function.ptr(); held != nullptr) {
      if (const int stopped = visit(held, argument); stopped != 0) return stopped;
    }
  }
  return 0;
}

void Callbacks::clear() {
  is_cleared_ = true;
  for (nb::object& function : held_) function.reset();
}

}  // namespace tessera::python
