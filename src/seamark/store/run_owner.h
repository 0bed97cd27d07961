// Which process runs a run: so that a run that is still going on is not resumed a second time. Internal
// to the room.
#pragma once

#include <string>
#include <string_view>

#include "seamark/base/result.h"

namespace seamark::store {

// "HOST/PID/START" of this process; START is empty where the system does not tell it.
std::string this_process();
// The process id when `owner` names a live process of this host, else 0.
long live_owner(std::string_view owner);
// kLocked when the owner of the run lives.
Status check_ended(std::string_view uuid, std::string_view owner);

}  // namespace seamark::store
