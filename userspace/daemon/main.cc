// SPDX-License-Identifier: Apache-2.0
#include "daemon/daemon.h"
#include "program/options.h"

int main(int argc, char* argv[]) {
  return rampart::program::run_main(
      {.name = "rampartd", .what = "the daemon of the Rampart load balancer"}, argc, argv,
      rampart::daemon::run);
}
