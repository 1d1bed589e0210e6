# completion_test.bash <build folder> <scratch>: what bash offers behind lines of weftrun, weft, weftsim and weftinfo, and that zsh can
# read its scripts where it is installed.
set -u
build=$1
rm -rf "$2"
mkdir -p "$2/folder"
cd -- "$2" || exit 1
touch program file.txt wave.actions
for program in weftrun weft weftsim weftinfo; do
  . "$build/share/bash-completion/completions/$program" || exit 1
done

failed=0
offered() { # <line>: what is offered behind it, in one line
  COMP_LINE=$1
  COMP_POINT=${#COMP_LINE}
  read -ra COMP_WORDS <<< "$COMP_LINE"
  "_${COMP_WORDS[0]}"
  printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u | paste -sd' '
}
expect() { # <line> <what must be offered>
  local found
  found=$(offered "$1")
  [ "$found" = "$2" ] || {
    echo "behind '$1': found '$found', expected '$2'"
    failed=1
  }
}

expect 'weftrun --lb-co' '--lb-continuous'
expect 'weftrun --lb gree' 'greedy greedy-refine'
expect 'weftrun --lb=gree' 'greedy greedy-refine'
expect 'weftrun -lb-when a' 'auto'
expect 'weftrun -n 4 --lb-summary ta' 'table'
expect 'weftrun --map-by ppr:2:node --bind y' 'yes'
expect 'weftrun --restart f' 'folder'
expect 'weftrun --hostfile f' 'file.txt folder'
expect 'weftrun -n ' ''
expect 'weftrun --genv VARIABLE value --tim' '--timeout'
expect 'weftrun --mca btl tcp --vers' '--version'
expect 'weftrun --rankf' ''
expect 'weftrun -n 4 ./pro' './program'
expect 'weftrun --tag-output -- ./pro' './program'
expect 'weftrun -n 4 ./program --out fi' 'file.txt'
expect 'weftrun -n 4 ./program : -n 2 --display' '--display --display-map'
expect 'weftinfo --f' '--functions'
expect 'weft ' 'evacuate ps resize stacks top'
expect 'weft stacks --f' '--full'
expect 'weft top --pl' '--plain'
expect 'weft ps --f' ''
expect 'weftsim compi' 'compile'
expect 'weftsim run --lb-w' '--lb-when'
expect 'weftsim run wave.actions --lb-when mi' 'migbsp'
expect 'weftsim run wav' 'wave.actions'
expect 'weftsim run --timeline wav' 'wave.actions'
expect 'weftsim generate --work-times wav' '' # a factor

# All that the help lists is offered, in every spelling.
for program in weftrun weftinfo; do
  for option in $("$build/bin/$program" --help | sed -n '/^Options/,/^$/s/^  \(-[^ ]*\(, -[^ ]*\)*\).*/\1/p' | tr -d ,); do
    case " $(offered "$program $option") " in
      *" $option "*) ;;
      *)
        echo "$program --help has $option, which is not offered"
        failed=1
        ;;
    esac
  done
done
for command in $("$build/bin/weftsim" --help | sed -n '/^Subcommands/,$s/^  \([a-z]*\) .*/\1/p'); do
  expect "weftsim $command" "$command"
  expect "weftsim $command --hel" '--help'
done
if command -v zsh > /dev/null; then
  for script in "$build"/share/zsh/site-functions/_*; do
    zsh -n "$script" || failed=1
  done
fi
[ $failed = 1 ] || echo "completion: ok"
exit $failed
