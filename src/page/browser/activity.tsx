/** The activity log: who did what to which vault or item, newest first. */

import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import type { ActivityEntry, Vault } from '../../index.js'
import { compareNames, formatTime, titleOf } from './format.js'
import { Pane, Pending } from './pane.js'
import { formatRoute } from './route.js'
import { useSession, vaultPath } from './session.js'
import { useLoad } from './use-load.js'

const pageSize = 50

/** A page of the log. */
interface LogPage {
  /** The query of its request, with the filters. */
  readonly query: string
  /** The number of entries before it. */
  readonly start: number
  /** The number of entries on all pages; undefined if it is not known. */
  readonly total?: number | undefined
}

const firstPage: LogPage = { query: `limit=${pageSize}`, start: 0 }

/** The activity of the vaults that the caller can read. */
export function Activity() {
  const { api, settings } = useSession()
  const [newer, setNewer] = useState<readonly LogPage[]>([])
  const [page, setPage] = useState(firstPage)
  const { data, error } = useLoad(`activity ${page.query}`, async (signal) => {
    const { body, headers } = await api.get(`/v1/activity?${page.query}`, { signal })
    const entries = body as readonly ShownEntry[]
    const [, counted] = /\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
    const total = counted === undefined ? page.total : Number(counted)
    const offset = page.start + pageSize
    const query = settings.hasExtensions
      ? findLinked(headers.get('link'))
      : findByOffset(offset, entries.length, total)
    const start = settings.hasExtensions ? page.start + entries.length : offset
    const next = query === undefined ? undefined : { query, start, total }
    return { count: entries.length, calls: groupCalls(entries), total, next }
  })
  const { data: vaults } = useLoad('vaults', async (signal) => {
    const { body } = await api.get('/v1/vaults', { signal })
    return (body as readonly Vault[]).toSorted((a, b) => compareNames(a.name, b.name))
  })
  const titles = useTitles(data?.calls ?? [], vaults ?? [])
  const { count = 0, total, next } = data ?? {}
  const isFiltered = /[?&](?:caller_id|vault_id|result|since|until)=/.test(`?${page.query}`)
  const show = (shown: LogPage, before: readonly LogPage[] = []): void => {
    setPage(shown)
    setNewer(before)
  }
  return (
    <main class="single">
      <Pane depth={0} heading="Activity">
        {settings.hasExtensions && (
          <Filters
            vaults={vaults ?? []}
            onChange={(query) => show({ query: `${firstPage.query}&${query}`, start: 0 })}
            onReset={() => show(firstPage)}
          />
        )}
        {data === undefined && <Pending error={error} />}
        {data !== undefined && count === 0 && (
          <p class="hint" role="status">
            {emptyText({ isFiltered, hasNewer: page.start > 0, hasOlder: next !== undefined })}
          </p>
        )}
        {count > 0 && (
          <ul class="activity">
            {data?.calls.map((call) => (
              <Call key={call[0].requestId} call={call} titles={titles} />
            ))}
          </ul>
        )}
        {(newer.length > 0 || next !== undefined) && (
          <div class="buttons">
            <button
              type="button"
              disabled={newer.length === 0}
              onClick={() => show(newer.at(-1) ?? firstPage, newer.slice(0, -1))}
            >
              Newer
            </button>
            <button
              type="button"
              disabled={next === undefined}
              onClick={() => next && show(next, [...newer, page])}
            >
              Older
            </button>
            {count > 0 && (
              <span class="hint" role="status">
                {page.start + 1}–{page.start + count}
                {total !== undefined && ` of ${total}`}
              </span>
            )}
          </div>
        )}
      </Pane>
    </main>
  )
}

/** Returns the text of a page without entries. */
function emptyText({
  isFiltered,
  hasNewer,
  hasOlder,
}: Readonly<Record<'isFiltered' | 'hasNewer' | 'hasOlder', boolean>>): string {
  if (hasOlder) return 'No entry matches here. Older entries may match.'
  if (hasNewer) return 'There are no older entries.'
  return isFiltered ? 'No entry matches.' : 'The log is empty, or the service has no log.'
}

/** Returns the page that the header `Link` of a service with extensions names. */
function findLinked(link: string | null): string | undefined {
  return /^<\?([^>]*)>; rel="next"$/.exec(link ?? '')?.[1]
}

/**
 * Returns the query of the page at an offset of a service without extensions, if there is one. If
 * the total is not known, the page can be empty.
 */
function findByOffset(
  offset: number,
  count: number,
  total: number | undefined,
): string | undefined {
  const isThere = total === undefined ? count > 0 : offset < total
  return isThere ? `${firstPage.query}&offset=${offset}` : undefined
}

interface FiltersProps {
  /** The vaults that can be chosen. */
  readonly vaults: readonly Vault[]
  /** Called with the parameters of the filters, at least one. */
  onChange(query: string): void
  /** Called when there is no filter any more. */
  onReset(): void
}

/** The form that selects entries by their caller, their vault, their result and their time. */
function Filters({ vaults, onChange, onReset }: FiltersProps) {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const query = new URLSearchParams()
    for (const [name, value] of new FormData(event.currentTarget)) {
      const text = String(value)
      const isTime = name === 'since' || name === 'until'
      if (text !== '') query.set(name, isTime ? new Date(text).toISOString() : text)
    }
    if (query.size === 0) onReset()
    else onChange(query.toString())
  }
  return (
    <form class="filters" aria-label="Filters" onSubmit={submit} onReset={onReset}>
      <label>
        Caller
        <input name="caller_id" maxLength={1000} autoComplete="off" />
      </label>
      <label>
        Vault
        <select name="vault_id">
          <option value="">Any</option>
          {vaults.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Result
        <select name="result">
          <option value="">Any</option>
          <option value="SUCCESS">ok</option>
          <option value="DENY">denied</option>
          <option value="PENDING">pending</option>
        </select>
      </label>
      <label>
        From
        <input name="since" type="datetime-local" max="9999-12-31T23:59" />
      </label>
      <label>
        Until
        <input name="until" type="datetime-local" max="9999-12-31T23:59" />
      </label>
      <div class="buttons">
        <button type="submit">Filter</button>
        <button type="reset">Clear</button>
      </div>
    </form>
  )
}

