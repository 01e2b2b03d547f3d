import { describe, expect, it } from 'vitest'
import { connectDialect } from '../../../src/dialects/connect.js'
import { contractDialect } from '../../../src/dialects/contract.js'
import { createCaller, createVaultService } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { fileRef, itemRef } from '../../support/items/refs.js'
import { forbidden, invalid, notFound, unauthorized } from '../../support/service/rejections.js'
import { createRecordingStore } from '../../support/stores/stores.js'

describe('getFileDetails', () => {
  it('rejects a file that is too large to be inlined, without a blob read', async () => {
    const { store, ...vault } = await createTestVault()
    const recording = createRecordingStore(store)
    const service = createVaultService({ store: recording, maxInlineFileSizeKb: 1 })
    await expect(getInlined({ ...vault, service }, vault.largeFile)).rejects.toMatchObject({
      code: 'CONTENT_TOO_LARGE',
      status: 413,
      message: `File is too large to inline in request. Use the ${vault.largeFile.content_path} endpoint instead.`,
    })
    expect(recording.calls).toEqual(['records.get'])
  })

  it.each([
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

  it('finds a file whose id is not a UUID in its own case only', async () => {
    const vault = await createTestVault()
    const file = { ...itemRef(vault), name: 'f', content: new Uint8Array(1) }
    const { id } = await vault.service.attachFile(vault.caller, { ...file, fileId: 'a'.repeat(26) })
    expect(await getInlined(vault, { id })).toMatchObject({ id })
    const upper = id.toUpperCase()
    await expect(getInlined(vault, { id: upper })).rejects.toMatchObject(notFound('file', upper))
  })

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
      vault.service.getFileDetails(
        createCaller({ id: 'reader', vaults: { [vault.vaultId]: 'read' } }),
        ref,
      ),
    ).rejects.toMatchObject(
      'vaultId' in ids ? forbidden('x') : notFound('file', vault.smallFile.id),
    )
    await expect(
      vault.service.getFileDetails(
        createCaller({ id: 'writer', vaults: { [vault.vaultId]: 'write' } }),
        ref,
      ),
    ).rejects.toMatchObject('vaultId' in ids ? forbidden('x') : forbidden(vault.vaultId, 'reading'))
    await expect(vault.service.getFileDetails(undefined, ref)).rejects.toMatchObject(unauthorized)
  })

  it('does not repeat an invalid vault id in the message', async () => {
    const vault = await createTestVault()
    const ref = { ...fileRef(vault), vaultId: 'my vault' }
    await expect(
      vault.service.getFileDetails(createCaller({ id: 'outsider', vaults: {} }), ref),
    ).rejects.toMatchObject({
      status: 403,
      message: 'vault is not in scope',
    })
  })

  it.each([
    ['itemId', { itemId: 'x' }],
    ['itemId', { itemId: uuid }],
    ['vaultId', { vaultId: 'x', itemId: 'x' }],
  ])('rejects a malformed %s in the connect dialect: %j', async (resource, ids) => {
    const vault = await createTestVault({ dialect: connectDialect })
    for (const caller of [vault.caller, createCaller({ id: 'outsider', vaults: {} })]) {
      await expect(
        vault.service.getFileDetails(caller, { ...fileRef(vault), ...ids }),
      ).rejects.toMatchObject(invalid(`${resource} must be an id: 26 characters of a-z and 0-9`))
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
