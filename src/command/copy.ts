/** The command `copy`: moves a store to another database, with everything in it. */

import { randomBytes } from 'node:crypto'
import { buildCommand } from '@stricli/core'
import { CommandError } from './command-error.js'
import { type CommandLine, formatCount, print, printNote } from './command-line.js'
import type { Comparison, StoreSummary } from './copy/compare-stores.js'
import type { CopyReport } from './copy/copy-store.js'
import { switchFlag } from './flags.js'
import { withProgress } from './progress.js'
import { type CommandStore, openCommandStore } from './store/open-command-store.js'
import type { Access } from './store/open-store.js'
import { parseStore, type StoreLocation } from './store/parse-store.js'

/** Copies a store. */
export const copyCommand = buildCommand<CopyFlags, [], CommandLine>({
  func: copy,
  parameters: {
    flags: {
      from: storeFlag('from', 'The store that is read; default: $COFFERKIT_FROM'),
      to: storeFlag('to', 'The new store, which is created; default: $COFFERKIT_TO'),
      fromEncrypt: keyFlag('The key file of --from; can be repeated'),
      toEncrypt: keyFlag('Encrypt --to with the key in this file; can be repeated'),
      skipUnreadable: switchFlag('Leave damaged records and files out'),
      last: switchFlag('Nothing writes to --from any more: compare both stores at the end'),
    },
  },
  docs: {
    customUsage: [
      '--from sqlite:vault.db --to postgres://USER@HOST/DATABASE --to-encrypt vault.key',
    ],
    brief: 'Copy a store to another database, with ids, versions, history, log and files',
    fullDescription: [
      'Copies everything that differs, while the service runs on. You can stop it at any',
      'moment and run it again. When a run copies little, stop every process that writes to --from,',
      'and run it with --last: it copies the rest, reads both stores, and prints what they contain,',
      'with a digest of each. The exit code is 2 if they differ.',
    ].join('\n'),
  },
})

interface CopyFlags {
  readonly from?: StoreLocation
  readonly to?: StoreLocation
  readonly fromEncrypt?: readonly string[]
  readonly toEncrypt?: readonly string[]
  readonly skipUnreadable: boolean
  readonly last: boolean
}

/** The options of one of the stores. */
type Side = 'from' | 'to'

function storeFlag(side: Side, brief: string) {
  const parse = (text: string): StoreLocation => inWordsOf(side, () => parseStore(text))
  return { kind: 'parsed', parse, optional: true, brief, placeholder: 'STORE' } as const
}

function keyFlag(brief: string) {
  return {
    kind: 'parsed',
    parse: String,
    optional: true,
    variadic: true,
    brief,
    placeholder: 'KEYFILE',
  } as const
}

