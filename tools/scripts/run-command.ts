/** Runs a program to its end, with the output of this process. */

import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** The folder of the project. */
export const root = join(import.meta.dirname, '../..')

/** Where and how a program runs: in the folder of the project and with our environment if absent. */
export interface CommandOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Runs `program`, which can be one of `node_modules/.bin`, also of that in `test/integrations`. Variables of `env` are added to those of
 * this process.
 * @throws Error if it cannot be started, or does not exit with 0.
 */
export async function runCommand(
  program: string,
  args: readonly string[],
  { cwd = root, env = {} }: CommandOptions = {},
): Promise<void> {
  const folders = ['node_modules/.bin', 'test/integrations/node_modules/.bin']
  const path = [...folders.map((name) => join(root, name)), process.env['PATH']].join(delimiter)
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, PATH: path, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject).on('close', resolve)
  })
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${code}`)
}
