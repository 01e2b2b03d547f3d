/** The activity log: who did what to which vault or item, newest first. */

import { useState } from 'preact/hooks'
import type { ActivityEntry } from '../../schema/activity-entry.js'
import { formatTime } from './format.js'
import { Pane, Pending } from './pane.js'
import { formatRoute } from './route.js'
import { useSession } from './session.js'
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
    return { entries: body as readonly ActivityEntry[], total }
  })
  const count = data?.entries.length ?? 0
  return (
    <main class="single">
      <Pane depth={0} heading="Activity">
        {data === undefined && <Pending error={error} />}
        {data?.total === 0 && <p class="hint">The log is empty, or the service has no log.</p>}
        {count > 0 && (
          <ul class="activity">
            {data?.entries.map((entry) => (
              <Entry key={entry.requestId + entry.resource.vault?.id} entry={entry} />
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

const verbs = { READ: 'read', CREATE: 'created', UPDATE: 'changed', DELETE: 'deleted' } as const

function Entry({ entry }: { readonly entry: ActivityEntry }) {
  const { actor, action, resource, result, timestamp } = entry
  const isDenied = result === 'DENY'
  return (
    <li>
      <span class={isDenied ? 'result denied' : 'result'}>{isDenied ? 'denied' : 'ok'}</span>
      <span class="lines">
        <span>
          <b dir="auto">{actor.id || 'unknown caller'}</b> {verbs[action]}{' '}
          <Resource {...resource} />
        </span>
        <small>
          <time dateTime={timestamp}>{formatTime(timestamp)}</time>
        </small>
      </span>
    </li>
  )
}

function Resource({ type, vault, item, itemVersion }: ActivityEntry['resource']) {
  if (vault === undefined) return <span>{type === 'ITEM' ? 'items' : 'vaults'}</span>
  const version = itemVersion ? ` version ${itemVersion}` : ''
  if (item === undefined)
    return (
      <span>
        {type === 'ITEM' && 'items of '}
        vault <a href={formatRoute({ vaultId: vault.id })}>{vault.id}</a>
      </span>
    )
  return (
    <span>
      item <a href={formatRoute({ vaultId: vault.id, itemId: item.id })}>{item.id}</a>
      {version}
    </span>
  )
}
