/** One item, or an old version of it: its fields by section, files, history and details. */

import { useState } from 'preact/hooks'
import type { Item } from '../../index.js'
import type { PageField } from './concealed.js'
import { ConfirmButton } from './confirm-button.js'
import { FieldRow } from './field-row.js'
import { FileList } from './file-list.js'
import { categoryName, formatTime, titleOf } from './format.js'
import { History } from './history.js'
import { Pane } from './pane.js'
import { formatRoute } from './route.js'
import { navigate, useSession, vaultPath } from './session.js'

interface ItemViewProps {
  readonly item: Item
  readonly isOldVersion: boolean
}

/** One item. An old version can only be restored. */
export function ItemView({ item, isOldVersion }: ItemViewProps) {
  const { settings } = useSession()
  const { isReadOnly, hasExtensions } = settings
  const vaultId = item.vault.id
  const back = isOldVersion
    ? { text: 'Current version', route: { view: 'vaults', vaultId, itemId: item.id } as const }
    : { text: 'Items', route: { view: 'vaults', vaultId } as const, isUp: true }
  return (
    <Pane depth={2} heading={titleOf(item)} back={back}>
      <p class="meta">
        {categoryName(item.category)}
        {item.favorite && ' · ★ Favorite'}
        {item.state && ` · ${categoryName(item.state)}`}
        {isOldVersion && <strong> · Version {item.version}</strong>}
      </p>
      {!isReadOnly && <Actions item={item} isOldVersion={isOldVersion} />}
      <Fields item={item} />
      {item.urls.length > 0 && (
        <div class="group">
          <h3>Websites</h3>
          <ul class="plain">
            {item.urls.map(({ href, label }) => (
              <li key={href} dir="auto">
                {label && <small>{label} </small>}
                <WebLink href={href} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {item.tags.length > 0 && (
        <div class="group">
          <h3>Tags</h3>
          <ul class="tags">
            {item.tags.map((tag) => (
              <li key={tag} dir="auto">
                {tag}
              </li>
            ))}
          </ul>
        </div>
      )}
      {!isOldVersion && <FileList item={item} />}
      {!isOldVersion && hasExtensions && <History item={item} />}
      <p class="footnote">
        Version {item.version}, changed {formatTime(item.updatedAt)} by{' '}
        <bdi>{item.lastEditedBy}</bdi>. Created {formatTime(item.createdAt)}.
      </p>
    </Pane>
  )
}

/** A link if the address is one of the web, else text: the connect dialect stores any text. */
function WebLink({ href }: { readonly href: string }) {
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return <span>{href}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {href}
    </a>
  )
}

/** The fields without a section, then those of each section under its label. */
function Fields({ item }: { readonly item: Item }) {
  const fields: readonly PageField[] = item.fields
  const groups = [{ id: undefined, label: 'Fields' }, ...item.sections]
  return (
    <>
      {groups.map((section) => {
        const own = fields.filter((field) => field.section?.id === section.id)
        if (own.length === 0) return null
        return (
          <div class="group" key={section.id ?? ''}>
            <h3 class={section.id === undefined ? 'hidden' : ''} dir="auto">
              {section.label || 'Section'}
            </h3>
            <dl class="fields">
              {own.map((field) => (
                <FieldRow key={field.id} field={field} />
              ))}
            </dl>
          </div>
        )
      })}
    </>
  )
}

/** The buttons that change the item, or restore its old version. */
function Actions({ item, isOldVersion }: ItemViewProps) {
  const { change, announce, settings } = useSession()
  const [isBusy, setBusy] = useState(false)
  const vaultId = item.vault.id
  const ref = { vaultId, itemId: item.id }
  const send = async (done: string, method: string, rest: string, json?: object) => {
    setBusy(true)
    const ifVersion = isOldVersion ? {} : { ifVersion: item.version }
    const path = vaultPath(vaultId, item.id, rest)
    const answer = await change(method, path, { ...(json && { json }), ...ifVersion })
    setBusy(false)
    if (answer === undefined) return
    announce(done)
    if (method === 'DELETE') navigate({ vaultId })
    else if (isOldVersion) navigate(ref)
  }
  if (isOldVersion)
    return (
      <div class="buttons">
        <ConfirmButton
          text="Restore this version"
          question={`Replace the item by its version ${item.version}?`}
          disabled={isBusy}
          onConfirm={() => send('Restored.', 'POST', `/versions/${item.version}/restore`, {})}
        />
      </div>
    )
  const isActive = item.state === undefined
  return (
    <div class="buttons">
      <a class="button" href={formatRoute({ ...ref, mode: 'edit' })}>
        Edit
      </a>
      {settings.isDeveloper && (
        <a class="button" href={formatRoute({ ...ref, mode: 'patch' })}>
          Patch
        </a>
      )}
      {settings.hasExtensions && (
        <button
          type="button"
          disabled={isBusy}
          onClick={() =>
            send(isActive ? 'Archived.' : 'Active again.', 'PUT', '/state', {
              state: isActive ? 'ARCHIVED' : 'ACTIVE',
            })
          }
        >
          {isActive ? 'Archive' : 'Make active'}
        </button>
      )}
      <ConfirmButton
        text="Delete"
        question={`Delete “${titleOf(item)}” and its files permanently?`}
        disabled={isBusy}
        onConfirm={() => send('Deleted.', 'DELETE', '')}
      />
    </div>
  )
}
