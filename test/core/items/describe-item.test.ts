import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectDialect } from '../../../src/dialects/connect.js'
import type {
  Field,
  FieldDescription,
  FieldDraft,
  ItemDescription,
  ItemDraft,
} from '../../../src/index.js'
import type { TestVault } from '../../../src/testing.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { noteDraft } from '../../support/drafts.js'
import { createHttpHandler, createTestVault } from '../../support/http/checked-handlers.js'
import { createRequest, itemUrl, parseResponse } from '../../support/http/requests.js'
import { itemRef } from '../../support/items/refs.js'
import { createSpyLog } from '../../support/service/observed-calls.js'
import { forbidden, notFound } from '../../support/service/rejections.js'
import { vaultCalls } from '../../support/service/vault-calls.js'

/** The operations in the table "Who has seen a value" of docs/activity.md. */
const seeing = [
  ...['getItem', 'getItems', 'getField', 'getVersion', 'readFileContent', 'getFileDetails'],
  ...['listFiles', 'createItem', 'replaceItem', 'patchItem', 'regenerateField', 'setItemState'],
  'restoreVersion',
]

/** Creates an item of the connect dialect, which accepts more types, and describes it. */
async function describeDraft(changes: Partial<ItemDraft>): Promise<ItemDescription> {
  const { service, caller, vaultId } = await createTestVault({ dialect: connectDialect })
  const { id } = await service.createItem(caller, { vaultId, item: noteDraft(vaultId, changes) })
  return service.describeItem(caller, { vaultId, itemId: id })
}

async function describeField(field: Omit<FieldDraft, 'id'>): Promise<FieldDescription | undefined> {
  const { fields } = await describeDraft({ fields: [{ id: 'f', ...field }] })
  return fields.find(({ id }) => id === 'f')
}

