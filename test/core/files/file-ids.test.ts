import { describe, expect, it } from 'vitest'
import { connectDialect } from '../../../src/dialects/connect.js'
import { createTestVault } from '../../../src/testing.js'
import { getCurrentItem, itemRef } from '../../support/items/refs.js'
import { invalid, notFound } from '../../support/service/rejections.js'
import { readRecords } from '../../support/stores/stores.js'

const uuid = '123e4567-e89b-12d3-a456-426614174abc'
const spellings = [uuid, uuid.toUpperCase(), '123E4567-e89b-12d3-A456-426614174aBC']
const uuidVersion4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

const file = { name: 'notes.txt', content: new TextEncoder().encode('hello') }

describe('attachFile', () => {
  it('returns a lower-case UUID as the id in the contract dialect', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId } = vault
    const attached = []
    for (let count = 0; count < 20; count++)
      attached.push(await service.attachFile(caller, { ...itemRef(vault), ...file }))
    for (const { id, content_path } of attached) {
      expect(id).toMatch(uuidVersion4)
      expect(content_path).toBe(`/v1/vaults/${vaultId}/items/${vault.item.id}/files/${id}/content`)
    }
    expect(new Set(attached.map(({ id }) => id)).size).toBe(20)
    expect((await getCurrentItem(vault)).files.slice(-20)).toEqual(attached)
  })

  it('returns an id of 26 characters in the connect dialect', async () => {
    const vault = await createTestVault({ dialect: connectDialect })
    const { id } = await vault.service.attachFile(vault.caller, { ...itemRef(vault), ...file })
    expect(id).toMatch(/^[a-z2-7]{26}$/)
  })

  it.each(spellings)('rejects the UUID of another file spelled as %s', async (fileId) => {
    const vault = await createTestVault()
    const ref = itemRef(vault)
    await vault.service.attachFile(vault.caller, { ...ref, ...file, fileId: uuid })
    await expect(
      vault.service.attachFile(vault.caller, { ...ref, ...file, fileId }),
    ).rejects.toMatchObject(invalid('fileId must not be the id of another file of the item'))
  })
})

describe('getFileDetails and readFileContent', () => {
  it.each(spellings)(
    'return the file in any case when its UUID was given as %s',
    async (fileId) => {
      const vault = await createTestVault()
      const { service, caller } = vault
      const ref = itemRef(vault)
      const attached = await service.attachFile(caller, { ...ref, ...file, fileId })
      for (const spelling of spellings) {
        const fileRef = { ...ref, fileId: spelling }
        expect(await service.getFileDetails(caller, fileRef)).toEqual(attached)
        const { content } = await service.readFileContent(caller, fileRef)
        expect(await new Response(content).text()).toBe('hello')
      }
    },
  )

  it('find a file whose id is not a UUID in its own case only', async () => {
    const vault = await createTestVault()
    const fileId = 'a'.repeat(26)
    const ref = { ...itemRef(vault), fileId }
    await vault.service.attachFile(vault.caller, { ...ref, ...file })
    expect(await vault.service.getFileDetails(vault.caller, ref)).toMatchObject({ id: fileId })
    const upper = { ...ref, fileId: fileId.toUpperCase() }
    await expect(vault.service.getFileDetails(vault.caller, upper)).rejects.toMatchObject(
      notFound('file', upper.fileId),
    )
  })
})

describe('removeFile', () => {
  it.each(spellings)(
    'removes the file and its content when its UUID is spelled as %s',
    async (fileId) => {
      const vault = await createTestVault()
      const { service, caller } = vault
      const ref = itemRef(vault)
      const before = await getCurrentItem(vault)
      const records = await readRecords(vault.store, vault.vaultId)
      await service.attachFile(caller, { ...ref, ...file, fileId: uuid })
      await service.removeFile(caller, { ...ref, fileId })
      expect((await getCurrentItem(vault)).files).toEqual(before.files)
      await expect(service.getFileDetails(caller, { ...ref, fileId })).rejects.toMatchObject(
        notFound('file', fileId),
      )
      expect(await readRecords(vault.store, vault.vaultId)).toHaveLength(records.length)
    },
  )
})