/** An entry of the response. Only a service with extensions names the operation. */
interface ShownEntry extends Omit<ActivityEntry, 'operation' | 'actor'> {
  readonly operation?: string
  readonly actor: Pick<ActivityEntry['actor'], 'id' | 'userAgent'> & { readonly ip?: string }
}

/** The entries of one call, at least one: of several items, one each. */
type CallEntries = readonly [ShownEntry, ...ShownEntry[]]

/** Returns the entries of each call together, in the order of their first ones. */
function groupCalls(entries: readonly ShownEntry[]): readonly CallEntries[] {
  const calls = new Map<string, CallEntries>()
  for (const entry of entries) {
    const before = calls.get(entry.requestId)
    calls.set(entry.requestId, before === undefined ? [entry] : [...before, entry])
  }
  return [...calls.values()]
}

/** Names of vaults and titles of items by their ids. */
type Titles = ReadonlyMap<string, string>

/**
 * Returns the names of the vaults, and reads the titles of the items in the entries, once for each
 * page. What cannot be read, because it is deleted for example, has no title.
 */
function useTitles(calls: readonly CallEntries[], vaults: readonly Vault[]): Titles {
  const { api } = useSession()
  const resources = calls.flat().map(({ resource }) => resource)
  const withItems = resources.filter(({ item }) => item !== undefined)
  const vaultIds = [...new Set(withItems.flatMap(({ vault }) => vault?.id ?? []))].sort()
  const { data = [] } = useLoad(`titles ${vaultIds}`, async (signal) => {
    const titles: [string, string][] = []
    for (const vaultId of vaultIds) {
      const path = vaultPath(vaultId, undefined, '/items?limit=1000')
      const answer = await api.get(path, { signal }).catch(() => undefined)
      const found = (answer?.body ?? []) as readonly { id: string; title?: string }[]
      for (const { id, title } of found) titles.push([id, titleOf({ title })])
    }
    return titles
  })
  return new Map([...vaults.map(({ id, name }) => [id, name] as const), ...data])
}

const verbs = { READ: 'read', CREATE: 'created', UPDATE: 'changed', DELETE: 'deleted' } as const
/** The text and the class of each result. */
const results = {
  SUCCESS: ['ok', 'result'],
  DENY: ['denied', 'result denied'],
  PENDING: ['pending', 'result pending'],
} as const
const maxResources = 3

interface CallProps {
  readonly call: CallEntries
  readonly titles: Titles
}

/** One line for a call: who did what to which items. */
function Call({ call, titles }: CallProps) {
  const [{ actor, action, result, timestamp, ...entry }] = call
  const [resultText, resultClass] = results[result]
  const names = ({ resource: { type, vault, item } }: ShownEntry): string =>
    [type, vault?.id, item?.id].join()
  const resources = [...new Map(call.map((entry) => [names(entry), entry])).values()]
  const more = resources.length - maxResources
  return (
    <li>
      <span class={resultClass}>{resultText}</span>
      <span class="lines">
        <span>
          <b dir="auto">{actor.id || 'unknown caller'}</b> {verbs[action]}{' '}
          {resources.slice(0, maxResources).map((entry, index) => (
            <span key={names(entry)}>
              {index > 0 && ', '}
              <Resource resource={entry.resource} titles={titles} />
            </span>
          ))}
          {more > 0 && ` and ${more} more`}
        </span>
        <small>
          <time dateTime={timestamp}>{formatTime(timestamp)}</time>
          {detailsOf(entry).map((text) => (
            <span key={text}>
              {' · '}
              <bdi>{text}</bdi>
            </span>
          ))}
        </small>
        {(actor.ip || actor.userAgent) && (
          <small>
            <bdi>{actor.ip}</bdi>
            {actor.ip && actor.userAgent && ' · '}
            <bdi>{actor.userAgent}</bdi>
          </small>
        )}
      </span>
    </li>
  )
}

/** Returns what a service with extensions says about a call, besides its caller and its resource. */
function detailsOf({
  operation,
  code,
  credential,
  use,
}: Pick<ShownEntry, 'operation' | 'code' | 'credential' | 'use'>): readonly string[] {
  const account = credential?.account === undefined ? '' : ` (${credential.account})`
  const texts = [operation, code, credential && `credential ${credential.name}${account}`]
  return [...texts, use && `${use.method} ${use.origin}`].filter((text) => text !== undefined)
}

interface ResourceProps {
  readonly resource: ActivityEntry['resource']
  readonly titles: Titles
}

function Resource({ resource: { type, vault, item, itemVersion }, titles }: ResourceProps) {
  if (vault === undefined) return <span>{type === 'ITEM' ? 'items' : 'vaults'}</span>
  const link = (id: string, route: Parameters<typeof formatRoute>[0]) => (
    <a href={formatRoute(route)} dir="auto">
      {titles.get(id) ?? id}
    </a>
  )
  if (item !== undefined)
    return (
      <span>
        item {link(item.id, { vaultId: vault.id, itemId: item.id })}
        {itemVersion ? ` version ${itemVersion}` : ''}
      </span>
    )
  return (
    <span>
      {type === 'ITEM' && 'items of '}vault {link(vault.id, { vaultId: vault.id })}
    </span>
  )
}
