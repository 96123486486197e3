import { PROGRAM } from "../command.ts";

const ASK = `${PROGRAM} complete --`;

/** The scripts that ask the program for candidates. */
export const SCRIPTS = {
  bash: `_shared_infrastructure() {
  local word=\${COMP_WORDS[COMP_CWORD]#=} IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(${ASK} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | grep -v '^:' | cut -f1)" -- "$word"))
}
complete -o default -F _shared_infrastructure ${PROGRAM}
`,
  zsh: `#compdef ${PROGRAM}
_shared_infrastructure() {
  local -a found
  found=(\${(f)"$(${ASK} "\${(@)words[2,CURRENT]}" 2>/dev/null | grep -v '^:' | sed 's/:/\\\\:/g' | tr '\\t' ':')"})
  if (( $#found )); then _describe candidate found; else _files; fi
}
if [[ \${funcstack[1]} == _${PROGRAM} ]]; then _shared_infrastructure; else compdef _shared_infrastructure ${PROGRAM}; fi
`,
  fish: `function __shared_infrastructure
  set -g __shared_infrastructure_found (${ASK} (commandline -opc)[2..] (commandline -ct) 2>/dev/null | string match -v ':*')
  test -n "$__shared_infrastructure_found"
end
complete -c ${PROGRAM} -n __shared_infrastructure -f -a '$__shared_infrastructure_found'
`,
} as const;
