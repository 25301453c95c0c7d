# bash: what can stand at the cursor of a `tessera` command line. Commands and options are those that --help lists.

_tessera() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == [a-z]* ]] && command=$word && break
  done
  case $before in
    --backend) mapfile -t COMPREPLY < <(compgen -W 'sim mpi' -- "$current") && return ;;
    --reshard) mapfile -t COMPREPLY < <(compgen -W 'silent warn error' -- "$current") && return ;;
    --after) mapfile -t COMPREPLY < <(compgen -W 'elaborate assign insert lower' -- "$current") && return ;;
    --planner)
      mapfile -t COMPREPLY < <(compgen -W 'tessera paper xla shardy dtensor gather ring smp p2' -- "$current") && return
      ;;
  esac
  local help words=''
  help=$(COLUMNS=1000 "${COMP_WORDS[0]}" ${command:+"$command"} --help 2>/dev/null)
  if [[ $current == -* ]]; then
    words=$(sed -n 's/^  \(-[-a-z,]*\).*/\1/p' <<<"$help" | tr ',' '\n')
  elif [[ -z $command ]]; then
    words=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$help")
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
# Where nothing of this fits, a file does.
complete -o default -F _tessera tessera
