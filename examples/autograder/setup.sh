#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image of the autograder.
set -euo pipefail
apt-get update
apt-get install -y --no-install-recommends python3
cd /autograder/source
tar -xzf lodestone-*-x86_64-linux.tar.gz -C /usr/local/bin --strip-components=1 --wildcards '*/referee'
useradd --no-create-home student
