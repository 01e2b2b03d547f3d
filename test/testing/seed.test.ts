import { createCaller, createVaultService, isVaultError } from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import { createMemoryStore } from 'cofferkit/memory'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reservedIdMessage } from '../../src/base/reserved-id.js'
import { parseSeed, plantSeed, type Seed } from '../../src/testing/seed.js'

const caller = createCaller({ id: 'tester', vaults: '*' })
const vaultId = 'a'.repeat(26)

const seed = {
  vaults: [
    {
      name: 'Team',
      id: vaultId,
      description: 'Shared',
      items: [
        {
          category: 'LOGIN',
          title: 'Database',
          sections: [{ id: 'more' }],
          fields: [{ id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', value: 's3cret' }],
          files: [
            { name: 'a.txt', content: 'grün' },
            { name: 'b.bin', contentBase64: 'AP8=', sectionId: 'more' },
            { name: 'empty' },
          ],
        },
        { category: 'SECURE_NOTE', title: 'Note' },
      ],
    },
    { name: 'Empty' },
  ],
} satisfies Seed

describe('parseSeed', () => {
  it('returns a seed unchanged', () => {
    expect(parseSeed(seed)).toBe(seed)
    expect(parseSeed({ vaults: [] })).toEqual({ vaults: [] })
  })

  it.each<[unknown, string, string]>([
    [null, '', 'must be an object'],
    [[], '', 'must be an object'],
    [{}, 'vaults', 'must be an array'],
    [{ vaults: {} }, 'vaults', 'must be an array'],
    [{ vaults: [], vault: [] }, 'vault', 'is unknown; known are vaults'],
    [{ vaults: [7] }, 'vaults/0', 'must be an object'],
    [{ vaults: [{}] }, 'vaults/0/name', 'must be a string'],
    [{ vaults: [{ name: '' }] }, 'vaults/0/name', 'must be at least 1 characters long'],
    [{ vaults: [{ name: 'a', id: 'b' }] }, 'vaults/0/id', 'must be 26 characters of 0-9 a-z'],
    [{ vaults: [{ name: 'a', id: '8'.repeat(26) }] }, 'vaults/0/id', reservedIdMessage],
    [
      {
        vaults: [
          { name: 'a', id: vaultId },
          { name: 'b', id: vaultId },
        ],
      },
      'vaults/1/id',
      'must not be the id of another vault',
    ],
    [{ vaults: [{ name: 'a', description: 1 }] }, 'vaults/0/description', 'must be a string'],
    [{ vaults: [{ name: 'a', items: 1 }] }, 'vaults/0/items', 'must be an array'],
    [{ vaults: [{ name: 'a', items: [[]] }] }, 'vaults/0/items/0', 'must be an object'],
    [
      { vaults: [{ name: 'a', items: [{ vault: { id: vaultId } }] }] },
      'vaults/0/items/0/vault',
      'must not be set, because the seed lists items by vault',
    ],
    [withItems({ id: 7 }), 'vaults/0/items/0/id', 'must be 26 characters of 0-9 a-z'],
    [withItems({ id: '8'.repeat(26) }), 'vaults/0/items/0/id', reservedIdMessage],
    [
      withItems({ id: vaultId }, { id: vaultId }),
      'vaults/0/items/1/id',
      'must not be the id of another item of the vault',
    ],
    ...['version', 'createdAt', 'updatedAt', 'lastEditedBy'].map(
      (name): [unknown, string, string] => [
        withItems({ [name]: 's3cret' }),
        `vaults/0/items/0/${name}`,
        'must not be set, because the vault sets it',
      ],
    ),
    [withFile({}), 'vaults/0/items/0/files/0/name', 'must be a string'],
    [withFile({ name: 'a', content: 1 }), 'vaults/0/items/0/files/0/content', 'must be a string'],
    [
      withFile({ name: 'a', sectionId: 1 }),
      'vaults/0/items/0/files/0/sectionId',
      'must be a string',
    ],
    [
      withFile({ name: 'a', contentBase64: 's3cret!' }),
      'vaults/0/items/0/files/0/contentBase64',
      'must be base64 with padding',
    ],
    [
      withFile({ name: 'a', content: 'b', contentBase64: '' }),
      'vaults/0/items/0/files/0/contentBase64',
      'must not be set beside content',
    ],
  ])('throws InvalidInputError when the seed is %j', (value, path, message) => {
    expect(issuesOf(() => parseSeed(value))).toEqual([{ path, message }])
  })

  it('accepts a content of 16 MiB in base64', () => {
    const value = withFile({ name: 'a', contentBase64: 'ABCD'.repeat(4_194_304) })
    expect(parseSeed(value)).toBe(value)
  })

  it('lists every issue of a seed', () => {
    const value = { vaults: [{ nam: 's3cret' }, { name: 1 }] }
    const paths = issuesOf(() => parseSeed(value)).map(({ path }) => path)
    expect(paths).toEqual(['vaults/0/nam', 'vaults/0/name', 'vaults/1/name'])
  })

  it('returns or throws InvalidInputError for any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const one of [value, { vaults: value }, { vaults: [value] }, withFile(value)])
          issuesOf(() => parseSeed(one))
      }),
    )
  })
})

