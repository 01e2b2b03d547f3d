/** The form that sends a JSON Patch as it was written. */

import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import { parseJson } from '../../base/parse-json.js'
import type { Item } from '../../index.js'
import { titleOf } from './format.js'
import { Pane } from './pane.js'
import { useSession, vaultPath } from './session.js'

const example = '[\n  { "op": "add", "path": "/tags/-", "value": "new" }\n]'

/** The form that sends a JSON Patch. It stays open, so that patches can be tried. */
export function PatchForm({ item }: { readonly item: Item }) {
  const { announce, change } = useSession()
  const [text, setText] = useState(example)
  const [error, setError] = useState('')
  const vaultId = item.vault.id
  const send = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const json = parseJson(text)
    if (json === undefined) return setError('This is not JSON.')
    setError('')
    const path = vaultPath(vaultId, item.id)
    if (await change('PATCH', path, { json, ifVersion: item.version })) announce('Patched.')
  }
  return (
    <Pane
      depth={2}
      heading={`Patch ${titleOf(item)}`}
      back={{ text: 'Item', route: { view: 'vaults', vaultId, itemId: item.id } }}
    >
      <form class="form" onSubmit={send}>
        <label for="patch">JSON Patch</label>
        <textarea
          id="patch"
          class="code"
          rows={10}
          spellcheck={false}
          autocomplete="off"
          aria-describedby="patch-hint"
          aria-invalid={error !== ''}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <p id="patch-hint" class="hint">
          A list of <code>add</code>, <code>remove</code> and <code>replace</code>. A field is found
          by its id: <code>/fields/{item.fields[0]?.id ?? 'password'}/value</code>. The patch
          applies to version {item.version}.
        </p>
        {error !== '' && (
          <p class="problem" role="alert">
            {error}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="primary">
            Send
          </button>
        </div>
      </form>
    </Pane>
  )
}
