/** The command `completion`: prints scripts for shells, and answers them. */

import { type Application, buildCommand, proposeCompletions } from '@stricli/core'
import { CommandError } from './command-error.js'
import { type CommandLine, print } from './command-line.js'

/** Prints a script for the completion of a shell. */
export const completionCommand = buildCommand<object, [shell: string], CommandLine>({
  func: completion,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'bash or zsh', placeholder: 'SHELL', parse: String }],
    },
  },
  docs: {
    brief: 'Print a script that completes commands and flags in bash or zsh',
    fullDescription: [
      'For bash, add this line to ~/.bashrc, and for zsh the same with zsh to ~/.zshrc:',
      '',
      '  source <(cofferkit completion bash)',
    ].join('\n'),
  },
})

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
async function completion(this: CommandLine, _flags: object, shell: string): Promise<void> {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined) throw new CommandError('SHELL must be bash or zsh')
  print(this, script)
}

/**
 * Prints the words that can follow, one per line.
 * @param parameters - The shell, and the words after `cofferkit` up to the cursor.
 */
export async function complete(
  line: CommandLine,
  application: Application<CommandLine>,
  [shell, ...words]: readonly string[],
): Promise<void> {
  const proposals = await proposeCompletions(application, words, line)
  const last = words.at(-1) ?? ''
  for (const { completion, brief } of proposals) {
    if (!completion.startsWith(last)) continue
    print(line, shell === 'zsh' ? `${completion.replaceAll(':', '\\:')}:${brief}` : completion)
  }
}
