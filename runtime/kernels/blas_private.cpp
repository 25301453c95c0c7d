#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "runtime/kernels/blas_library.hpp"
#include "runtime/kernels/blas_scratch.hpp"

namespace tessera::runtime {

namespace {

using Jump = ElfW(Rela);
using Symbol = ElfW(Sym);
using Noted = ElfW(Dyn);

constexpr const char* kTake = "blas_memory_alloc";

// The folder that this code is in, with a slash at its end.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

// RTLD_LOCAL: nobody else finds its functions. RTLD_DEEPBIND: it finds its own before the host's; OpenBLAS calls itself
// through the dynamic linker, so that a host's OpenBLAS would otherwise give this one its buffers and its kernels.
// Without a library `missing` says why.
void* open_library(std::string& missing) {
  for (const std::string& path : {own_folder() + "libtessera_openblas.so", std::string(TESSERA_BLAS_PATH)}) {
    if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)) return library;
    missing += fmt::format("{}{}", missing.empty() ? "" : "; ", dlerror());
  }
  return nullptr;
}

// The dynamic linker's record of an opened library: the table of functions that are called through it, and their names.
class CalledFunctions {
 public:
  explicit CalledFunctions(void* library) {
    if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map_)) != 0) return;
    for (const Noted* entry = map_->l_ld; entry->d_tag != DT_NULL; ++entry) {
      const auto value = static_cast<std::uint64_t>(entry->d_un.d_val);
      switch (entry->d_tag) {
        case DT_JMPREL: entries_ = at<Jump>(value); break;
        case DT_PLTRELSZ: count_ = value / sizeof(Jump); break;
        case DT_PLTREL: has_addends_ = value == DT_RELA; break;
        case DT_SYMTAB: symbols_ = at<Symbol>(value); break;
        case DT_STRTAB: names_ = at<char>(value); break;
        case DT_BIND_NOW: sealed_ = true; break;
        case DT_FLAGS: sealed_ = sealed_ || (value & DF_BIND_NOW) != 0; break;
        case DT_FLAGS_1: sealed_ = sealed_ || (value & DF_1_NOW) != 0; break;
        default: break;
      }
    }
  }

  // The entry of that table for the function `name`; null if the library does not call it through the table.
  void** find(const char* name) const {
    if (entries_ == nullptr || symbols_ == nullptr || names_ == nullptr || !has_addends_) return nullptr;
    for (std::size_t i = 0; i < count_; ++i) {
      const Symbol& symbol = symbols_[ELF64_R_SYM(entries_[i].r_info)];
      if (std::strcmp(names_ + symbol.st_name, name) == 0) {
        return static_cast<void**>(pointer_to(map_->l_addr + entries_[i].r_offset));
      }
    }
    return nullptr;
  }

  // A table that is filled as the library is opened is read-only from then on.
  void write(void** entry, void* address) const {
    const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    void* const page = pointer_to(reinterpret_cast<std::uintptr_t>(entry) / size * size);
    if (sealed_) TESSERA_CHECK(mprotect(page, size, PROT_READ | PROT_WRITE) == 0, "a page that cannot be opened");
    *entry = address;
    if (sealed_) TESSERA_CHECK(mprotect(page, size, PROT_READ) == 0, "a page that cannot be closed");
  }

 private:
  // An address, which some systems keep as the distance from where the library begins.
  template <class T>
  const T* at(std::uint64_t value) const {
    return static_cast<const T*>(pointer_to(value < map_->l_addr ? map_->l_addr + value : value));
  }
  // Counted from a pointer into the library: a number by itself points nowhere.
  void* pointer_to(std::uint64_t address) const {
    char* const known = reinterpret_cast<char*>(map_->l_ld);
    return known + static_cast<std::ptrdiff_t>(address - reinterpret_cast<std::uintptr_t>(known));
  }

  link_map* map_ = nullptr;
  const Jump* entries_ = nullptr;
  std::size_t count_ = 0;
  bool has_addends_ = false;
  const Symbol* symbols_ = nullptr;
  const char* names_ = nullptr;
  bool sealed_ = false;
};

void* (*take_theirs)(int kind) = nullptr;

void* take_alone(int kind) {
  const std::scoped_lock lock(scratch_list());
  return take_theirs(kind);
}

// From now on the library comes to us when it wants a buffer of its list. Did the library let us?
bool come_before_its_own(void* library) {
  const CalledFunctions called(library);
  void** const entry = called.find(kTake);
  if (entry == nullptr) return false;
  called.write(entry, reinterpret_cast<void*>(&take_alone));
  return true;
}

}  // namespace

namespace {

// Sets `found`; what has no such function is no OpenBLAS.
template <class F>
void look_up(void* library, const char* name, F& found, std::string& missing) {
  found = reinterpret_cast<F>(dlsym(library, name));
  if (found == nullptr) missing = fmt::format("the library that was opened has no {}", name);
}

BlasLibrary open() {
  BlasLibrary library;
  std::string missing;
  void* const opened = open_library(missing);
  library.missing = std::move(missing);
  if (opened == nullptr) return library;
  library.missing.clear();
  look_up(opened, "cblas_sgemm", library.sgemm, library.missing);
  look_up(opened, "cblas_dgemm", library.dgemm, library.missing);
  look_up(opened, "cblas_ssyrk", library.ssyrk, library.missing);
  look_up(opened, "cblas_dsyrk", library.dsyrk, library.missing);
  look_up(opened, "openblas_get_corename", library.processor, library.missing);
  look_up(opened, kTake, library.take_buffer, library.missing);
  look_up(opened, "blas_memory_free", library.give_buffer_back, library.missing);
  if (!library.missing.empty()) return library;
  take_theirs = library.take_buffer;
  library.keeps_calls_apart = come_before_its_own(opened);
  return library;
}

}  // namespace

const BlasLibrary& blas_library() {
  static const BlasLibrary library = open();
  return library;
}

}  // namespace tessera::runtime
