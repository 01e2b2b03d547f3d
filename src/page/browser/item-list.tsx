/** The items of a vault, with a search by title, tag and category. */

import { useMemo, useState } from 'preact/hooks'
import type { ItemSummary } from '../../index.js'
import { categoryName, compareNames, titleOf } from './format.js'
import { LinkList, Pane, Pending, Tile } from './pane.js'
import { formatRoute } from './route.js'
import { useSession, vaultPath } from './session.js'
import { useLoad } from './use-load.js'

/** Maximum number of items in one response. Without the extensions, all items are in one. */
const pageSize = 1000

/** The items of a vault. */
export function ItemList({ vaultId, name }: { readonly vaultId: string; readonly name: string }) {
  const { api, route, settings } = useSession()
  const [pages, setPages] = useState(1)
  const [search, setSearch] = useState('')
  const { data, error } = useLoad(`${vaultId} ${pages}`, async (signal) => {
    const items: ItemSummary[] = []
    let hasMore = true
    for (let page = 0; page < pages && hasMore; page++) {
      const last = items.at(-1)
      const after = last === undefined ? '' : `&after=${last.id}`
      const path = vaultPath(vaultId, undefined, `/items?limit=${pageSize}${after}`)
      const { body, headers } = await api.get(path, { signal })
      items.push(...(body as readonly ItemSummary[]))
      hasMore = headers.has('link')
    }
    return { items: items.sort(byTitle), hasMore }
  })
  // Preact skips an element that it has rendered before, so a search is quick.
  const rows = useMemo(
    () =>
      data?.items.map((item) => ({
        text: searchedText(item),
        element: <ItemRow key={item.id} vaultId={vaultId} item={item} openId={route.itemId} />,
      })),
    [data, vaultId, route.itemId],
  )
  const wanted = search.trim().toLowerCase()
  const found = rows?.filter(({ text }) => text.includes(wanted))
  const isEditable = !settings.isReadOnly
  return (
    <Pane
      depth={1}
      heading={name}
      back={{ text: 'Vaults', route: { view: 'vaults' }, isUp: true }}
      actions={
        isEditable && (
          <a class="button" href={formatRoute({ vaultId, mode: 'new' })}>
            New item
          </a>
        )
      }
    >
      <input
        class="search"
        type="search"
        aria-label={`Search in ${name}`}
        placeholder="Search"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {data === undefined && <Pending error={error} />}
      <p class="count" role="status">
        {found && countText(found.length, search)}
      </p>
      <LinkList label="Items">{found?.map(({ element }) => element)}</LinkList>
      {data?.hasMore && (
        <button type="button" onClick={() => setPages(pages + 1)}>
          Load more items
        </button>
      )}
      {isEditable && settings.hasExtensions && (
        <a class="footnote" href={formatRoute({ vaultId, mode: 'edit' })}>
          Edit vault
        </a>
      )}
    </Pane>
  )
}

interface ItemRowProps {
  readonly vaultId: string
  readonly item: ItemSummary
  /** The id of the item that is open. */
  readonly openId: string | undefined
}

function ItemRow({ vaultId, item, openId }: ItemRowProps) {
  return (
    <li>
      <a
        href={formatRoute({ vaultId, itemId: item.id })}
        aria-current={item.id === openId ? 'true' : undefined}
      >
        <Tile text={titleOf(item)} />
        <span class="lines">
          <b dir="auto">{titleOf(item)}</b>
          <small>
            {categoryName(item.category)}
            {item.state && ` · ${item.state.toLowerCase()}`}
          </small>
        </span>
        {item.favorite && (
          <span class="star" role="img" aria-label="Favorite">
            ★
          </span>
        )}
      </a>
    </li>
  )
}

/** Returns the text of an item in which a search looks for its words, in lower case. */
function searchedText({ title = '', tags, category }: ItemSummary): string {
  return [title, categoryName(category), ...tags].join('\n').toLowerCase()
}

function byTitle(left: ItemSummary, right: ItemSummary): number {
  return compareNames(left.title ?? '', right.title ?? '') || left.id.localeCompare(right.id)
}

function countText(count: number, search: string): string {
  if (count === 0) return search === '' ? 'This vault is empty.' : 'No item matches.'
  return count === 1 ? '1 item' : `${count} items`
}
