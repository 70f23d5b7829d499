#!/usr/bin/env bash
# Installs the real name servers, CA, ACME clients and AWS emulator that tests and benchmarks run: Debian packages (needs
# root or sudo), pebble (needs Go) and moto (PyPI). Installs only what is missing; safe to repeat. --check only says what
# is missing.
set -euo pipefail

# command:package of Debian 12 or newer
wanted=(
  named:bind9 named-checkconf:bind9-utils dnssec-keygen:bind9-utils dnssec-signzone:bind9-utils nsupdate:bind9-dnsutils dig:bind9-dnsutils
  knotd:knot
  pdns_server:pdns-server pdnsutil:pdns-server sqlite3:sqlite3
  lego:lego certbot:certbot
  openssl:openssl setpriv:util-linux unshare:util-linux ip:iproute2
  python3:python3
)
wanted_files=(
  /usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql:pdns-backend-sqlite3
  /usr/lib/python3/dist-packages/certbot_dns_rfc2136:python3-certbot-dns-rfc2136
)
pebble_version=$(sed -n "s/^export const pebbleVersion = '\(.*\)';/\1/p" "$(dirname "$0")/farm/src/tools.ts")
pebble_folder="${XDG_CACHE_HOME:-$HOME/.cache}/zoneproof/pebble-$pebble_version"
moto_version=$(sed -n "s/^export const motoVersion = '\(.*\)';/\1/p" "$(dirname "$0")/farm/src/tools.ts")
moto_folder="${XDG_CACHE_HOME:-$HOME/.cache}/zoneproof/moto-$moto_version"
PATH="$PATH:/usr/sbin:/sbin:/usr/local/go/bin"

main() {
  mapfile -t packages < <(missing_packages)
  if [ "${1:-}" = --check ]; then
    [ "${#packages[@]}" -eq 0 ] || echo "missing: ${packages[*]}"
    [ -x "$pebble_folder/pebble" ] || echo "missing: pebble $pebble_version"
    [ -x "$moto_folder/bin/moto_server" ] || echo "missing: moto $moto_version"
    [ "${#packages[@]}" -eq 0 ] && [ -x "$pebble_folder/pebble" ] && [ -x "$moto_folder/bin/moto_server" ]
    return
  fi
  [ "${#packages[@]}" -eq 0 ] || install_packages "${packages[@]}"
  [ -x "$pebble_folder/pebble" ] || build_pebble
  [ -x "$moto_folder/bin/moto_server" ] || install_moto
  mapfile -t packages < <(missing_packages)
  if [ "${#packages[@]}" -gt 0 ]; then
    echo "still missing after the installation: ${packages[*]}" >&2
    return 1
  fi
}

missing_packages() {
  local pair
  {
    for pair in "${wanted[@]}"; do command -v "${pair%%:*}" >/dev/null || echo "${pair#*:}"; done
    for pair in "${wanted_files[@]}"; do [ -e "${pair%%:*}" ] || echo "${pair#*:}"; done
  } | sort -u
}

install_packages() {
  command -v apt-get >/dev/null || { echo "no apt-get here: install by hand: $*" >&2; return 1; }
  root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  # Debian starts the servers it installs; a policy of "never" keeps them off for the length of this installation.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | "${root[@]}" tee "$policy" >/dev/null
    "${root[@]}" chmod 755 "$policy"
    trap '"${root[@]}" rm -f "$policy"' EXIT
  fi
  "${root[@]}" apt-get update -q
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

build_pebble() {
  command -v go >/dev/null || { echo "pebble is built from source: install Go (https://go.dev/dl/)" >&2; return 1; }
  GOBIN="$pebble_folder" go install "github.com/letsencrypt/pebble/v2/cmd/pebble@v$pebble_version"
}

# Debian's python3 makes a venv only with the package python3-venv; others bring it along.
install_moto() {
  python3 -c 'import ensurepip' 2>/dev/null || install_packages python3-venv
  rm -rf "$moto_folder"
  python3 -m venv "$moto_folder"
  "$moto_folder/bin/pip" install -q --disable-pip-version-check "moto[server]==$moto_version"
}

main "$@"
