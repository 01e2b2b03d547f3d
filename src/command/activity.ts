/** The command `activity`: prints the entries of the activity log in a store. */

import { pipeline } from 'node:stream/promises'
import { buildCommand } from '@stricli/core'
import { createEntryFilter } from '../base/entry-filter.js'
import type { ActivityEntry, ActivityLog, ListActivityInput } from '../index.js'
import { CommandError } from './command-error.js'
import { type CommandLine, formatCount, printNote } from './command-line.js'
import { switchFlag, textFlag } from './flags.js'
import { parseTime } from './parse-time.js'
import { openCommandStore } from './store/open-command-store.js'
import { type StoreFlags, storeFlags } from './store/store-flags.js'

/** Prints the activity log of a store. */
export const activityCommand = buildCommand<ActivityFlags, [], CommandLine>({
  func: printActivity,
  parameters: {
    flags: {
      ...storeFlags,
      vault: textFlag('ID', 'Only entries of this vault'),
      item: textFlag('ID', 'Only entries of this item of the vault'),
      caller: textFlag('ID', 'Only entries of this caller; empty for unknown callers'),
      operation: textFlag('NAME', 'Only entries of this operation, such as useField'),
      result: {
        kind: 'enum',
        values: ['PENDING', 'SUCCESS', 'DENY'],
        optional: true,
        brief: 'Only entries with this result',
      },
      since: textFlag('TIME', 'Only entries of this time or later'),
      until: textFlag('TIME', 'Only entries of an earlier time'),
      limit: {
        kind: 'parsed',
        parse: parseLimit,
        default: '50',
        placeholder: 'NUMBER',
        brief: 'Print at most this many entries; all of them with all or 0',
      },
      json: switchFlag('Print one JSON object per line'),
    },
  },
  docs: {
    brief: 'Print the activity log of the store, newest entries first',
    fullDescription: [
      'Prints the entries that a service has recorded with createStoredActivityLog in this store.',
      'TIME is a time of RFC 3339, such as 2027-01-31T09:00:00Z, or a number of minutes, hours or',
      'days before now, such as 30m, 24h or 7d. Nothing is written to the store. The exit code is 2',
      'if an entry is damaged.',
    ].join('\n'),
  },
})

/** The flags of `activity`. */
interface ActivityFlags extends StoreFlags {
  readonly vault?: string
  readonly item?: string
  readonly caller?: string
  readonly operation?: string
  readonly result?: ActivityEntry['result']
  readonly since?: string
  readonly until?: string
  readonly limit: number
  readonly json: boolean
}

function parseLimit(text: string): number {
  if (text === 'all' || text === '0') return Number.POSITIVE_INFINITY
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new CommandError('--limit: must be a number, or all')
  return Number(text)
}

/** Prints the entries. Reads the log itself, because a service would hide and record some. */
async function printActivity(this: CommandLine, flags: ActivityFlags): Promise<void> {
  const query = parseQuery(flags, Date.now())
  const opened = await openCommandStore(this, flags, 'existing')
  const counts = { printed: 0, damaged: 0, isComplete: true }
  try {
    const { createStoredActivityLog } = await import('../activity.js')
    const entries = listEntries(createStoredActivityLog(opened.store), query, flags, counts)
    const lines = formatLines(entries, flags.json ? formatJson : formatEntry)
    await pipeline(lines, this.process.stdout, { end: false })
  } finally {
    await opened.close()
  }
  if (!counts.isComplete)
    printNote(this, `Stopped after ${formatCount(counts.printed, 'entry', 'entries')}.`)
  if (counts.printed === 0) printNote(this, 'The log has no such entries.')
  if (counts.damaged > 0)
    throw new CommandError(
      `left out ${formatCount(counts.damaged, 'damaged entry', 'damaged entries')}`,
    )
}

/** @throws CommandError if a flag is invalid, or if two cannot be combined. */
function parseQuery(flags: ActivityFlags, now: number): ListActivityInput {
  const { vault, item, caller, operation, result } = flags
  if (item !== undefined && vault === undefined) throw new CommandError('--item needs --vault')
  for (const [name, id] of Object.entries({ vault, item }))
    if (id !== undefined && !/^[\da-z]{26}$/.test(id))
      throw new CommandError(`--${name}: must be an id of 26 letters and digits`)
  const since = parseTime('since', flags.since, now, -1)
  const until = parseTime('until', flags.until, now, -1)
  if (Date.parse(since ?? '') >= Date.parse(until ?? ''))
    throw new CommandError('--since must be before --until')
  return { vaultId: vault, itemId: item, callerId: caller, operation, result, since, until }
}

/** Yields the entries that match, and counts them and the damaged ones. */
async function* listEntries(
  log: ActivityLog,
  query: ListActivityInput,
  { limit }: ActivityFlags,
  counts: { printed: number; damaged: number; isComplete: boolean },
): AsyncGenerator<ActivityEntry> {
  const isMatch = createEntryFilter(query)
  const { vaultId, since, until } = query
  const sinceTime = Date.parse(since ?? '')
  const onUnreadable = (): void => {
    counts.damaged++
  }
  for await (const entry of log.entries({ vaultId, since, until, onUnreadable })) {
    if (Date.parse(entry.timestamp) < sinceTime) return
    if (!isMatch(entry)) continue
    if (counts.printed === limit) {
      counts.isComplete = false
      return
    }
    counts.printed++
    yield entry
  }
}

async function* formatLines(
  entries: AsyncIterable<ActivityEntry>,
  format: (entry: ActivityEntry) => string,
): AsyncGenerator<string> {
  for await (const entry of entries) yield `${format(entry)}\n`
}

/** Returns an entry as a line: its time, result and operation, and then pairs as in logfmt. */
function formatEntry(entry: ActivityEntry): string {
  const { timestamp, result, operation, code, actor, resource, credential, use, omitted } = entry
  const pairs = {
    code,
    caller: actor.id,
    token: actor.jti,
    vault: resource.vault?.id,
    item: resource.item?.id,
    file: resource.file?.id,
    version: resource.itemVersion ?? resource.vaultVersion,
    credential: credential?.name,
    account: credential?.account,
    field: use?.field,
    use: use && `${use.method} ${use.origin}`,
    place: use?.place,
    address: actor.requestIp,
    request: entry.clientRequestId,
    omitted,
  }
  const parts = Object.entries(pairs).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${quote(String(value))}`,
  )
  return [timestamp, result.padEnd(7), quote(operation), ...parts].join(' ')
}

/**
 * Quotes a string unless it is a word, because anyone who writes to the store can choose every
 * string.
 */
function quote(text: string): string {
  return /^[\w.:/@+-]+$/.test(text) ? text : formatJson(text)
}

/** Returns the JSON of a value on one line. It escapes characters that control a terminal. */
function formatJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const digits = character.charCodeAt(index).toString(16).padStart(4, '0')
      return `\\u${digits}`
    }).join(''),
  )
}
