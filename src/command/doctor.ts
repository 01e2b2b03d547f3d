/** The command `doctor`: checks a store and its surroundings. */

import { buildCommand } from '@stricli/core'
import { CommandError, describeError } from './command-error.js'
import { type CommandLine, packageVersion, print } from './command-line.js'
import type { Check } from './doctor/checks.js'
import { switchFlag } from './flags.js'
import { withProgress } from './progress.js'
import { type CommandStore, openUncheckedStore } from './store/open-command-store.js'
import { type StoreFlags, storeFlags } from './store/store-flags.js'

interface DoctorFlags extends StoreFlags {
  readonly json: boolean
  readonly deep: boolean
}

/** Checks a store and its surroundings. */
export const doctorCommand = buildCommand<DoctorFlags, [], CommandLine>({
  func: doctor,
  parameters: {
    flags: {
      ...storeFlags,
      json: switchFlag('Print JSON'),
      deep: switchFlag('Read every record, version, log entry and file'),
    },
  },
  docs: {
    brief: 'Check the store, its durability, the clock, the key and the versions',
    fullDescription: [
      'Checks Node, the store, what it survives, the clock and the key, and says what to do about',
      'each problem. With --deep, it also decrypts every record, version, log entry and file, and',
      'names each one that is damaged. Nothing is changed. The exit code is 2 if a check fails.',
    ].join('\n'),
  },
})

/** Prints every check, and ends with 2 if one failed. */
async function doctor(this: CommandLine, flags: DoctorFlags): Promise<void> {
  const { checkNode } = await import('./doctor/checks.js')
  const checks: Check[] = [
    { name: 'cofferkit', status: 'ok', text: packageVersion() },
    checkNode(this.process.versions.node),
  ]
  await checkStore(this, flags, checks)
  const failed = checks.filter(({ status }) => status === 'failed')
  if (flags.json) print(this, JSON.stringify({ ok: failed.length === 0, checks }))
  else for (const check of checks) print(this, formatCheck(check))
  if (failed.length > 0)
    throw new CommandError(`failed: ${[...new Set(failed.map(({ name }) => name))].join(', ')}`)
}

async function checkStore(line: CommandLine, flags: DoctorFlags, checks: Check[]): Promise<void> {
  let opened: Awaited<ReturnType<typeof openUncheckedStore>>
  try {
    opened = await openUncheckedStore(line, flags, 'existing')
  } catch (error) {
    checks.push(failedCheck('store', error))
    return
  }
  const { checkClock, checkSettings, checkVaults } = await import('./doctor/checks.js')
  try {
    checks.push({ name: 'store', status: 'ok', text: opened.description })
    const settings = await opened.readSettings?.()
    // Done before anything that takes long, because the server's time was read a moment ago.
    const clock = await checkClock(opened.store, settings?.now)
    checks.push(checkSettings(opened.kind, settings?.values))
    checks.push(...(await (flags.deep ? checkEverything(line, opened) : checkVaults(opened))))
    checks.push(clock)
  } catch (error) {
    checks.push(failedCheck('reading', error))
  } finally {
    await opened.close()
  }
}

async function checkEverything(line: CommandLine, opened: CommandStore): Promise<readonly Check[]> {
  const { checkKey } = await import('./doctor/checks.js')
  const { checkDeeply } = await import('./doctor/deep.js')
  const key = await checkKey(opened)
  // Without the store's key, everything would seem damaged.
  if (key.status === 'failed' && !key.canRead) return [key]
  const { listBlobIds } = opened
  const found = await withProgress(line, 'Reading', (onProgress) =>
    checkDeeply(opened, { listBlobIds, onProgress }),
  )
  return key.isExplained ? found : [key, ...found]
}

function failedCheck(name: string, error: unknown): Check {
  const [text = '', ...remedy] = describeError(error)
    .replace(/^error: /, '')
    .split('\n')
  return { name, status: 'failed', text, remedy: remedy.join(' ') }
}

function formatCheck({ name, status, text, remedy }: Check): string {
  const head = `${status.padEnd(8)}${name.padEnd(12)}${text}`
  return remedy === undefined || remedy === '' ? head : `${head}\n${' '.repeat(20)}${remedy}`
}
