#include "megascale/control/secure/connection_table.h"

#include <algorithm>

#include "megascale/base/error.h"

namespace megascale::secure {

ConnectionTable::Address& ConnectionTable::busiest() {
  const auto most =
      std::max_element(addresses_.begin(), addresses_.end(), [](const auto& a, const auto& b) {
        return a.second.pending.size() < b.second.pending.size();
      });
  MEGASCALE_CHECK(most != addresses_.end() && !most->second.pending.empty(),
                  "the busiest address has a pending connection");
  return most->second;
}

std::vector<ConnectionTable::Id> ConnectionTable::add(Id id, const HostPort& peer, Time now) {
  entries_.emplace(id, Entry{.peer = peer, .since = now});
  Address& address = addresses_[peer.host];
  address.ports[peer.port] = id;
  address.pending.insert(id);
  ++pending_;
  const std::size_t members = address.ports.size() - address.pending.size();
  if (members >= limits_.per_address) return {id};
  if (address.pending.size() > limits_.pending_per_address ||
      address.ports.size() > limits_.per_address)
    return {*address.pending.begin()};
  if (pending_ > limits_.pending || entries_.size() > limits_.in_total)
    return {*busiest().pending.begin()};
  return {};
}

void ConnectionTable::admit(const HostPort& peer) {
  const auto address = addresses_.find(peer.host);
  if (address == addresses_.end()) return;
  const auto port = address->second.ports.find(peer.port);
  if (port == address->second.ports.end()) return;
  Entry& entry = entries_.at(port->second);
  if (!entry.pending) return;
  entry.pending = false;
  address->second.pending.erase(port->second);
  --pending_;
}

void ConnectionTable::remove(Id id) {
  const auto entry = entries_.find(id);
  if (entry == entries_.end()) return;
  const auto address = addresses_.find(entry->second.peer.host);
  if (entry->second.pending) {
    address->second.pending.erase(id);
    --pending_;
  }
  const auto port = address->second.ports.find(entry->second.peer.port);
  // The port may already belong to a newer connection of the same host.
  if (port != address->second.ports.end() && port->second == id) address->second.ports.erase(port);
  if (address->second.ports.empty() && address->second.pending.empty()) addresses_.erase(address);
  entries_.erase(entry);
}

std::vector<ConnectionTable::Id> ConnectionTable::overdue(Time now) const {
  std::vector<Id> ids;
  for (const auto& [host, address] : addresses_) {
    for (const Id id : address.pending) {
      if (now - entries_.at(id).since < limits_.pending_for) break;  // the others are younger
      ids.push_back(id);
    }
  }
  return ids;
}

}  // namespace megascale::secure
