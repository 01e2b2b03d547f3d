/** That a vault service does what it promises to who calls it, on whatever store. */

import { InvalidInputError, NotFoundError, PreconditionFailedError } from 'cofferkit'
import { holds, refused, same } from './check.mjs'
import { draftIn, secret } from './subject.mjs'

const recipe = { length: 20, characterSets: ['LETTERS', 'DIGITS'] }

/** Checks of a subject that is made for each. */
export const serviceChecks = [
  {
    name: 'creates an item and answers it again as it was given',
    async run({ service, owner, place, vaultId }) {
      const item = await service.getItem(owner, place)
      const { title, tags, fields } = draftIn(vaultId)
      same([item.title, item.tags, item.version], [title, tags, 1], 'the item')
      same(
        item.fields.map(({ id, value }) => [id, value]),
        valuesOf(fields),
        'its fields',
      )
      holds(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(item.createdAt), 'a time in UTC')
    },
  },
  {
    name: 'keeps every letter of every script',
    async run({ service, owner, vaultId }) {
      const title = 'Schlüssel 🔑 鍵 e\u0301 \u202e'
      const { id: itemId } = await service.createItem(owner, {
        vaultId,
        item: draftIn(vaultId, { title }),
      })
      same((await service.getItem(owner, { vaultId, itemId })).title, title, 'the title')
      const found = await service.listItems(owner, { vaultId, filter: `title eq "${title}"` })
      same(
        found.map(({ id }) => id),
        [itemId],
        'the items of that title',
      )
    },
  },
  {
    name: 'replaces an item and counts its version',
    async run({ service, owner, place, vaultId }) {
      const item = draftIn(vaultId, { title: 'Post', tags: [] })
      const replaced = await service.replaceItem(owner, { ...place, item, ifVersion: 1 })
      same([replaced.title, replaced.tags, replaced.version], ['Post', [], 2], 'the item')
      same(replaced.lastEditedBy, 'owner', 'its last editor')
    },
  },
  {
    name: 'patches a field by its id and leaves the rest',
    async run({ service, owner, place }) {
      const patch = [
        { op: 'replace', path: '/fields/username/value', value: 'walter' },
        { op: 'add', path: '/tags/-', value: 'work' },
      ]
      const { fields, tags, version } = await service.patchItem(owner, { ...place, patch })
      same(
        fields.map(({ value }) => value),
        ['walter', secret],
        'the values',
      )
      same([tags, version], [['home', 'work'], 2], 'tags and version')
    },
  },
  {
    name: 'generates a value of its recipe, and says its entropy',
    async run({ service, owner, vaultId }) {
      const password = { id: 'p', type: 'CONCEALED', purpose: 'PASSWORD', generate: true, recipe }
      const item = draftIn(vaultId, { fields: [password] })
      const [{ value, entropy }] = (await service.createItem(owner, { vaultId, item })).fields
      holds(/^(?=.*\d)(?=.*[A-Za-z])[A-Za-z\d]{20}$/.test(value), 'a value of the recipe')
      holds(Math.abs(entropy - 119.03) < 0.1, `the entropy of it, not ${entropy}`)
    },
  },
  {
    name: 'loses no change of ten who write at once',
    async run({ service, owner, place }) {
      const patchOf = (index) => [{ op: 'add', path: '/tags/-', value: `tag ${index}` }]
      const writers = Array.from({ length: 10 }, (_, index) =>
        service.patchItem(owner, { ...place, patch: patchOf(index) }),
      )
      await Promise.all(writers)
      const { tags, version } = await service.getItem(owner, place)
      same([new Set(tags).size, version], [11, 11], 'tags and version')
    },
  },
  {
    name: 'refuses a change of a version that is gone',
    async run({ service, owner, place }) {
      const patch = [{ op: 'replace', path: '/title', value: 'Post' }]
      await service.patchItem(owner, { ...place, patch, ifVersion: 1 })
      const late = service.patchItem(owner, { ...place, patch, ifVersion: 1 })
      await refused(late, PreconditionFailedError, 'PRECONDITION_FAILED')
    },
  },
  {
    name: 'keeps versions and restores one',
    async run({ service, owner, place }) {
      const patch = [{ op: 'replace', path: '/title', value: 'Post' }]
      await service.patchItem(owner, { ...place, patch })
      const versions = await service.listVersions(owner, place)
      same(
        versions.map(({ version }) => version),
        [2, 1],
        'the versions',
      )
      const { title, version } = await service.restoreVersion(owner, { ...place, version: 1 })
      same([title, version], ['Mail', 3], 'the restored item')
    },
  },
  {
    name: 'lists the items that a filter fits, a page at a time',
    async run({ service, owner, vaultId }) {
      for (const title of ['Bank', 'Bank card', 'Router'])
        await service.createItem(owner, { vaultId, item: draftIn(vaultId, { title }) })
      const titlesOf = async (input) =>
        (await service.listItems(owner, { vaultId, ...input })).map(({ title }) => title).sort()
      same(await titlesOf({ filter: 'title eq "Bank"' }), ['Bank'], 'equal')
      same(await titlesOf({ filter: 'title co "Bank"' }), ['Bank', 'Bank card'], 'contains')
      const first = await service.listItems(owner, { vaultId, limit: 3 })
      const rest = await service.listItems(owner, { vaultId, limit: 3, after: first[2].id })
      same([first.length, rest.length], [3, 1], 'items on the pages')
      holds(!JSON.stringify(first).includes(secret), 'a summary holds no value')
    },
  },
  {
    name: 'changes no item that is archived, and shows none that is deleted',
    async run({ service, owner, place, vaultId }) {
      const patch = [{ op: 'replace', path: '/title', value: 'Post' }]
      await service.setItemState(owner, { ...place, state: 'ARCHIVED' })
      await refused(
        service.patchItem(owner, { ...place, patch }),
        InvalidInputError,
        'INVALID_INPUT',
      )
      await service.setItemState(owner, { ...place, state: 'DELETED' })
      await refused(service.getItem(owner, place), NotFoundError, 'NOT_FOUND')
      same(await service.listItems(owner, { vaultId }), [], 'the items')
    },
  },
  {
    name: 'removes an item and a vault for good',
    async run({ service, owner, place, vaultId }) {
      await service.deleteItem(owner, place)
      await refused(service.getItem(owner, place), NotFoundError, 'NOT_FOUND')
      await service.createItem(owner, { vaultId, item: draftIn(vaultId) })
      await service.deleteVault(owner, { vaultId })
      await refused(service.getVault(owner, { vaultId }), NotFoundError, 'NOT_FOUND')
    },
  },
]

function valuesOf(fields) {
  return fields.map(({ id, value }) => [id, value])
}
