# fish: what can stand at the cursor of a `tessera` command line. Commands and options are those that --help lists.

function __tessera_commands
    COLUMNS=1000 tessera --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __tessera_options
    set -l command (commandline -opc | sed 1d | string match -r '^[a-z]\w*$')[1]
    COLUMNS=1000 tessera $command --help 2>/dev/null | sed -n 's/^  \(-[^ ]*,\)\{0,1\}\(--[a-z-]*\)[^ ]* *\(.*\)/\2\t\3/p'
end

complete -c tessera -n __fish_use_subcommand -f -a '(__tessera_commands)'
complete -c tessera -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__tessera_options)'
complete -c tessera -n '__fish_prev_arg_in --backend' -f -a 'sim mpi'
complete -c tessera -n '__fish_prev_arg_in --reshard' -f -a 'silent warn error'
complete -c tessera -n '__fish_prev_arg_in --after' -f -a 'elaborate assign insert lower'
complete -c tessera -n '__fish_prev_arg_in --planner' -f -a 'tessera paper xla shardy dtensor gather ring smp p2'
