/** The parts of the page by the fragment of its URL. A fragment contains ids, never a value. */

/** A part of the page. */
export interface Route {
  /** `vaults` with the vault and the item below, or `activity`. */
  readonly view: 'vaults' | 'activity'
  readonly vaultId?: string
  readonly itemId?: string
  /** The form or the version that is shown instead of the vault or the item. */
  readonly mode?: 'new' | 'edit' | 'patch' | 'version'
  /** Set with the mode `version`. */
  readonly version?: number
}

const id = '([0-9a-z]{26})'
const patterns: readonly (readonly [RegExp, (parts: readonly string[]) => Route])[] = [
  [/^activity$/, () => ({ view: 'activity' })],
  [/^new$/, () => ({ view: 'vaults', mode: 'new' })],
  [RegExp(`^${id}$`), ([vaultId = '']) => ({ view: 'vaults', vaultId })],
  [
    RegExp(`^${id}/(new|edit)$`),
    ([vaultId = '', mode]) => ({ view: 'vaults', vaultId, mode: mode === 'new' ? 'new' : 'edit' }),
  ],
  [RegExp(`^${id}/${id}$`), ([vaultId = '', itemId = '']) => ({ view: 'vaults', vaultId, itemId })],
  [
    RegExp(`^${id}/${id}/(edit|patch)$`),
    ([vaultId = '', itemId = '', mode]) => ({
      view: 'vaults',
      vaultId,
      itemId,
      mode: mode === 'edit' ? 'edit' : 'patch',
    }),
  ],
  [
    RegExp(`^${id}/${id}/versions/([1-9][0-9]{0,14})$`),
    ([vaultId = '', itemId = '', version]) => ({
      view: 'vaults',
      vaultId,
      itemId,
      mode: 'version',
      version: Number(version),
    }),
  ],
]

/** Returns the part of the page for a fragment such as `#/<vault>/<item>`; else the vaults. */
export function parseRoute(fragment: string): Route {
  const path = fragment.replace(/^#\//, '')
  for (const [pattern, toRoute] of patterns) {
    const found = pattern.exec(path)
    if (found !== null) return toRoute(found.slice(1))
  }
  return { view: 'vaults' }
}

/** Returns the fragment of a part of the page. */
export function formatRoute({
  view,
  vaultId,
  itemId,
  mode,
  version,
}: Omit<Route, 'view'> & Partial<Route>): string {
  if (view === 'activity') return '#/activity'
  const last = mode === 'version' ? `versions/${version}` : mode
  return `#/${[vaultId, itemId, last].filter((part) => part !== undefined).join('/')}`
}

/** Returns 0 for a list of vaults, 1 for a list of items, 2 for everything inside them. */
export function depthOf({ vaultId, itemId, mode }: Route): 0 | 1 | 2 {
  if (itemId !== undefined || mode !== undefined) return 2
  return vaultId === undefined ? 0 : 1
}
