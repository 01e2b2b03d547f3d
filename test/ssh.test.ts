import { describe, expect, it } from 'vitest'
import { createSshKeyPair, sshKeyFields } from '../src/ssh.js'
import { createTestVault } from '../src/testing.js'
import { invalid } from './support/service/rejections.js'

describe('createSshKeyPair', () => {
  it('returns a different key each time', async () => {
    const [one, other] = [await createSshKeyPair(), await createSshKeyPair()]
    expect(one.publicKey).not.toBe(other.publicKey)
    expect(one.privateKey).not.toBe(other.privateKey)
    expect(one.fingerprint).not.toBe(other.fingerprint)
    expect(one.publicKey).toMatch(/^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[\w+/]{43}$/)
  })

  it.each(['a\nssh-ed25519 AAAA', 'a\r', '\0', 'a\tb', '\u0085'])(
    'rejects the comment %j, which could add a line',
    async (comment) => {
      await expect(createSshKeyPair({ comment })).rejects.toMatchObject(
        invalid('comment must not contain control characters'),
      )
    },
  )

  it('rejects a comment of more than 1,024 characters', async () => {
    expect((await createSshKeyPair({ comment: 'x'.repeat(1024) })).publicKey).toMatch(/x{1024}$/)
    await expect(createSshKeyPair({ comment: 'x'.repeat(1025) })).rejects.toMatchObject(
      invalid('comment must be at most 1024 characters long'),
    )
  })
})

describe('sshKeyFields', () => {
  it('returns the fields of an item of the category SSH_KEY', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const pair = await createSshKeyPair({ comment: 'wendy' })
    const { fields } = await service.createItem(caller, {
      vaultId,
      item: { category: 'SSH_KEY', vault: { id: vaultId }, fields: sshKeyFields(pair) },
    })
    const values = fields.map(({ id, type, value }) => [id, type, value])
    expect(values).toEqual([
      ['private_key', 'CONCEALED', pair.privateKey],
      ['public_key', 'STRING', pair.publicKey],
      ['fingerprint', 'STRING', pair.fingerprint],
      ['key_type', 'STRING', 'ed25519'],
    ])
  })
})
