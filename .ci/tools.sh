# What scripts of CI share: programs of others, kept outside of the tree.

# A folder below $1 with a Python environment of the packages that the list $2 names, made anew where the list changed; prints it. Fails where there is no package index.
python_tools() {
  local tools
  tools=$1/$(sha256sum "$2" | cut -c1-16)
  if [ ! -e "$tools/ready" ]; then
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$2" >&2 || return 1
    "$tools/bin/pip" check --disable-pip-version-check >/dev/null
    touch "$tools/ready"
  fi
  echo "$tools"
}