/** Copies what differs; with `last`, compares both stores at the end. */
async function copy(this: CommandLine, flags: CopyFlags): Promise<void> {
  const startedAt = performance.now()
  const from = await openSide(this, flags, 'from', 'existing')
  try {
    const to = await openSide(this, flags, 'to', 'create')
    try {
      await copyOpened(this, flags, from, to, startedAt)
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

async function copyOpened(
  line: CommandLine,
  { skipUnreadable: skipsUnreadable, last }: CopyFlags,
  from: CommandStore,
  to: CommandStore,
  startedAt: number,
): Promise<void> {
  const { beginCopy, CopyTargetError, copyStore, endCopy } = await import('./copy/copy-store.js')
  const { compareStores } = await import('./copy/compare-stores.js')
  const { toPair } = await import('./copy/collections.js')
  const pair = await toPair(from, to)
  const toCommandError = (error: unknown): never => {
    if (!(error instanceof CopyTargetError)) throw error
    const remedy = 'Name a new store with --to; one whose copy is complete is never changed.'
    throw new CommandError(`${to.name} ${error.message}`, remedy)
  }
  await beginCopy(pair).catch(toCommandError)
  const report = await withProgress(line, 'Copying', (show) =>
    copyStore(pair, {
      skipsUnreadable,
      onProgress: (report) => show(`Copying: ${formatReport(report)}`),
    }),
  ).catch(toCommandError)
  for (const name of report.skipped) printNote(line, `Left out, because it is damaged: ${name}`)
  const seconds = (): string => ((performance.now() - startedAt) / 1000).toFixed(1)
  print(line, `Copied ${formatReport(report)} in ${seconds()} s.`)
  if (!last) {
    printNote(
      line,
      `Run it again until little is left. Then stop every process that writes to ${from.name}, and run it with --last.`,
    )
    return
  }
  const comparison = await withProgress(line, 'Comparing', (show) =>
    compareStores(pair, {
      key: randomBytes(32),
      skipsUnreadable,
      onProgress: (records) => show(`Comparing: ${formatCount(records, 'record')}`),
    }),
  )
  await printComparison(line, comparison, from, to)
  await endCopy(pair)
  print(line, `Equal after ${seconds()} s. Start your service on ${to.name}.`)
  if (report.skipped.size > 0)
    printNote(
      line,
      `Left out: ${formatCount(report.skipped.size, 'damaged record or file', 'damaged records and files')}.`,
    )
}

/** @throws CommandError if the stores differ. */
async function printComparison(
  line: CommandLine,
  { from: ofFrom, to: ofTo, differences }: Comparison,
  from: CommandStore,
  to: CommandStore,
): Promise<void> {
  const { formatContents } = await import('./store/format-contents.js')
  const describe = ({ counts }: StoreSummary): string => formatContents(counts)
  print(line, `From ${from.name}: ${describe(ofFrom)}`)
  print(line, `     digest ${ofFrom.digest}`)
  print(line, `To   ${to.name}: ${describe(ofTo)}`)
  print(line, `     digest ${ofTo.digest}`)
  if (differences.length === 0 && ofFrom.digest === ofTo.digest) return
  const listed = differences.slice(0, maxListed).join(', ')
  const more = differences.length > maxListed ? ` and ${differences.length - maxListed} more` : ''
  throw new CommandError(
    `the stores differ: ${listed}${more}`,
    `Stop every process that writes to ${from.name}, and run this again. What then still differs is damaged in ${from.name}, which doctor --deep names, or in ${to.name}: copy to a new store.`,
  )
}

const maxListed = 10

function formatReport({ records, files }: CopyReport): string {
  return `${formatCount(records, 'record')} and ${formatCount(files, 'file')}`
}

async function openSide(
  line: CommandLine,
  flags: CopyFlags,
  side: Side,
  access: Access,
): Promise<CommandStore> {
  const variable = `COFFERKIT_${side.toUpperCase()}`
  const named = line.process.env[variable]
  const store =
    flags[side] ?? (named === undefined ? undefined : inWordsOf(side, () => parseStore(named)))
  if (store === undefined)
    throw new CommandError(`copy needs --${side}`, `Pass a store, or set ${variable}.`)
  if (store.kind === 'memory') throw new CommandError(`--${side} cannot be memory`)
  // Without a key file, that of COFFERKIT_KEY_FILE is not used: it can belong to either store.
  const encrypt = flags[`${side}Encrypt`] ?? []
  try {
    return await openCommandStore(line, { store, encrypt }, access)
  } catch (error) {
    return inWordsOf(side, () => {
      throw error
    })
  }
}

/** Names the flags of one side in the errors of functions that name those of other commands. */
function inWordsOf<Result>(side: Side, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const text = error.message.replaceAll('--store', `--${side}`)
    // The flags of `reencrypt`, which the message may advise, keep their names.
    const [before = '', ...advice] = text.split('reencrypt')
    const own = before.replaceAll('--encrypt', `--${side}-encrypt`)
    throw new CommandError([own, ...advice].join('reencrypt'), undefined, error.exitCode)
  }
}
