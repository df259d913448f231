// SPDX-License-Identifier: Apache-2.0
#include "http/program.h"
#include "program/options.h"

int main(int argc, char* argv[]) {
  return rampart::program::run_main({.name = "rampart-http",
                                     .what = "the HTTP proxy of the Rampart load balancer",
                                     .attaches = false},
                                    argc, argv, rampart::http::run);
}
