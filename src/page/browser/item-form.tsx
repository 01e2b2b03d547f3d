/** The form that creates an item, or changes one by a patch of what is different. */

import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import type { Item } from '../../index.js'
import { FieldEditor } from './field-editor.js'
import { categoryName } from './format.js'
import {
  emptyItem,
  type FieldState,
  type ItemState,
  newField,
  toDraft,
  toItemState,
  toPatch,
} from './item-draft.js'
import { Pane } from './pane.js'
import { navigate, useSession, vaultPath } from './session.js'

const categories = [
  ...['LOGIN', 'PASSWORD', 'API_CREDENTIAL', 'SECURE_NOTE', 'SERVER', 'DATABASE', 'SSH_KEY'],
  ...['DOCUMENT', 'CREDIT_CARD', 'BANK_ACCOUNT', 'IDENTITY', 'MEMBERSHIP', 'PASSPORT'],
  ...['SOFTWARE_LICENSE', 'OUTDOOR_LICENSE', 'WIRELESS_ROUTER', 'DRIVER_LICENSE'],
  ...['REWARD_PROGRAM', 'EMAIL_ACCOUNT', 'SOCIAL_SECURITY_NUMBER', 'MEDICAL_RECORD', 'CUSTOM'],
]

/** The form that creates an item in a vault, or changes `item`. */
export function ItemForm({ vaultId, item }: { readonly vaultId: string; readonly item?: Item }) {
  const { announce, change } = useSession()
  // A reload after a change of another item must not discard what was typed.
  const [base] = useState(item)
  const [state, setState] = useState<ItemState>(() => (item ? toItemState(item) : emptyItem()))
  const [isBusy, setBusy] = useState(false)
  const set = (changes: Partial<ItemState>): void => setState({ ...state, ...changes })
  const setField = (index: number, field: FieldState | undefined): void =>
    set({ fields: state.fields.toSpliced(index, 1, ...(field ? [field] : [])) })

  const save = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const patch = base && toPatch(base, state)
    if (base && patch?.length === 0) return navigate({ vaultId, itemId: base.id })
    setBusy(true)
    const answer = base
      ? await change('PATCH', vaultPath(vaultId, base.id), { json: patch, ifVersion: base.version })
      : await change('POST', vaultPath(vaultId, undefined, '/items'), {
          json: toDraft(state, vaultId),
        })
    setBusy(false)
    if (answer === undefined) return
    announce('Saved.')
    navigate({ vaultId, itemId: (answer.body as Item).id })
  }
  const route = { view: 'vaults', vaultId, ...(item && { itemId: item.id }) } as const
  return (
    <Pane
      depth={2}
      heading={item === undefined ? 'New item' : 'Edit item'}
      back={{ text: 'Cancel', route }}
    >
      <form class="form" onSubmit={save} autocomplete="off">
        {item === undefined && (
          <>
            <label for="category">Category</label>
            <select
              id="category"
              value={state.category}
              onChange={({ currentTarget: { value } }) =>
                setState({ ...emptyItem(value), title: state.title, tags: state.tags })
              }
            >
              {categories.map((category) => (
                <option key={category} value={category}>
                  {categoryName(category)}
                </option>
              ))}
            </select>
          </>
        )}
        <label for="title">Title</label>
        <input
          id="title"
          dir="auto"
          value={state.title}
          onInput={({ currentTarget }) => set({ title: currentTarget.value })}
        />
        <fieldset>
          <legend>Fields</legend>
          {state.fields.map((field, index) => (
            <FieldEditor
              key={field.key}
              field={field}
              sections={item?.sections ?? []}
              onChange={(next) => setField(index, next)}
            />
          ))}
          <button type="button" onClick={() => set({ fields: [...state.fields, newField()] })}>
            Add a field
          </button>
        </fieldset>
        <label for="urls">Websites, one on each line</label>
        <textarea
          id="urls"
          rows={2}
          value={state.urls}
          onInput={({ currentTarget }) => set({ urls: currentTarget.value })}
        />
        <label for="tags">Tags, separated by commas</label>
        <input
          id="tags"
          dir="auto"
          value={state.tags}
          onInput={({ currentTarget }) => set({ tags: currentTarget.value })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={state.isFavorite}
            onChange={({ currentTarget }) => set({ isFavorite: currentTarget.checked })}
          />
          Favorite
        </label>
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            Save
          </button>
        </div>
      </form>
    </Pane>
  )
}
