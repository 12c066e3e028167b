#ifndef MEGASCALE_CONTROL_SECURE_RENEWAL_H_
#define MEGASCALE_CONTROL_SECURE_RENEWAL_H_

#include <chrono>

#include "megascale/control/secure/authorisation.h"
#include "megascale/control/secure/authority.h"
#include "megascale/control/secure/client.h"

// Certificates are valid for 90 days. A member renews its own over mutual TLS: it gets a new
// certificate for the same key and identity.
namespace megascale::secure {

// The verb "Renew" of an endpoint on the host of the authority, which must outlive the endpoint.
[[nodiscard]] Verb renew_verb(Authority& authority);
// Renews the certificate of `credentials` if less than a third of its time is left: calls the verb,
// checks the reply, replaces the file and updates `credentials`. Returns whether it did. Errors as
// Client::call(); bad_input if the reply is not a certificate for this member and key.
[[nodiscard]] Result<bool> renew_if_due(Client& client, Credentials& credentials,
                                        std::chrono::milliseconds limit);

}  // namespace megascale::secure

#endif  // MEGASCALE_CONTROL_SECURE_RENEWAL_H_
