// How a session gets its messenger: libtessera_openmpi and libtessera_mpich hand it to libtessera, which knows no MPI.
// All three come from one build; nothing here is stable.
#pragma once

#include <functional>
#include <memory>

#include "base/result.hpp"
#include "runtime/ranks/messenger.hpp"
#include "tessera/tessera.hpp"

namespace tessera {

struct Team::Impl {
  // Called on all ranks, once for each session that is not a fork.
  std::function<base::Result<std::unique_ptr<runtime::Messenger>>()> make_messenger;
};

}  // namespace tessera
