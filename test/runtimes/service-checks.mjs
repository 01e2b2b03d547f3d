/** Checks of the vault service on any store. */

import { InvalidInputError, NotFoundError, PreconditionFailedError } from 'cofferkit'
import { assert, assertEqual, assertRejects } from './check.mjs'
import { draftIn, secret } from './subject.mjs'

const recipe = { length: 20, characterSets: ['LETTERS', 'DIGITS'] }

/** Checks with a new subject each. */
export const serviceChecks = [
  {
    name: 'creates an item and returns it unchanged',
    async run({ service, owner, ref, vaultId }) {
      const item = await service.getItem(owner, ref)
      const { title, tags, fields } = draftIn(vaultId)
      assertEqual([item.title, item.tags, item.version], [title, tags, 1], 'the item')
      assertEqual(
        item.fields.map(({ id, value }) => [id, value]),
        valuesOf(fields),
        'its fields',
      )
      assert(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(item.createdAt), 'a time in UTC')
    },
  },
  {
    name: 'stores characters of every script',
    async run({ service, owner, vaultId }) {
      const title = 'Schlüssel 🔑 鍵 e\u0301 \u202e'
      const { id: itemId } = await service.createItem(owner, {
        vaultId,
        item: draftIn(vaultId, { title }),
      })
      assertEqual((await service.getItem(owner, { vaultId, itemId })).title, title, 'the title')
      const found = await service.listItems(owner, { vaultId, filter: `title eq "${title}"` })
      assertEqual(
        found.map(({ id }) => id),
        [itemId],
        'the items of that title',
      )
    },
  },
  {
    name: 'replaces an item and increments its version',
    async run({ service, owner, ref, vaultId }) {
      const item = draftIn(vaultId, { title: 'Post', tags: [] })
      const replaced = await service.replaceItem(owner, { ...ref, item, ifVersion: 1 })
      assertEqual([replaced.title, replaced.tags, replaced.version], ['Post', [], 2], 'the item')
      assertEqual(replaced.lastEditedBy, 'owner', 'its last editor')
    },
  },
  {
    name: 'patches a field by its id and nothing else',
    async run({ service, owner, ref }) {
      const patch = [
        { op: 'replace', path: '/fields/username/value', value: 'walter' },
        { op: 'add', path: '/tags/-', value: 'work' },
      ]
      const { fields, tags, version } = await service.patchItem(owner, { ...ref, patch })
      assertEqual(
        fields.map(({ value }) => value),
        ['walter', secret],
        'the values',
      )
      assertEqual([tags, version], [['home', 'work'], 2], 'tags and version')
    },
  },
  {
    name: 'generates a value from a recipe, with its entropy',
    async run({ service, owner, vaultId }) {
      const password = { id: 'p', type: 'CONCEALED', purpose: 'PASSWORD', generate: true, recipe }
      const item = draftIn(vaultId, { fields: [password] })
      const [{ value, entropy }] = (await service.createItem(owner, { vaultId, item })).fields
      assert(
        /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z\d]{20}$/.test(value),
        'the value does not match the recipe',
      )
      assert(Math.abs(entropy - 119.03) < 0.1, `the entropy is ${entropy}`)
    },
  },
  {
    name: 'loses no change of ten concurrent writers',
    async run({ service, owner, ref }) {
      const patchOf = (index) => [{ op: 'add', path: '/tags/-', value: `tag ${index}` }]
      const writers = Array.from({ length: 10 }, (_, index) =>
        service.patchItem(owner, { ...ref, patch: patchOf(index) }),
      )
      await Promise.all(writers)
      const { tags, version } = await service.getItem(owner, ref)
      assertEqual([new Set(tags).size, version], [11, 11], 'tags and version')
    },
  },
  {
    name: 'rejects a change of an old version',
    async run({ service, owner, ref }) {
      const patch = [{ op: 'replace', path: '/title', value: 'Post' }]
      await service.patchItem(owner, { ...ref, patch, ifVersion: 1 })
      const late = service.patchItem(owner, { ...ref, patch, ifVersion: 1 })
      await assertRejects(late, PreconditionFailedError, 'PRECONDITION_FAILED')
    },
  },
  {
    name: 'keeps versions and restores one',
    async run({ service, owner, ref }) {
      const patch = [{ op: 'replace', path: '/title', value: 'Post' }]
      await service.patchItem(owner, { ...ref, patch })
      const versions = await service.listVersions(owner, ref)
      assertEqual(
        versions.map(({ version }) => version),
        [2, 1],
        'the versions',
      )
      const { title, version } = await service.restoreVersion(owner, { ...ref, version: 1 })
      assertEqual([title, version], ['Mail', 3], 'the restored item')
    },
  },
  {
    name: 'lists the items that match a filter, in pages',
    async run({ service, owner, vaultId }) {
      for (const title of ['Bank', 'Bank card', 'Router'])
        await service.createItem(owner, { vaultId, item: draftIn(vaultId, { title }) })
      const titlesOf = async (input) =>
        (await service.listItems(owner, { vaultId, ...input })).map(({ title }) => title).sort()
      assertEqual(await titlesOf({ filter: 'title eq "Bank"' }), ['Bank'], 'equal')
      assertEqual(await titlesOf({ filter: 'title co "Bank"' }), ['Bank', 'Bank card'], 'contains')
      const first = await service.listItems(owner, { vaultId, limit: 3 })
      const rest = await service.listItems(owner, { vaultId, limit: 3, after: first[2].id })
      assertEqual([first.length, rest.length], [3, 1], 'items on the pages')
      assert(!JSON.stringify(first).includes(secret), 'a summary contains a value')
    },
  },
  {
    name: 'changes no archived item and returns no deleted one',
    async run({ service, owner, ref, vaultId }) {
      const patch = [{ op: 'replace', path: '/title', value: 'Post' }]
      await service.setItemState(owner, { ...ref, state: 'ARCHIVED' })
      await assertRejects(
        service.patchItem(owner, { ...ref, patch }),
        InvalidInputError,
        'INVALID_INPUT',
      )
      await service.setItemState(owner, { ...ref, state: 'DELETED' })
      await assertRejects(service.getItem(owner, ref), NotFoundError, 'NOT_FOUND')
      assertEqual(await service.listItems(owner, { vaultId }), [], 'the items')
    },
  },
  {
    name: 'deletes an item and a vault permanently',
    async run({ service, owner, ref, vaultId }) {
      await service.deleteItem(owner, ref)
      await assertRejects(service.getItem(owner, ref), NotFoundError, 'NOT_FOUND')
      await service.createItem(owner, { vaultId, item: draftIn(vaultId) })
      await service.deleteVault(owner, { vaultId })
      await assertRejects(service.getVault(owner, { vaultId }), NotFoundError, 'NOT_FOUND')
    },
  },
]

function valuesOf(fields) {
  return fields.map(({ id, value }) => [id, value])
}
