import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { transformSync } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CallerOperations, Item, ItemRef, PatchOperation } from '../../src/index.js'
import { createTestVault, type TestWorld } from '../../src/testing.js'
import { type Block, findBlocks, readPage } from '../support/source/pages.js'

const page = 'docs/patching.md'
const blocks = findBlocks(page)

/** The item with which every recipe begins: the first block of JSON. */
const draft = JSON.parse(blocks.find(({ kind }) => kind === 'json')?.text ?? '')

/** A section of the page with four blocks. */
interface Recipe {
  readonly title: string
  readonly patch: readonly PatchOperation[]
  /** Runs the request of the page, and returns the item of its response. */
  request(world: TestWorld): Promise<Item>
  /** Calls the function of the page. */
  call(world: TestWorld): Promise<Item>
  /** The members of the item that are different afterwards. */
  readonly changes: Readonly<Record<string, unknown>>
}

const recipes = readRecipes()

describe(page, () => {
  it('has a recipe for each common change', () => {
    expect(recipes.map(({ title }) => title)).toEqual([
      'Rename an item',
      'Add a tag',
      'Remove a tag',
      'Change the value of a field',
      'Generate a value again',
      'Add a field',
      'Remove a field',
      'Move a field to a section',
      'Move a field to a new section',
      'Add a URL',
      'Remove a URL',
      'Change only what you have read',
      'Change several things at once',
    ])
  })

  it.each(recipes)('$title: the patch changes what the page shows', async (recipe) => {
    const world = await createWorld()
    const before = itemOf(world)
    const patch = [...recipe.patch]
    const after = await world.service.patchItem(world.caller, { ...refOf(world), patch })
    expect(changesBetween(before, after)).toEqual(recipe.changes)
    expect(after.version).toBe(2)
  })

  it.each(recipes)(
    '$title: the request and the call have the result of the patch',
    async (recipe) => {
      const world = await createWorld()
      const [forRequest, forCall] = [await world.fork(), await world.fork()]
      const patch = [...recipe.patch]
      const patched = await world.service.patchItem(world.caller, { ...refOf(world), patch })
      expect(await recipe.request(forRequest)).toEqual({ ...patched, lastEditedBy: 'full' })
      expect(await recipe.call(forCall)).toEqual(patched)
    },
  )

  it.each(recipes.filter(({ title }) => /^Remove a (?:tag|URL)|^Change only/.test(title)))(
    '$title: the request and the call are rejected for another version',
    async ({ request, call }) => {
      const world = await createWorld()
      const patch = [{ op: 'add', path: '/favorite', value: true }] as const
      await world.service.patchItem(world.caller, { ...refOf(world), patch })
      expect(await request(world)).toMatchObject({ status: 412 })
      await expect(call(world)).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
    },
  )

  it('shows the message of each rejected patch', async () => {
    const rows = [...readPage(page).matchAll(/^\| `(\[.*?\])` \| `(.*?)` \|/gm)]
    expect(rows.length).toBeGreaterThan(10)
    const world = await createWorld()
    for (const [, text = '', message = ''] of rows) {
      const headers = {
        authorization: `Bearer ${world.tokens.full}`,
        'content-type': 'application/json',
      }
      const path = `/v1/vaults/${world.vaultId}/items/${itemOf(world).id}`
      const response = await world.fetch(path, { method: 'PATCH', headers, body: text })
      expect(await response.json()).toEqual({ status: 400, message })
      const call = world.service.patchItem(world.caller, {
        ...refOf(world),
        patch: JSON.parse(text),
      })
      await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT', message })
    }
    expect(await world.findItem('Router')).toEqual(itemOf(world))
  })

  it('generates nothing without removing the value where the service is not strict', async () => {
    const world = await createWorld({ strict: false })
    const patch = recipes.find(({ title }) => title === 'Generate a value again')?.patch.slice(1)
    const after = await world.service.patchItem(world.caller, {
      ...refOf(world),
      patch: patch ?? [],
    })
    expect(after.fields).toEqual(itemOf(world).fields)
  })

  it('replaces a field with add, and changes nothing with an empty patch', async () => {
    const world = await createWorld()
    const { service, caller } = world
    const value = { id: 'pin', value: '5678' }
    const patch = [{ op: 'add', path: '/fields/pin', value }] as const
    const { fields } = await service.patchItem(caller, { ...refOf(world), patch })
    expect(fields[1]).toEqual({ id: 'pin', type: 'STRING', value: '5678' })
    const after = await service.patchItem(caller, { ...refOf(world), patch: [] })
    expect(after.version).toBe(2)
  })
})

function createWorld(options: { readonly strict?: boolean } = {}): Promise<TestWorld> {
  return createTestVault({ ...options, seed: { vaults: [{ name: 'Home', items: [draft] }] } })
}

function itemOf({ vaults }: TestWorld): Item {
  const item = vaults[0]?.items[0]
  if (item === undefined) throw new Error('the seed has no item')
  return item
}

function refOf(world: TestWorld): ItemRef {
  return { vaultId: world.vaultId, itemId: itemOf(world).id }
}

/** Returns the changed members, with generated values as the page shows them. */
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

function readRecipes(): readonly Recipe[] {
  const [, ...sections] = readPage(page).split('\n## ')
  return sections.flatMap((section) => {
    const [title = ''] = section.split('\n')
    const [patch, request, call, changes] = blocks.filter(({ text }) => section.includes(text))
    if (!patch || !request || !call || !changes) return []
    return {
      title,
      patch: JSON.parse(patch.text),
      request: (world: TestWorld) => sendRequest(request, world),
      call: (world: TestWorld) => callFunction(call, world),
      changes: JSON.parse(changes.text),
    }
  })
}

async function sendRequest({ text }: Block, world: TestWorld): Promise<Item> {
  const { origin, close } = await world.listen()
  onTestFinished(close)
  const ITEM = `${origin}/v1/vaults/${world.vaultId}/items/${itemOf(world).id}`
  const env = { ...process.env, ITEM, TOKEN: world.tokens.full }
  const command = text.replace('curl ', 'curl --silent --show-error ')
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env })
  return JSON.parse(stdout)
}

/** Imports a block as a module, and calls the function that it exports. */
async function callFunction({ text }: Block, world: TestWorld): Promise<Item> {
  const { code } = transformSync(text, { loader: 'ts' })
  const module: Readonly<Record<string, (vault: CallerOperations, ref: ItemRef) => Promise<Item>>> =
    await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)
  const [run] = Object.values(module)
  if (run === undefined) throw new Error('the block exports no function')
  return run(world.service.as(world.caller), refOf(world))
}