describe('describeItem', () => {
  it('returns the item, in which only values and entropy differ', async () => {
    const vault = await createTestVault()
    const { service, caller } = vault
    const ref = itemRef(vault)
    const generated = await service.regenerateField(caller, { ...ref, fieldId: 'password' })
    const [username, password, pin] = generated.fields
    expect(password?.entropy).toBeGreaterThan(100)
    const { entropy: _, ...withoutEntropy } = password as Field
    expect(await service.describeItem(caller, ref)).toStrictEqual({
      ...generated,
      fields: [
        username,
        { ...withoutEntropy, value: { isSet: true } },
        { ...pin, value: { isSet: true } },
      ],
    })
  })

  it.each(['STRING', 'EMAIL', 'URL', 'MENU'])(
    'shows the value of a field of type %s',
    async (type) => {
      const field = { type, label: 'Label', value: 'plain value' }
      expect(await describeField(field)).toStrictEqual({ id: 'f', ...field })
      expect(await describeField({ ...field, purpose: 'USERNAME' })).toMatchObject({
        value: 'plain value',
      })
    },
  )

  it.each([
    ['DATE', '2026-01-31'],
    ['MONTH_YEAR', '202601'],
  ])('shows the value of a field of type %s', async (type, value) => {
    expect(await describeField({ type, value })).toMatchObject({ value })
  })

  it.each([
    ...['CONCEALED', 'TOTP', 'OTP', 'PHONE', 'ADDRESS', 'REFERENCE', 'CREDIT_CARD_NUMBER', 'FILE'],
    ...['SSHKEY', 'PASSKEY', 'UNKNOWN'],
  ])('hides the value of a field of type %s', async (type) => {
    expect(await describeField({ type, value: 'a b' })).toStrictEqual({
      ...{ id: 'f', type },
      value: { isSet: true },
    })
  })

  it.each(['PASSWORD', 'NOTES'] as const)('hides a value of the purpose %s', async (purpose) => {
    for (const type of ['STRING', 'CONCEALED', 'URL'])
      expect(await describeField({ type, purpose, value: 'abcdefghijklmnop1234' })).toMatchObject({
        value: { isSet: true },
      })
  })

  it('hides a one-time code in a field of any type', async () => {
    for (const type of ['STRING', 'URL', 'MENU'])
      for (const value of ['otpauth://totp/a?secret=JBSWY3DP', ' OTPAUTH://totp/a?secret=x'])
        expect((await describeField({ type, value }))?.value).toEqual({ isSet: true })
  })

  it('hides a one-time code in a URL of the item', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const hrefs = ['otpauth://totp/a?secret=JBSWY3DP', 'otpauth-migration://offline?data=JBSWY3DP']
    const urls = hrefs.map((href, index) => ({ href, label: `${index}` }))
    const item = noteDraft(vaultId, { urls })
    const { id: itemId } = await service.createItem(caller, { vaultId, item })
    const description = await service.describeItem(caller, { vaultId, itemId })
    expect(description.urls).toEqual([{ label: '0' }, { label: '1' }])
  })

  it('says whether a hidden value is set, and leaves out a shown one that is not', async () => {
    expect(await describeField({ type: 'CONCEALED' })).toMatchObject({ value: { isSet: false } })
    expect(await describeField({ type: 'CONCEALED', value: '' })).toMatchObject({
      value: { isSet: false },
    })
    expect(await describeField({ type: 'STRING' })).not.toHaveProperty('value')
    expect(await describeField({ type: 'STRING', value: '' })).toMatchObject({ value: '' })
  })

  it.each<[string, Omit<FieldDraft, 'id'>, string | undefined]>([
    ['16 characters', { value: 'abcdefghijklWXY7' }, '…WXY7'],
    ['an empty purpose', { value: 'abcdefghijklWXY7', purpose: '' }, '…WXY7'],
    ['letters of another script', { value: 'абвгдеёжзийклмно' }, '…лмно'],
    ['15 characters', { value: 'abcdefghijkWXY7' }, undefined],
    ['15 code points in 30 units', { value: `${'😀'.repeat(11)}WXY7` }, undefined],
    ['16 code points', { value: `${'😀'.repeat(12)}WXY7` }, '…WXY7'],
    ['another character at the end', { value: 'abcdefghijklmnWXY=' }, undefined],
    ['a line break at the end', { value: 'abcdefghijklmnWXY7\n' }, undefined],
    ['half a pair at the end', { value: `abcdefghijklmnXY7${'😀'}` }, undefined],
    ['another type', { type: 'TOTP', value: 'abcdefghijklWXY7' }, undefined],
    ['a purpose', { value: 'abcdefghijklWXY7', purpose: 'USERNAME' }, undefined],
  ])('hints at the last four characters of a value: %s', async (_, field, hint) => {
    expect((await describeField({ type: 'CONCEALED', ...field }))?.value).toStrictEqual(
      hint === undefined ? { isSet: true } : { isSet: true, hint },
    )
  })

  it.each([
    ['https://example.com/@user?to=a@b', 'https://example.com/@user?to=a@b'],
    ['https://example.com', 'https://example.com'],
    ['https://wendy:hunter2@example.com/a', 'https://example.com/a'],
    ['https://hunter2@example.com', 'https://example.com/'],
    ['postgres://wendy:hunter2@db.example:5432/shop', 'postgres://db.example:5432/shop'],
    ['https://wen\tdy:hunter2@example.com/', 'https://example.com/'],
    ['wendy:hunter2@example.com', undefined],
    ['https:wendy:hunter2@example.com', undefined],
    [' https://wendy:hunter2@example.com', undefined],
    ['file://wendy:hunter2@host/', undefined],
    ['mailto:wendy@example.com', undefined],
    ['router', 'router'],
  ])('removes user name and password from the URL %j', async (href, shown) => {
    const fields = [{ id: 'f', type: 'URL', value: href }]
    const description = await describeDraft({ urls: [{ href, label: 'a', primary: true }], fields })
    const { urls } = description
    const rest = { label: 'a', primary: true }
    expect(urls).toStrictEqual([shown === undefined ? rest : { href: shown, ...rest }])
    const field = description.fields.find(({ id }) => id === 'f')
    expect(field?.value).toEqual(shown ?? { isSet: true })
    if (href.includes('hunter2')) expect(JSON.stringify(description)).not.toContain('hunter2')
  })

  it('contains no five characters in a row of a random secret', async () => {
    const { service, caller, vaultId } = await createTestVault({ dialect: connectDialect })
    const secretType = fc.constantFrom('CONCEALED', 'TOTP', 'OTP', 'SSHKEY', 'PHONE', 'REFERENCE')
    await fc.assert(
      fc.asyncProperty(
        // None of the names and words of a description has one of these characters.
        fc.string({
          minLength: 5,
          maxLength: 60,
          unit: fc.constantFrom(...'ABCDEFGH0123456789-_=+/'),
        }),
        secretType,
        async (secret, type) => {
          const fields = [{ id: 'f', type, value: secret }]
          const item = noteDraft(vaultId, { fields })
          const { id } = await service.createItem(caller, { vaultId, item })
          const { fields: described } = await service.describeItem(caller, { vaultId, itemId: id })
          const shown = JSON.stringify(described)
          const points = [...secret]
          for (let start = 0; start + 5 <= points.length; start++)
            expect(shown).not.toContain(points.slice(start, start + 5).join(''))
        },
      ),
      { numRuns: propertyRuns(200) },
    )
  })

  it('finds an archived item, but not a deleted one', async () => {
    const vault = await createTestVault()
    const { service, caller } = vault
    const ref = itemRef(vault)
    await service.setItemState(caller, { ...ref, state: 'ARCHIVED' })
    expect(await service.describeItem(caller, ref)).toMatchObject({ state: 'ARCHIVED' })
    await service.setItemState(caller, { ...ref, state: 'DELETED' })
    await expect(service.describeItem(caller, ref)).rejects.toMatchObject(
      notFound('item', ref.itemId),
    )
  })

  it('is a permission of its own: a caller who has only this one sees no value', async () => {
    const activity = createSpyLog()
    const vault = await createTestVault({ activity, history: { maxVersions: 5 } })
    const { service, vaultId, item, smallFile } = vault
    const can = (_permission: string, _vault: string, operation?: string): boolean =>
      operation === 'describeItem'
    const caller = { id: 'settings', can }
    const ref = { vaultId, itemId: item.id, fileId: smallFile.id }
    const names = vaultCalls.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(seeing))
    for (const { name, run } of vaultCalls) {
      if (name === 'describeItem') await run(service, caller, ref)
      else await expect(run(service, caller, ref)).rejects.toMatchObject(forbidden(vaultId))
    }
    const entries = activity.collected.filter(({ actor }) => actor.id === 'settings')
    const succeeded = entries.filter(({ result }) => result === 'SUCCESS')
    expect(succeeded.map(({ operation }) => operation)).toEqual(['describeItem'])
  })

  it.each([{}, { dialect: connectDialect }])('returns the same over HTTP', async (options) => {
    const vault: TestVault = await createTestVault(options)
    const { service, caller } = vault
    const value = 'otpauth://totp/a?secret=JBSWY3DPEHPK3PXP'
    await service.patchItem(caller, {
      ...itemRef(vault),
      patch: [{ op: 'add', path: '/fields/code', value: { id: 'code', type: 'TOTP', value } }],
    })
    const handler = createHttpHandler(service, { authenticate: () => caller, extensions: true })
    const url = `${itemUrl(vault)}/description`
    const answer = await handler(createRequest(vault, 'GET', url))
    expect(answer).toMatchObject({ status: 200, headers: { etag: '"4"' } })
    const response = parseResponse(answer)
    expect(response.body).toEqual(await service.describeItem(caller, itemRef(vault)))
    expect(JSON.stringify(response.body)).not.toMatch(/JBSW|totp"|correct horse|1234/)
  })
})
