/** The code under test: a rule on a vault, a part of an HTTP service, and a program with a client. */

/** Archives every item of a vault without a tag. Returns their number. */
export async function archiveUntagged(service, caller, vaultId) {
  const items = await service.listItems(caller, { vaultId })
  const untagged = items.filter(({ tags }) => tags.length === 0)
  for (const { id: itemId, version } of untagged)
    await service.setItemState(caller, {
      vaultId,
      itemId,
      state: 'ARCHIVED',
      ifVersion: version,
    })
  return untagged.length
}

/** Reads the value of a field over HTTP. */
export async function readValue(request, itemUrl, token, fieldId) {
  const response = await request(itemUrl, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!response.ok) throw await response.json()
  const { fields } = await response.json()
  return fields.find(({ id }) => id === fieldId)?.value
}

/** Reads the credential of an API with the client of 1Password Connect. */
export async function findCredential(client, vaultId, title) {
  const { fields } = await client.getItemByTitle(vaultId, title)
  return fields.find(({ id }) => id === 'credential')?.value
}
