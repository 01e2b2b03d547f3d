import { describe, expect, it } from 'vitest'
import { createVaultService } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { readBytes } from '../../support/bytes.js'
import { notFound } from '../../support/service/rejections.js'
import { createRecordingStore } from '../../support/stores/stores.js'

describe('readFileContent', () => {
  it('returns name, size and bytes, also when the file is too large to inline', async () => {
    const vault = await createTestVault()
    const { content, ...rest } = await read(vault, vault.largeFile.id)
    expect(rest).toStrictEqual({ name: 'large.bin', size: 1025 })
    expect(await readBytes(content)).toEqual(new Uint8Array(1025).fill(7))
  })

  it('returns an independent stream for each call', async () => {
    const vault = await createTestVault()
    const [first, second] = [
      await read(vault, vault.smallFile.id),
      await read(vault, vault.smallFile.id),
    ]
    await first.content.cancel()
    expect(await new Response(second.content).text()).toBe('hello')
  })

  it.each(['c'.repeat(26), 'malformed'])(
    'rejects the file id %s as not found without a blob read',
    async (fileId) => {
      const vault = await createTestVault()
      const store = createRecordingStore(vault.store)
      const service = createVaultService({ store })
      await expect(read({ ...vault, service }, fileId)).rejects.toMatchObject(
        notFound('file', fileId),
      )
      expect(store.calls).toEqual(['records.get'])
    },
  )
})

function read(
  { service, caller, vaultId, item }: TestVault,
  fileId: string,
): ReturnType<TestVault['service']['readFileContent']> {
  return service.readFileContent(caller, { vaultId, itemId: item.id, fileId })
}
