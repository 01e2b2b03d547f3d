/** The panes of the vaults, of the items of one, and of one item. */

import { useEffect, useRef } from 'preact/hooks'
import type { Item, Vault } from '../../index.js'
import { compareNames } from './format.js'
import { ItemForm } from './item-form.js'
import { ItemList } from './item-list.js'
import { ItemView } from './item-view.js'
import { LinkList, Pane, Pending, Tile } from './pane.js'
import { PatchForm } from './patch-form.js'
import { depthOf, formatRoute, type Route } from './route.js'
import { useSession, vaultPath } from './session.js'
import { useLoad } from './use-load.js'
import { VaultForm } from './vault-form.js'

/** The vaults, the items of the vault that is open, and what is open in it. */
export function VaultPanes({ route }: { readonly route: Route }) {
  const { settings, api } = useSession()
  const { data, error } = useLoad('vaults', async (signal) => {
    const { body, headers } = await api.get('/v1/vaults', { signal, hasPermissions: true })
    const vaults = (body as readonly Vault[]).toSorted((a, b) => compareNames(a.name, b.name))
    return { vaults, canCreate: headers.get('x-permissions') === 'create' }
  })
  const { vaults } = data ?? {}
  // Only at the start: later it would make the way back to the vaults a circle.
  const isStarted = useRef(false)
  useEffect(() => {
    const [only, other] = vaults ?? []
    if (isStarted.current || vaults === undefined) return
    isStarted.current = true
    const isRoot = /^#?\/?$/.test(location.hash)
    if (only && !other && isRoot) location.replace(formatRoute({ vaultId: only.id }))
  }, [vaults])
  const vault = vaults?.find(({ id }) => id === route.vaultId)
  const canCreate = data?.canCreate === true && !settings.isReadOnly && settings.hasExtensions
  return (
    <main class="panes" data-depth={depthOf(route)}>
      <Pane
        depth={0}
        heading="Vaults"
        actions={
          canCreate && (
            <a class="button" href="#/new">
              New vault
            </a>
          )
        }
      >
        {vaults === undefined && <Pending error={error} />}
        {vaults?.length === 0 && <p class="hint">There are no vaults that you can read.</p>}
        <LinkList label="Vaults">
          {vaults?.map(({ id, name, description }) => (
            <li key={id}>
              <a
                href={formatRoute({ vaultId: id })}
                aria-current={id === route.vaultId ? 'true' : undefined}
              >
                <Tile text={name} />
                <span class="lines">
                  <b dir="auto">{name}</b>
                  {description && <small dir="auto">{description}</small>}
                </span>
              </a>
            </li>
          ))}
        </LinkList>
      </Pane>
      {route.vaultId !== undefined && (
        <ItemList key={route.vaultId} vaultId={route.vaultId} name={vault?.name ?? 'Items'} />
      )}
      <Detail key={formatRoute(route)} route={route} vault={vault} />
    </main>
  )
}

/** The right pane: an item, a form, or a hint. */
function Detail({ route, vault }: { readonly route: Route; readonly vault: Vault | undefined }) {
  const { isReadOnly, isDeveloper } = useSession().settings
  const { vaultId, itemId } = route
  const isHidden =
    (isReadOnly && route.mode !== 'version') || (!isDeveloper && route.mode === 'patch')
  const mode = isHidden ? undefined : route.mode
  if (vaultId !== undefined && itemId !== undefined)
    return <ItemDetail route={{ ...route, vaultId, itemId, ...(mode && { mode }) }} mode={mode} />
  if (mode === 'new' && vaultId !== undefined) return <ItemForm vaultId={vaultId} />
  if (mode === 'new') return <VaultForm />
  if (mode === 'edit' && vault !== undefined) return <VaultForm vault={vault} />
  return (
    <section class="pane depth-2 empty" aria-label="Item">
      <p class="hint">{vaultId === undefined ? 'Choose a vault.' : 'Choose an item.'}</p>
    </section>
  )
}

interface ItemDetailProps {
  readonly route: Route & { readonly vaultId: string; readonly itemId: string }
  readonly mode: Route['mode']
}

/** An item, an old version of it, or a form that changes it. */
function ItemDetail({ route, mode }: ItemDetailProps) {
  const { api } = useSession()
  const { vaultId, itemId, version } = route
  const path = vaultPath(vaultId, itemId, mode === 'version' ? `/versions/${version}` : '')
  const { data: item, error } = useLoad(path, async (signal) => {
    const { body } = await api.get(path, { signal })
    return body as Item
  })
  const back = { text: 'Items', route: { view: 'vaults', vaultId }, isUp: true } as const
  if (item === undefined)
    return (
      <Pane depth={2} heading="Item" back={back}>
        <Pending error={error} />
      </Pane>
    )
  if (mode === 'edit') return <ItemForm vaultId={vaultId} item={item} />
  if (mode === 'patch') return <PatchForm item={item} />
  return <ItemView item={item} isOldVersion={mode === 'version'} />
}
