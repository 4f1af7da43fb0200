#!/usr/bin/env bash
# Makes what the integration tests run with, in the repository: .venv with the pinned Python packages, .cache with the
# JDBC driver and the S3 server. Does nothing when that is done already.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in go cc python3 java; do
  command -v "$tool" >/dev/null || { echo "setup: $tool is not installed; the README lists what is needed" >&2; exit 1; }
done
stamp=.venv/.installed
if ! cmp -s integration/requirements.txt "$stamp"; then
  [ -x .venv/bin/python ] || python3 -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r integration/requirements.txt
  cp integration/requirements.txt "$stamp"
fi
mkdir -p .cache
if [ ! -s .cache/jdbc-driver ] || [ ! -s "$(cat .cache/jdbc-driver)" ]; then
  .venv/bin/python integration/fetch_jdbc.py .cache/maven >.cache/jdbc-driver
fi
gateway=github.com/versity/versitygw/cmd/versitygw@v1.8.0
if [ ! -x .cache/versitygw ] || [ "$(cat .cache/versitygw.version 2>/dev/null)" != "$gateway" ]; then
  GOBIN="$PWD/.cache" GOFLAGS= CGO_ENABLED=0 go install "$gateway"
  echo "$gateway" >.cache/versitygw.version
fi
