/** The code under test: a rule on a vault, a part of an HTTP service, and a program with a client. */

/** Gives every login without a password a new one. Returns their number. */
exports.addPasswords = async (service, caller, vaultId) => {
  let count = 0
  for (const { id: itemId } of await service.listItems(caller, { vaultId })) {
    const { category, fields, version } = await service.getItem(caller, {
      vaultId,
      itemId,
    })
    if (
      category !== 'LOGIN' ||
      fields.some(({ purpose }) => purpose === 'PASSWORD')
    )
      continue
    const value = {
      id: 'password',
      type: 'CONCEALED',
      purpose: 'PASSWORD',
      generate: true,
    }
    const patch = [{ op: 'add', path: '/fields/-', value }]
    await service.patchItem(caller, {
      vaultId,
      itemId,
      patch,
      ifVersion: version,
    })
    count++
  }
  return count
}

/** Lists the titles of a vault over HTTP. */
exports.listTitles = async (request, vaultId, token) => {
  const headers = { authorization: `Bearer ${token}` }
  const response = await request(`/v1/vaults/${vaultId}/items`, { headers })
  if (!response.ok) throw await response.json()
  return (await response.json()).map(({ title }) => title).sort()
}

/** Stores a password with the client of 1Password Connect, under a new title. */
exports.storePassword = async (client, vaultId, title, value) => {
  const fields = [
    { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', value },
  ]
  const vault = { id: vaultId }
  return client.createItem(vaultId, {
    category: 'PASSWORD',
    title,
    vault,
    fields,
  })
}
