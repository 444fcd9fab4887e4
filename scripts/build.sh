#!/usr/bin/env bash
# The one entry for people and CI. Keeps its Python environment in .venv of the checkout.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
venv="$root/.venv"
cache="${NORMGRAD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/normgrad}"

usage() {
  cat <<'TEXT'
usage: scripts/build.sh COMMAND [ARGUMENT ...]
  verify [ARG ...]  run the smoke suite on the twin; arguments go to `normgrad verify`
  test [--full]     run the tests; --full adds the slow ones; other arguments go to pytest
  check             format, lint, types, spelling, warnings of the C++ as errors
  build             build the planner, the twin and the units of the smoke suite
  package [ARG ...] build CANN's package of operators; --dry-run stages and checks it without CANN
  check-cann        compile the sources against the headers of the CANN in ASCEND_HOME_PATH
  npu [ARG ...]     build, install privately, verify and time on this computer's NPU
  format            apply the formatters
  clean             remove .venv and every product of builds and runs
TEXT
}

say() { echo "build.sh: $*" >&2; }
die() { say "$*"; exit 2; }

find_python() {
  local python
  for python in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.10}; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        die "$python has no venv module: install it (Debian, Ubuntu: apt-get install python3-venv)"
      echo "$python"
      return
    fi
  done
  die "no Python 3.10 or newer${PYTHON:+ in PYTHON=$PYTHON}: install python3 and python3-venv, or set PYTHON"
}

need_compilers() {
  command -v cmake >/dev/null || die "cmake not found: install cmake 3.16 or newer"
  local cxx="${CXX:-}"
  [ -n "$cxx" ] || cxx="$(command -v g++ || command -v clang++ || true)"
  [ -n "$cxx" ] && command -v "$cxx" >/dev/null ||
    die "no C++ compiler found: install g++ 11 or newer (or clang 14), or set CXX"
}

# environment run|dev|cluster: the packages of requirements/<name>.txt and this package, editable. The stamp
# is what they depend on, so that a second start costs two checksums.
environment() {
  local want have
  want="$( (cat "$root/requirements/$1.txt" "$root/pyproject.toml"; echo "$root") | cksum)"
  have="$(cat "$venv/.stamp-$1" 2>/dev/null || true)"
  export PATH="$venv/bin:$PATH" VIRTUAL_ENV="$venv" PIP_USER=0
  unset PYTHONHOME
  if [ "$have" = "$want" ] && "$venv/bin/python" -c '' 2>/dev/null; then return; fi
  local python pip=("$venv/bin/python" -m pip --disable-pip-version-check --no-input -q)
  if ! "$venv/bin/python" -c 'import pip' 2>/dev/null ||
    [ "$(cat "$venv/.root" 2>/dev/null)" != "$root" ]; then  # a moved environment does not work
    python="$(find_python)"
    say "creating .venv with $("$python" --version)"
    "$python" -m venv --clear "$venv"
    echo "$root" >"$venv/.root"
  fi
  say "installing the locked packages of requirements/$1.txt"
  "${pip[@]}" install --require-hashes -r "$root/requirements/$1.txt" ||
    die "pip could not install the locked packages (its reason is above); the first start needs a package index"
  # The project itself without a build: a path file and a launcher, so that sources stay live.
  local site=("$venv"/lib/python3*/site-packages) launcher="$venv/bin/normgrad"
  echo "$root/python" >"${site[0]}/normgrad.pth"
  echo "#!/bin/sh
PATH='$venv/bin':\$PATH exec '$venv/bin/python' -m normgrad \"\$@\"" >"$launcher"
  chmod +x "$launcher"
  echo "$want" >"$venv/.stamp-$1"
}

cxx_files() { find op_kernel op_host tiling twin tests examples -name '*.h' -o -name '*.cpp' | sort; }

run_check() {
  cd "$root"
  say "clang-format, ruff, mypy, codespell"
  cxx_files | xargs clang-format --dry-run -Werror --ferror-limit=1
  ruff check
  ruff format --check
  mypy --strict python/normgrad
  codespell
  say "C++ with warnings as errors"
  cmake -G Ninja -S . -B build/check -DNORMGRAD_WERROR=ON >/dev/null
  cmake --build build/check -- --quiet
  say "check: clean"
}

run_clean() {
  cd "$root"
  local path
  for path in .venv build dist normgrad-report .pytest_cache .mypy_cache .ruff_cache .hypothesis \
    "$cache"/{tiling,twin,acl,host,unit,work,selftest}-*; do  # the cache folder may be anybody's: only what is ours
    if [ -e "$path" ]; then rm -rf "$path" && say "removed $path"; fi
  done
  find . -name .git -prune -o -type d -name __pycache__ -print0 | xargs -0r rm -rf
}

command="${1:-}"
[ $# -gt 0 ] && shift
case "$command" in
  verify)
    need_compilers
    environment run
    NORMGRAD_HINT="\`normgrad\` is in .venv/bin: source .venv/bin/activate" \
      exec python -m normgrad verify "$@"
    ;;
  test)
    need_compilers
    environment dev
    cd "$root"
    args=(-n 2 --dist loadgroup)
    for arg in "$@"; do
      if [ "$arg" != --full ]; then args+=("$arg"); continue; fi
      environment cluster
      args+=(-m "full or not full")
    done
    exec python -m pytest "${args[@]}"
    ;;
  check)
    need_compilers
    environment dev
    run_check
    ;;
  build)
    need_compilers
    environment run
    say "planner, twin and the units of the smoke suite, into $cache"
    exec python -m normgrad.prebuild smoke
    ;;
  package | check-cann | npu)
    environment run
    exec python -m "normgrad.${command/-/_}" "$@"
    ;;
  format)
    environment dev
    cd "$root"
    cxx_files | xargs clang-format -i
    ruff check --fix --select I
    ruff format
    ;;
  clean) run_clean ;;
  -h | --help | help) usage ;;
  "") usage >&2; exit 2 ;;
  *) die "unknown command '$command': choose verify, test, check, build, package, check-cann, npu, format, clean or help" ;;
esac
