import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { transformSync } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CallerOperations, Item, ItemRef, PatchOperation } from '../../src/index.js'
import { createTestVault, type TestWorld } from '../../src/testing.js'
import { findBlocks, readPage } from '../support/source/pages.js'

const page = 'docs/patching.md'
const blocks = findBlocks(page)

/** The item of the page, and the patch that generates a value. */
const draft = JSON.parse(blocks.find(({ text }) => text.startsWith('{'))?.text ?? '')
const generatingPatch = JSON.parse(blocks.find(({ text }) => /generate"/.test(text))?.text ?? '')

/** The part of the page between two headings. */
function partOf(start: string, end: string): string {
  return readPage(page).split(`\n## ${start}\n`)[1]?.split(`\n## ${end}\n`)[0] ?? ''
}

/** The common changes: the first words of the line above each patch, and the patch. */
const rows = [
  ...partOf('Common changes', 'Change only what you have read').matchAll(
    /^(\w[\w ]*).*:\n\n```json\n(\[[\s\S]*?)^```$/gm,
  ),
].map(([, title = '', text = '']) => ({
  title,
  patch: JSON.parse(text) as readonly PatchOperation[],
}))

const password = {
  id: 'password',
  type: 'CONCEALED',
  label: 'password',
  value: 'correct horse',
  purpose: 'PASSWORD',
}
const pin = { id: 'pin', type: 'CONCEALED', label: 'PIN', value: '1234' }
const ssid = { id: 'ssid', type: 'STRING', label: 'Network', value: 'cellar' }
const wifi = { id: 'wifi', label: 'Wi-Fi' }
const router = { href: 'https://router.example', label: 'admin' }

/** The members of the item that are different after each change. */
const changes: Readonly<Record<string, object>> = {
  'Rename the item': { title: 'Gateway' },
  'Set a title': { title: 'Gateway' },
  'Add a tag': { tags: ['home', 'spare', 'network'] },
  'Remove a tag': { tags: ['home'] },
  'Change the value of a field': { fields: [password, { ...pin, value: '5678' }] },
  'Add a field': { fields: [password, pin, ssid] },
  'Replace a whole field': { fields: [password, { ...pin, label: 'Code', value: '5678' }] },
  'Remove a field': { fields: [password] },
  'Move a field to a section': { fields: [password, { ...pin, section: { id: 'wifi' } }] },
  'Move a field to a new section': {
    sections: [wifi, { id: 'admin', label: 'Administration' }],
    fields: [password, { ...pin, section: { id: 'admin' } }],
  },
  'Add a URL': {
    urls: [
      { ...router, primary: true },
      { href: 'https://help.example', label: 'help' },
    ],
  },
  'Make another URL primary': { urls: [router, { href: 'https://new.example', primary: true }] },
  'Remove a URL': { urls: [] },
  'Change nothing': {},
}

describe(page, () => {
  it('has a patch for each common change', () => {
    expect(rows.map(({ title }) => title).sort()).toEqual(Object.keys(changes).sort())
  })

  it.each(rows)('$title: the patch and its request have the same result', async (row) => {
    const world = await createWorld()
    const overHttp = await world.fork()
    const before = itemOf(world)
    const patch = [...row.patch]
    const after = await world.service.patchItem(world.caller, { ...refOf(world), patch })
    expect(changesBetween(before, after)).toEqual(changes[row.title])
    expect(after.version).toBe(patch.length === 0 ? 1 : 2)
    const response = await sendPatch(overHttp, JSON.stringify(patch))
    const lastEditedBy = patch.length === 0 ? after.lastEditedBy : 'full'
    expect(await response.json()).toEqual({ ...after, lastEditedBy })
  })

  it('shows no value that was concealed, by any patch', async () => {
    for (const { title, patch } of rows) {
      const { service, caller, ...world } = await createWorld()
      const { fields } = await service.patchItem(caller, {
        ...{ vaultId: world.vaultId, itemId: itemOf(world).id, patch },
      })
      const changed = fields.filter(({ id }) => itemOf(world).fields.some((old) => old.id === id))
      expect(new Set(changed.map(({ type }) => type)), title).toEqual(new Set(['CONCEALED']))
    }
  })

  it('raises the version when a value is not generated, and returns an archived item for []', async () => {
    const { service, caller, ...world } = await createWorld({ strict: false })
    const ref = { vaultId: world.vaultId, itemId: itemOf(world).id }
    const patched = await service.patchItem(caller, { ...ref, patch: generatingPatch.slice(1) })
    expect(patched.version).toBe(2)
    await service.setItemState(caller, { ...ref, state: 'ARCHIVED' })
    expect(await service.patchItem(caller, { ...ref, patch: [] })).toMatchObject({
      title: 'Router',
    })
    const rejected = service.patchItem(caller, { ...ref, patch: generatingPatch })
    await expect(rejected).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('has a request that renames the version that was read, and no other', async () => {
    const world = await createWorld()
    expect(await runCurl(world)).toMatchObject({ title: 'Gateway', version: 2 })
    expect(await runCurl(world)).toMatchObject({ status: 412 })
  })

  it('generates a value with the call as with the patch', async () => {
    const expected = {
      fields: [{ ...password, value: '…', entropy: 121.43722804569283 }, pin],
    }
    const world = await createWorld()
    const before = itemOf(world)
    const called = await callRegenerate(await world.fork())
    const patch = generatingPatch
    const patched = await world.service.patchItem(world.caller, { ...refOf(world), patch })
    for (const after of [called, patched]) expect(changesBetween(before, after)).toEqual(expected)
  })

  it('generates nothing without removing the value where the service is not strict', async () => {
    const world = await createWorld({ strict: false })
    const patch = generatingPatch.slice(1)
    const { fields } = await world.service.patchItem(world.caller, { ...refOf(world), patch })
    expect(fields).toEqual(itemOf(world).fields)
  })

  it('shows the message of each rejected patch', async () => {
    const rejected = [...readPage(page).matchAll(/^```json\n(\[[^`]*)^```\n\nMessage: `(.*)`$/gm)]
    expect(rejected.length).toBeGreaterThan(10)
    const world = await createWorld()
    for (const [, text = '', message = ''] of rejected) {
      expect(await (await sendPatch(world, text)).json()).toEqual({ status: 400, message })
      const call = world.service.patchItem(world.caller, {
        ...refOf(world),
        patch: JSON.parse(text),
      })
      await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT', message })
    }
    expect(await world.findItem('Router')).toEqual(itemOf(world))
  })
})

function createWorld(options: { readonly strict?: boolean } = {}): Promise<TestWorld> {
  return createTestVault({ ...options, seed: { vaults: [{ name: 'Home', items: [draft] }] } })
}

function itemOf({ vaults }: Pick<TestWorld, 'vaults'>): Item {
  const item = vaults[0]?.items[0]
  if (item === undefined) throw new Error('the seed has no item')
  return item
}

function refOf(world: TestWorld): ItemRef {
  return { vaultId: world.vaultId, itemId: itemOf(world).id }
}

function sendPatch(world: TestWorld, body: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${world.tokens.full}`,
    'content-type': 'application/json',
  }
  const path = `/v1/vaults/${world.vaultId}/items/${itemOf(world).id}`
  return world.fetch(path, { method: 'PATCH', headers, body })
}

/** Returns the changed members, with generated values as `…`. */
function changesBetween(before: Item, after: Item): Readonly<Record<string, unknown>> {
  const { version: _, updatedAt: __, ...members } = after
  const old = new Map<string, unknown>(Object.entries(before))
  const changed = Object.entries(members).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old.get(name)),
  )
  return JSON.parse(
    JSON.stringify(Object.fromEntries(changed)).replace(/"value":"[\w!@.*-]{20}"/g, '"value":"…"'),
  )
}

/** Runs the request of the page, and returns the body of its response. */
async function runCurl(world: TestWorld): Promise<unknown> {
  const { origin, close } = await world.listen()
  onTestFinished(close)
  const ITEM = `${origin}/v1/vaults/${world.vaultId}/items/${itemOf(world).id}`
  const env = { ...process.env, ITEM, TOKEN: world.tokens.full }
  const text = blocks.find(({ kind }) => kind === 'sh')?.text ?? ''
  const command = text.replace('curl ', 'curl --silent --show-error ')
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env })
  return JSON.parse(stdout)
}

/** Imports the function of the page as a module, and calls it. */
async function callRegenerate(world: TestWorld): Promise<Item> {
  const text = blocks.find(({ kind }) => kind === 'ts')?.text ?? ''
  const { code } = transformSync(text, { loader: 'ts' })
  const module: {
    readonly regenerate: (vault: CallerOperations, ref: ItemRef) => Promise<Item>
  } = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)
  return module.regenerate(world.service.as(world.caller), refOf(world))
}
