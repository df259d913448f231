// SPDX-License-Identifier: Apache-2.0
// Checks over the network.
#ifndef RAMPART_USERSPACE_HEALTH_NETWORK_PROBER_H_
#define RAMPART_USERSPACE_HEALTH_NETWORK_PROBER_H_

#include <memory>

#include "health/probe.h"

namespace boost::asio {
class io_context;
}

namespace rampart::health {

// Probes run on `io`. Certificates are verified with the authorities that OpenSSL trusts (its
// SSL_CERT_FILE and SSL_CERT_DIR), as they are at the first https check. REQUIRES: `io` outlives the
// prober and its probes.
std::unique_ptr<Prober> make_network_prober(boost::asio::io_context& io);

}  // namespace rampart::health

#endif  // RAMPART_USERSPACE_HEALTH_NETWORK_PROBER_H_
