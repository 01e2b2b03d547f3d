/** The versions of an item. */

import type { Item, ItemVersion } from '../../index.js'
import { formatTime } from './format.js'
import { Pending } from './pane.js'
import { formatRoute } from './route.js'
import { useSession, vaultPath } from './session.js'
import { useLoad } from './use-load.js'

/** The versions of an item that the service has kept; nothing if there is only the current one. */
export function History({ item }: { readonly item: Item }) {
  const { api } = useSession()
  const vaultId = item.vault.id
  const path = vaultPath(vaultId, item.id, '/versions')
  const { data: versions, error } = useLoad(path, async (signal) => {
    const { body } = await api.get(path, { signal })
    return body as readonly ItemVersion[]
  })
  if (error === undefined && (versions?.length ?? 0) < 2) return null
  return (
    <div class="group">
      <h3>History</h3>
      {versions === undefined && <Pending error={error} />}
      <ol class="plain history" reversed>
        {versions?.map(({ version, updatedAt, lastEditedBy }) => (
          <li key={version}>
            {version === item.version ? (
              <b>Version {version}</b>
            ) : (
              <a href={formatRoute({ vaultId, itemId: item.id, mode: 'version', version })}>
                Version {version}
              </a>
            )}
            <small>
              {formatTime(updatedAt)} by <bdi>{lastEditedBy}</bdi>
              {version === item.version && ' · current'}
            </small>
          </li>
        ))}
      </ol>
    </div>
  )
}