describe('plantSeed', () => {
  it.each([undefined, connectDialect])(
    'creates vaults, items and files when the dialect is %o',
    async (dialect) => {
      const service = createVaultService({
        store: createMemoryStore(),
        ...(dialect && { dialect }),
      })
      const [team, empty] = await plantSeed(service, caller, seed)
      expect(team?.vault).toMatchObject({ id: vaultId, name: 'Team', description: 'Shared' })
      expect(team?.items.map(({ title }) => title)).toEqual(['Database', 'Note'])
      expect(empty).toMatchObject({ vault: { name: 'Empty' }, items: [] })
      const [item] = team?.items ?? []
      expect(item?.files.map(({ name, size }) => [name, size])).toEqual([
        ['a.txt', 5],
        ['b.bin', 2],
        ['empty', 0],
      ])
      expect(item?.files[1]?.section).toEqual({ id: 'more' })
      const ref = { vaultId, itemId: String(item?.id), fileId: String(item?.files[1]?.id) }
      const { content } = await service.readFileContent(caller, ref)
      expect(new Uint8Array(await new Response(content).arrayBuffer())).toEqual(
        Uint8Array.of(0, 255),
      )
    },
  )

  it('gives an item its id and its state, as the last of its versions', async () => {
    const service = createVaultService({ store: createMemoryStore() })
    const files = [{ name: 'a.txt', content: 'a' }]
    const [archived, deleted, active] = ['b', 'c', 'd'].map((letter) => letter.repeat(26))
    const items = [
      { category: 'LOGIN', id: archived, state: 'ARCHIVED', files },
      { category: 'LOGIN', id: deleted, state: 'DELETED' },
      { category: 'LOGIN', id: active },
    ] as const
    const vaults = [
      { name: 'a', id: vaultId, items },
      { name: 'b', items },
    ]
    const [planted, other] = await plantSeed(service, caller, parseSeed({ vaults }))
    expect(planted?.items).toMatchObject([
      { id: archived, state: 'ARCHIVED', version: 3, files: [{ name: 'a.txt' }] },
      { id: deleted, state: 'DELETED', version: 2 },
      { id: active, version: 1 },
    ])
    expect(planted?.items[2]).not.toHaveProperty('state')
    expect(other?.items.map(({ id }) => id)).toEqual([archived, deleted, active])
    const listed = await service.listItems(caller, { vaultId })
    expect(listed.map(({ id }) => id)).not.toContain(deleted)
    const restored = { vaultId, itemId: String(deleted), state: 'ACTIVE' } as const
    expect(await service.setItemState(caller, restored)).toMatchObject({ version: 3 })
  })

  it('rejects a state that no item has', async () => {
    const service = createVaultService({ store: createMemoryStore() })
    const invalid = parseSeed(withItems({ category: 'LOGIN', state: 'ACTIVE' }))
    await expect(plantSeed(service, caller, invalid)).rejects.toMatchObject({
      issues: [{ path: 'vaults/0/items/0/state', message: 'must be one of "ARCHIVED", "DELETED"' }],
    })
  })

  it('creates nothing when an item is invalid, and names its path', async () => {
    const service = createVaultService({ store: createMemoryStore() })
    const invalid = {
      vaults: [
        { name: 'a', items: [{ category: 'LOGIN' }] },
        { name: 'b', items: [{ category: 's3cret' }] },
      ],
    }
    const planting = plantSeed(service, caller, parseSeed(invalid))
    await expect(planting).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: 'vaults/1/items/0/category' }],
    })
    await expect(planting).rejects.not.toThrow(/s3cret/)
    expect(await service.listVaults(caller)).toEqual([])
  })

  it.each([undefined, connectDialect])(
    'rejects attributes that do not exist before it creates a vault when the dialect is %o',
    async (dialect) => {
      const store = createMemoryStore()
      const service = createVaultService({ store, ...(dialect && { dialect }) })
      const fields = [{ id: 'password', valu: 's3cret' }]
      const invalid = {
        vaults: [
          { name: 'a', items: [{ category: 'LOGIN' }, { category: 'LOGIN', titel: 'b', fields }] },
        ],
      }
      await expect(plantSeed(service, caller, parseSeed(invalid))).rejects.toMatchObject({
        issues: [
          { path: 'vaults/0/items/1/titel', message: 'unknown, did you mean title?' },
          {
            path: 'vaults/0/items/1/fields/0/valu',
            message: 'unknown, did you mean value?',
          },
        ],
      })
      expect(await service.listVaults(caller)).toEqual([])
    },
  )

  it('reads a seed in the dialect of the service', async () => {
    const value = 'otpauth://totp/a?secret=JBSWY3DPEHPK3PXP'
    const fields = [
      { label: 'one-time password', type: 'OTP', value },
      { label: 'phone', type: 'phone', value: '555' },
    ]
    const seed = parseSeed({ vaults: [{ name: 'a', items: [{ category: 'login', fields }] }] })
    const service = createVaultService({ store: createMemoryStore(), dialect: connectDialect })
    const [planted] = await plantSeed(service, caller, seed)
    expect(planted?.items[0]?.fields.map(({ type }) => type)).toEqual(['OTP', 'PHONE', 'STRING'])
    const contract = createVaultService({ store: createMemoryStore() })
    await expect(plantSeed(contract, caller, seed)).rejects.toMatchObject({ status: 400 })
  })

  it('rejects a misspelt type that the connect dialect would store', async () => {
    const service = createVaultService({ store: createMemoryStore(), dialect: connectDialect })
    const fields = [{ id: 'password', type: 's3cret' }]
    const invalid = parseSeed({ vaults: [{ name: 'a', items: [{ category: 'LOGIN', fields }] }] })
    await expect(plantSeed(service, caller, invalid)).rejects.toMatchObject({
      issues: [{ path: 'vaults/0/items/0/fields/0/type' }],
    })
    expect(await service.listVaults(caller)).toEqual([])
  })

  it('has the limits of the service', async () => {
    const items = [{ category: 'LOGIN', tags: Array.from({ length: 200 }, String) }] as const
    const long = { vaults: [{ name: 'a', items }] }
    const store = createMemoryStore()
    await expect(plantSeed(createVaultService({ store }), caller, long)).rejects.toMatchObject({
      issues: [{ path: 'vaults/0/items/0/tags' }],
    })
    const service = createVaultService({ store: createMemoryStore(), limits: { tags: 200 } })
    expect(await plantSeed(service, caller, long)).toHaveLength(1)
  })

  it('names the path of a file whose section does not exist', async () => {
    const service = createVaultService({ store: createMemoryStore() })
    const invalid = parseSeed(withFile({ name: 'a', sectionId: 'b' }))
    await expect(plantSeed(service, caller, invalid)).rejects.toMatchObject({
      issues: [{ path: 'vaults/0/items/0/files/0/sectionId' }],
    })
  })

  it('rejects with ConflictError when a vault exists', async () => {
    const service = createVaultService({ store: createMemoryStore() })
    await plantSeed(service, caller, seed)
    await expect(plantSeed(service, caller, seed)).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})

function withItems(...items: readonly unknown[]): unknown {
  return { vaults: [{ name: 'a', items }] }
}

function withFile(file: unknown): unknown {
  return { vaults: [{ name: 'a', items: [{ category: 'LOGIN', files: [file] }] }] }
}

function issuesOf(call: () => unknown): readonly { path: string; message: string }[] {
  try {
    call()
    return []
  } catch (error) {
    if (!isVaultError(error) || error.code !== 'INVALID_INPUT') throw error
    expect(error.message).not.toContain('s3cret')
    return error.issues
  }
}
