/** Prints scripts for the completion of shells. */

import { CommandError } from '../command-error.js'
import { type CommandLine, print } from '../command-line.js'

const scripts: Readonly<Record<string, string>> = {
  bash: `_cofferkit() {
  local IFS=$'\\n'
  COMPREPLY=($(cofferkit __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _cofferkit cofferkit`,
  zsh: `#compdef cofferkit
_cofferkit() {
  local -a proposals
  proposals=("\${(@f)$(cofferkit __complete zsh "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${proposals[1]}" ]]; then _describe cofferkit proposals; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _cofferkit cofferkit`,
}

/** Prints the script of a shell. */
export async function completion(this: CommandLine, _flags: object, shell: string): Promise<void> {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined) throw new CommandError('SHELL must be bash or zsh')
  print(this, script)
}
