import { describe, expect, it } from 'vitest'
import type { TestVault } from '../../src/testing.js'
import { loginDraft } from '../support/drafts.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { itemUrl, sendJson, vaultUrl } from '../support/http/requests.js'

const strictVault = (): Promise<TestVault> => createTestVault({}, { extensions: true })

describe('createHttpHandler of a strict service', () => {
  it.each<[string, string, string, object, string]>([
    ['POST', 'vault', '/items', { titel: 'a' }, 'titel: unknown, did you mean title?'],
    ['PUT', 'item', '', { titel: 'a' }, 'titel: unknown, did you mean title?'],
    ['PATCH', 'vault', '', { nmae: 'New' }, 'nmae: unknown, did you mean name?'],
    ['PUT', 'item', '/state', { stat: 'ARCHIVED' }, 'stat: unknown, did you mean state?'],
    [
      'POST',
      'item',
      '/fields/pin/regenerate',
      { recipie: {} },
      'recipie: unknown, did you mean recipe?',
    ],
  ])('%s of %s%s rejects %j', async (method, target, rest, members, message) => {
    const vault = await strictVault()
    const url = target === 'item' ? itemUrl(vault, rest) : vaultUrl(vault, rest)
    const isItem = method !== 'PATCH' && (rest === '' || rest === '/items')
    const body = isItem ? { ...loginDraft(vault.vaultId), ...members } : members
    expect(await sendJson(vault, method, url, JSON.stringify(body))).toEqual({
      status: 400,
      message,
      changed: false,
    })
  })

  it('reads no id, version or prototype from a body', async () => {
    const vault = await strictVault()
    const other = 'z'.repeat(26)
    const text = `{"name":"New","vaultId":"${other}","itemId":"${other}","ifVersion":9,"__proto__":{"ifVersion":9}}`
    expect(await sendJson(vault, 'PATCH', vaultUrl(vault), text)).toMatchObject({ status: 200 })
    expect((await vault.service.listVaults(vault.caller))[0]).toMatchObject({ name: 'New' })
  })
})

describe('readInput', () => {
  it('requires the vault of an item, which a call in process can leave out', async () => {
    const vault = await createTestVault()
    const url = vaultUrl(vault, '/items')
    expect(await sendJson(vault, 'POST', url, '{"category":"LOGIN"}')).toEqual({
      status: 400,
      message: 'vault must be an object',
      changed: false,
    })
    const text = JSON.stringify(loginDraft(vault.vaultId))
    expect(await sendJson(vault, 'POST', url, text)).toMatchObject({ status: 200 })
  })
})
