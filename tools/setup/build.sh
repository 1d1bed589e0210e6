# For scripts at the top of the tree: build <preset> [cmake options] configures and builds the preset, with ccache if it is installed.
build() {
  preset=$1
  shift
  launcher=
  if command -v ccache > /dev/null; then
    launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
  fi
  mkdir -p "build/$preset"
  if ! cmake --preset "$preset" $launcher "$@" > "build/$preset/configure.log" 2>&1; then
    cat "build/$preset/configure.log" >&2
    return 1
  fi
  # Only a terminal gets the hundreds of lines of progress; a log gets only errors.
  quiet=
  [ -t 1 ] || quiet="-- --quiet"
  cmake --build --preset "$preset" -j "$(nproc)" $quiet
}
