import { describe, expect, it } from 'vitest'
import { connectDialect } from '../../../src/dialects/connect.js'
import { contractDialect } from '../../../src/dialects/contract.js'
import { createCaller, createVaultService } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { fileRef } from '../../support/items/refs.js'
import { forbidden, invalid, notFound, unauthorized } from '../../support/service/rejections.js'
import { createRecordingStore } from '../../support/stores/stores.js'

describe('getFileDetails', () => {
  it('returns the details of a file without its content', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId, item, smallFile } = vault
    const details = await service.getFileDetails(caller, fileRef(vault, smallFile))
    expect(details).toStrictEqual({
      id: smallFile.id,
      name: 'hello.txt',
      size: 5,
      content_path: `/v1/vaults/${vaultId}/items/${item.id}/files/${smallFile.id}/content`,
      section: { id: 'more' },
    })
    const input = { ...fileRef(vault, smallFile), inlineFiles: false }
    expect(await service.getFileDetails(caller, input)).toStrictEqual(details)
  })

  it('returns the content in base64 when `inlineFiles` is true', async () => {
    const vault = await createTestVault()
    const details = await getInlined(vault, vault.smallFile)
    expect(details).toStrictEqual({ ...vault.smallFile, content: 'aGVsbG8=' })
  })

  it.each([
    [0, Array.from({ length: 256 }, (_, byte) => byte)],
    [1, [255]],
    [2, [255, 254]],
    [3, []],
    [4, Array.from({ length: 102_400 }, (_, index) => (index * 31) & 255)],
    [5, Array.from({ length: 0x8001 }, (_, index) => index & 255)],
  ])('encodes the content as RFC 4648 defines (%i)', async (_, bytes) => {
    const vault = await createTestVault({ maxInlineFileSizeKb: 100 })
    const content = Uint8Array.from(bytes)
    const file = await attach(vault, content)
    expect((await getInlined(vault, file)).content).toBe(Buffer.from(content).toString('base64'))
  })

  it.each([
    [undefined, 102_400],
    [1, 1024],
    [2, 2048],
    [0, 0],
  ])('inlines, when maxInlineFileSizeKb is %s, at most %i bytes', async (kb, limit) => {
    const { store, ...vault } = await createTestVault()
    const recording = createRecordingStore(store)
    const options = kb === undefined ? {} : { maxInlineFileSizeKb: kb }
    const service = createVaultService({ store: recording, ...options })
    const largest = await attach(vault, new Uint8Array(limit))
    const larger = await attach(vault, new Uint8Array(limit + 1))
    expect((await getInlined({ ...vault, service }, largest)).content).toHaveLength(
      Math.ceil(limit / 3) * 4,
    )
    expect(recording.calls).toEqual(['records.get', 'blobs.read'])
    await expect(getInlined({ ...vault, service }, larger)).rejects.toMatchObject({
      code: 'CONTENT_TOO_LARGE',
      status: 413,
      message: `File is too large to inline in request. Use the ${larger.content_path} endpoint instead.`,
    })
    expect(recording.calls).toEqual(['records.get', 'blobs.read', 'records.get'])
  })

  it('does not read the content when `inlineFiles` is not set', async () => {
    const vault = await createTestVault()
    const store = createRecordingStore(vault.store)
    const service = createVaultService({ store, maxInlineFileSizeKb: 0 })
    for (const file of [vault.smallFile, vault.largeFile]) {
      expect(await service.getFileDetails(vault.caller, fileRef(vault, file))).toStrictEqual(file)
    }
    expect(store.calls).toEqual(['records.get', 'records.get'])
  })

  it.each([
    ['c'.repeat(26), 'file cccccccccccccccccccccccccc not found'],
    ['123e4567-e89b-12d3-a456-426614174000', undefined],
    ['malformed', 'file malformed not found'],
    ['__proto__', 'file __proto__ not found'],
    ['../../item', 'file not found'],
    ['', 'file not found'],
  ])(
    'rejects the file id %j as not found',
    async (fileId, message = `file ${fileId} not found`) => {
      const vault = await createTestVault()
      await expect(getInlined(vault, { id: fileId })).rejects.toMatchObject({
        ...notFound('file', fileId),
        message,
      })
    },
  )

  const uuid = '123e4567-e89b-12d3-a456-426614174000'

  it.each([
    ['a malformed item id', { itemId: 'x' }],
    ['an item id that is a UUID', { itemId: uuid }],
    ['an item id that needs escapes', { itemId: 'a b' }],
    ['a malformed vault id', { vaultId: 'x' }],
    ['malformed ids alone', { vaultId: 'x', itemId: 'x' }],
  ])('rejects %s as a missing file in the contract dialect', async (_case, ids) => {
    const vault = await createTestVault()
    const ref = { ...fileRef(vault), ...ids }
    await expect(vault.service.getFileDetails(vault.caller, ref)).rejects.toMatchObject(
      notFound('file', vault.smallFile.id),
    )
    await expect(
      vault.service.getFileDetails(createCaller('reader', { [vault.vaultId]: 'read' }), ref),
    ).rejects.toMatchObject(
      'vaultId' in ids ? forbidden('x') : notFound('file', vault.smallFile.id),
    )
    await expect(
      vault.service.getFileDetails(createCaller('writer', { [vault.vaultId]: 'write' }), ref),
    ).rejects.toMatchObject('vaultId' in ids ? forbidden('x') : forbidden(vault.vaultId, 'reading'))
    await expect(vault.service.getFileDetails(undefined, ref)).rejects.toMatchObject(unauthorized)
  })

  it('does not repeat an invalid vault id in the message', async () => {
    const vault = await createTestVault()
    const ref = { ...fileRef(vault), vaultId: 'my vault' }
    await expect(
      vault.service.getFileDetails(createCaller('outsider', {}), ref),
    ).rejects.toMatchObject({
      status: 403,
      message: 'vault is not in scope',
    })
  })

  it.each([
    ['Item', { itemId: 'x' }],
    ['Item', { itemId: uuid }],
    ['Vault', { vaultId: 'x', itemId: 'x' }],
  ])('rejects a malformed %s id in the connect dialect: %j', async (resource, ids) => {
    const vault = await createTestVault({ dialect: connectDialect })
    for (const caller of [vault.caller, createCaller('outsider', {})]) {
      await expect(
        vault.service.getFileDetails(caller, { ...fileRef(vault), ...ids }),
      ).rejects.toMatchObject(invalid(`Invalid ${resource} UUID`))
    }
  })

  it.each(['vault', 'item'] as const)(
    'rejects as a missing file when the %s does not exist',
    async (missing) => {
      for (const dialect of [contractDialect, connectDialect]) {
        const vault = await createTestVault({ dialect })
        const ref = { ...fileRef(vault), [`${missing}Id`]: 'z'.repeat(26) }
        await expect(vault.service.getFileDetails(vault.caller, ref)).rejects.toMatchObject(
          notFound('file', vault.smallFile.id),
        )
      }
    },
  )
})

type VaultOfFile = Pick<TestVault, 'service' | 'caller' | 'vaultId' | 'item' | 'smallFile'>

function getInlined(
  vault: VaultOfFile,
  file: { id: string },
): ReturnType<TestVault['service']['getFileDetails']> {
  return vault.service.getFileDetails(vault.caller, {
    ...fileRef(vault, file),
    inlineFiles: true,
  })
}

function attach(
  { service, caller, vaultId, item }: VaultOfFile,
  content: Uint8Array,
): ReturnType<TestVault['service']['attachFile']> {
  return service.attachFile(caller, { vaultId, itemId: item.id, name: 'file', content })
}
