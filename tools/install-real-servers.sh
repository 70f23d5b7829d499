#!/usr/bin/env bash
# Installs the real name servers, CA, ACME clients, Kubernetes API server and AWS emulator that tests and benchmarks run:
# Debian packages (needs root or sudo), pebble, Kubernetes with its etcd, and helm (built with Go; Kubernetes takes 10
# minutes the first time), moto (PyPI). Installs only what is missing; safe to repeat. --check only says what is missing.
set -euo pipefail

# command:package of Debian 12 or newer
wanted=(
  named:bind9 named-checkconf:bind9-utils dnssec-keygen:bind9-utils dnssec-signzone:bind9-utils nsupdate:bind9-dnsutils dig:bind9-dnsutils
  knotd:knot
  pdns_server:pdns-server pdnsutil:pdns-server sqlite3:sqlite3
  lego:lego certbot:certbot
  openssl:openssl setpriv:util-linux unshare:util-linux ip:iproute2
  python3:python3 promtool:prometheus
)
wanted_files=(
  /usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql:pdns-backend-sqlite3
  /usr/lib/python3/dist-packages/certbot_dns_rfc2136:python3-certbot-dns-rfc2136
)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/zoneproof"
version_of() { sed -n "s/^export const $1Version = '\(.*\)';/\1/p" "$(dirname "$0")/farm/src/tools.ts"; }
pebble_version=$(version_of pebble)
pebble_folder="$cache/pebble-$pebble_version"
moto_version=$(version_of moto)
moto_folder="$cache/moto-$moto_version"
helm_version=$(version_of helm)
helm_folder="$cache/helm-$helm_version"
kubernetes_version=$(version_of kubernetes)
kubernetes_folder="$cache/kubernetes-$kubernetes_version"
PATH="$PATH:/usr/sbin:/sbin:/usr/local/go/bin"

# name, version, what has to be there when it is installed, function that installs it
built=(
  "pebble $pebble_version $pebble_folder/pebble build_pebble"
  "moto $moto_version $moto_folder/bin/moto_server install_moto"
  "helm $helm_version $helm_folder/helm build_helm"
  "kubernetes $kubernetes_version $kubernetes_folder/kube-apiserver build_kubernetes"
)

main() {
  local name version file install
  mapfile -t packages < <(missing_packages)
  if [ "${1:-}" = --check ]; then
    local complete=true
    [ "${#packages[@]}" -eq 0 ] || { echo "missing: ${packages[*]}"; complete=false; }
    while read -r name version file install; do
      [ -x "$file" ] || { echo "missing: $name $version"; complete=false; }
    done < <(printf '%s\n' "${built[@]}")
    "$complete"
    return
  fi
  [ "${#packages[@]}" -eq 0 ] || install_packages "${packages[@]}"
  while read -r name version file install <&3; do
    [ -x "$file" ] || "$install"
  done 3< <(printf '%s\n' "${built[@]}")
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
  need_go pebble
  GOBIN="$pebble_folder" go install "github.com/letsencrypt/pebble/v2/cmd/pebble@v$pebble_version"
}

build_helm() {
  need_go helm
  GOBIN="$helm_folder" go install "helm.sh/helm/v3/cmd/helm@v$helm_version"
}

# All from one module, with the versions that Kubernetes itself is released with: they share most of what is compiled.
# Its go.mod replaces its own libraries by folders, which a module that is downloaded does not have.
build_kubernetes() {
  need_go Kubernetes
  local work="$kubernetes_folder.build" original
  # What an earlier try left behind, when it was broken off.
  rm -rf "$work"
  mkdir -p "$work/bin"
  original=$(go mod download -json "k8s.io/kubernetes@v$kubernetes_version" | sed -n 's/^.*"GoMod": "\(.*\)".*$/\1/p')
  {
    echo 'module kubernetes-for-tests'
    sed -n '/^go /p' "$original"
    echo "require k8s.io/kubernetes v$kubernetes_version"
    sed -n "s#^\t\(k8s.io/[^ ]*\) => \./staging/.*#replace \1 => \1 v0.${kubernetes_version#*.}#p" "$original"
    printf 'tool k8s.io/kubernetes/cmd/%s\n' kube-apiserver kube-controller-manager kubectl
    echo 'tool go.etcd.io/etcd/server/v3'
  } >"$work/go.mod"
  local stamp="-X k8s.io/component-base/version.gitVersion=v$kubernetes_version"
  stamp+=" -X k8s.io/client-go/pkg/version.gitVersion=v$kubernetes_version"
  GOFLAGS=-mod=mod go -C "$work" mod tidy
  CGO_ENABLED=0 go -C "$work" build -trimpath -o bin/ \
    -ldflags "-s -w $stamp" tool
  mv "$work/bin/server" "$work/bin/etcd"
  mv "$work/bin" "$kubernetes_folder"
  rm -rf "$work"
}

need_go() {
  command -v go >/dev/null || { echo "$1 is built from source: install Go (https://go.dev/dl/)" >&2; return 1; }
}

# Debian's python3 makes a venv only with the package python3-venv; others bring it along.
install_moto() {
  python3 -c 'import ensurepip' 2>/dev/null || install_packages python3-venv
  rm -rf "$moto_folder"
  python3 -m venv "$moto_folder"
  "$moto_folder/bin/pip" install -q --disable-pip-version-check "moto[server]==$moto_version"
}

main "$@"
