/** The activity log: who did what to which vault or item, newest first. */

import { useState } from 'preact/hooks'
import type { ActivityEntry } from '../../schema/activity-entry.js'
import { formatTime, titleOf } from './format.js'
import { Pane, Pending } from './pane.js'
import { formatRoute } from './route.js'
import { useSession, vaultPath } from './session.js'
import { useLoad } from './use-load.js'

const pageSize = 50

/** The activity of the vaults that the caller can read. */
export function Activity() {
  const { api } = useSession()
  const [offset, setOffset] = useState(0)
  const { data, error } = useLoad(`activity ${offset}`, async (signal) => {
    const path = `/v1/activity?limit=${pageSize}&offset=${offset}`
    const { body, headers } = await api.get(path, { signal })
    const total = Number(headers.get('content-range')?.split('/')[1] ?? 0)
    const entries = body as readonly ActivityEntry[]
    return { count: entries.length, calls: groupCalls(entries), total }
  })
  const titles = useTitles(data?.calls ?? [])
  const count = data?.count ?? 0
  return (
    <main class="single">
      <Pane depth={0} heading="Activity">
        {data === undefined && <Pending error={error} />}
        {data?.total === 0 && <p class="hint">The log is empty, or the service has no log.</p>}
        {count > 0 && (
          <ul class="activity">
            {data?.calls.map((call) => (
              <Call key={call[0].requestId} call={call} titles={titles} />
            ))}
          </ul>
        )}
        {data !== undefined && data.total > pageSize && (
          <div class="buttons">
            <button
              type="button"
              disabled={offset === 0}
              onClick={() => setOffset(Math.max(0, offset - pageSize))}
            >
              Newer
            </button>
            <button
              type="button"
              disabled={offset + count >= data.total}
              onClick={() => setOffset(offset + pageSize)}
            >
              Older
            </button>
            <span class="hint" role="status">
              {offset + 1}–{offset + count} of {data.total}
            </span>
          </div>
        )}
      </Pane>
    </main>
  )
}

/** The entries of one call, at least one. The first one has the outcome. */
type CallEntries = readonly [ActivityEntry, ...ActivityEntry[]]

/** Returns the entries of each call together, in the order of their first ones. */
function groupCalls(entries: readonly ActivityEntry[]): readonly CallEntries[] {
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
 * Reads the names of the vaults and the titles of the items in the entries, once for each page. What
 * cannot be read, because it is deleted for example, has no title.
 */
function useTitles(calls: readonly CallEntries[]): Titles {
  const { api } = useSession()
  const resources = calls.flat().map(({ resource }) => resource)
  const withItems = resources.filter(({ item }) => item !== undefined)
  const vaultIds = [...new Set(withItems.flatMap(({ vault }) => vault?.id ?? []))].sort()
  const paths = [
    '/v1/vaults',
    ...vaultIds.map((id) => vaultPath(id, undefined, '/items?limit=1000')),
  ]
  const { data } = useLoad(`titles ${calls.length > 0} ${vaultIds}`, async (signal) => {
    const titles = new Map<string, string>()
    for (const path of calls.length === 0 ? [] : paths) {
      const answer = await api.get(path, { signal }).catch(() => undefined)
      const found = (answer?.body ?? []) as readonly { id: string; name?: string; title?: string }[]
      for (const { id, name, title } of found) titles.set(id, name ?? titleOf({ title }))
    }
    return titles
  })
  return data ?? new Map()
}

const verbs = { READ: 'read', CREATE: 'created', UPDATE: 'changed', DELETE: 'deleted' } as const
const maxResources = 3

interface CallProps {
  readonly call: CallEntries
  readonly titles: Titles
}

/** One line for a call: who did what to which items. */
function Call({ call, titles }: CallProps) {
  const [{ actor, action, result, timestamp }] = call
  const isDenied = result === 'DENY'
  const names = ({ resource: { type, vault, item } }: ActivityEntry): string =>
    [type, vault?.id, item?.id].join()
  const resources = [...new Map(call.map((entry) => [names(entry), entry])).values()]
  const more = resources.length - maxResources
  return (
    <li>
      <span class={isDenied ? 'result denied' : 'result'}>{isDenied ? 'denied' : 'ok'}</span>
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
        </small>
      </span>
    </li>
  )
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
