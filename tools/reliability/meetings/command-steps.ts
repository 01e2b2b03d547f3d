/** The maintenance of the command `cofferkit` as steps, beside the processes that run. */

import type { StricliProcess } from '@stricli/core'
import { runCommandLine } from '../../../src/command/application.js'
import type { Planner } from './core-steps.js'
import { BrokenPromise, itemValue } from './model.js'
import { assertSilent, type Plan, type World } from './world.js'

/** Every step by its name. Each is a process of its own, which nothing disturbs. */
export const commandSteps = {
  commandGc: ({ world }) => runCommand(world, ['gc']),
  commandDoctor: ({ world }) => runCommand(world, ['doctor', '--json']),
  commandRotate: ({ world }) => runCommand(world, ['rotate'], 'encrypted'),
  commandReencrypt: ({ world }) => runCommand(world, ['reencrypt'], 'encrypted'),
} satisfies Readonly<Record<string, Planner>>

/** Returns the plan of a command; undefined if the command cannot open the stores of this world. */
function runCommand(
  world: World,
  words: readonly string[],
  needs: 'encrypted' | 'any' = 'any',
): Plan | undefined {
  const { setup, commandStore, model } = world
  const isEncrypted = setup.keyRings !== undefined
  if (commandStore === undefined || setup.keyRings === 'elsewhere') return undefined
  if (needs === 'encrypted' && !isEncrypted) return undefined
  const { address, keyFile } = commandStore
  const flags = ['--store', address, ...(isEncrypted ? ['--encrypt', keyFile] : [])]
  const values = model.places('item ').flatMap((place) => [...model.possible(place)])
  const isUndisturbed = !world.isDenied && !model.isBusy('') && !values.some(itemValue.isDamaged)
  return {
    effects: new Map(),
    isRecorded: false,
    cannotRollBack: true,
    async call() {
      const { code, output } = await runWords([...words, ...flags])
      assertSilent('the output of a command', output)
      if (code !== 0 && isUndisturbed)
        throw new BrokenPromise('P6', `${words.join(' ')} fails: ${output}`)
    },
  }
}

async function runWords(
  words: readonly string[],
): Promise<{ readonly code: number; readonly output: string }> {
  const texts: string[] = []
  const stream = { write: (text: string) => void texts.push(text), isTTY: false }
  const commandProcess = Object.create(process, {
    stdout: { value: stream },
    stderr: { value: stream },
    env: { value: {} },
    exitCode: { value: 0, writable: true },
  }) as NodeJS.Process & StricliProcess
  await runCommandLine(words, commandProcess)
  return { code: Number(commandProcess.exitCode ?? 0), output: texts.join('') }
}
