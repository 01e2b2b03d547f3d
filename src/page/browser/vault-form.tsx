/** The form that creates or renames a vault. */

import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import type { Vault } from '../../index.js'
import { Pane } from './pane.js'
import { navigate, useSession, vaultPath } from './session.js'

/** The form that creates a vault, or changes the name and the description of `vault`. */
export function VaultForm({ vault }: { readonly vault?: Vault }) {
  const { change } = useSession()
  const [name, setName] = useState(vault?.name ?? '')
  const [description, setDescription] = useState(vault?.description ?? '')
  const save = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const answer =
      vault === undefined
        ? await change('POST', '/v1/vaults', { json: { name, description } })
        : await change('PATCH', vaultPath(vault.id), {
            json: { name, description },
            ifVersion: vault.attributeVersion,
          })
    if (answer !== undefined) navigate({ vaultId: (answer.body as Vault).id })
  }
  const back = {
    text: 'Cancel',
    route: { view: 'vaults', ...(vault && { vaultId: vault.id }) },
  } as const
  return (
    <Pane depth={2} heading={vault === undefined ? 'New vault' : 'Edit vault'} back={back}>
      <form class="form" onSubmit={save}>
        <label for="vault-name">Name</label>
        <input
          id="vault-name"
          required
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <label for="vault-description">Description</label>
        <input
          id="vault-description"
          value={description}
          onInput={({ currentTarget }) => setDescription(currentTarget.value)}
        />
        <div class="buttons">
          <button type="submit" class="primary">
            Save
          </button>
        </div>
      </form>
    </Pane>
  )
}
