/** That a vault service refuses what it should, and that no value is in what it says, tells or records. */

import { ForbiddenError, InvalidInputError, NotFoundError, UnauthorizedError } from 'cofferkit'
import { holds, refused, same } from './check.mjs'
import { draftIn, secret } from './subject.mjs'

/** Checks of a subject that is made for each. */
export const refusalChecks = [
  {
    name: 'refuses who is nobody, who may not, and what is not there',
    async run({ service, owner, reader, otherVault, place, vaultId }) {
      const patch = []
      await refused(service.getItem(undefined, place), UnauthorizedError, 'UNAUTHORIZED')
      await refused(service.getItem(otherVault, place), ForbiddenError, 'FORBIDDEN')
      await refused(service.patchItem(reader, { ...place, patch }), ForbiddenError, 'FORBIDDEN')
      const nowhere = { vaultId, itemId: 'a'.repeat(26) }
      const { resource } = await refused(
        service.getItem(owner, nowhere),
        NotFoundError,
        'NOT_FOUND',
      )
      same(resource, 'item', 'what is not there')
      const malformed = service.getItem(owner, { vaultId: 'Home', itemId: 'Mail' })
      const error = await refused(malformed, InvalidInputError, 'INVALID_INPUT')
      same(error.message, 'Invalid Vault UUID', 'the sentence')
    },
  },
  {
    name: 'says where an input is wrong, and in no error a value',
    async run({ service, owner, place, vaultId }) {
      const draft = draftIn(vaultId)
      const wrong = {
        ...draft,
        fields: [{ id: 'a', type: secret, value: secret }],
        favorite: secret,
      }
      const attempts = [
        () => service.createItem(owner, { vaultId, item: wrong }),
        () => service.createItem(owner, { vaultId, item: { ...draft, category: secret } }),
        () =>
          service.patchItem(owner, {
            ...place,
            patch: [{ op: 'replace', path: '/fields/password/type', value: secret }],
          }),
        () => service.patchItem(owner, { ...place, patch: [{ op: secret, path: '/title' }] }),
        () => service.listItems(owner, { vaultId, filter: `title is "${secret}"` }),
      ]
      const paths = []
      for (const attempt of attempts) {
        const error = await refused(attempt(), InvalidInputError, 'INVALID_INPUT')
        paths.push(error.issues.map(({ path }) => path))
        const texts = [error.message, error.stack, String(error), JSON.stringify(error)]
        holds(
          !`${texts} ${JSON.stringify(error.issues)}`.includes(secret),
          'a value is in an error',
        )
        same(error.cause, undefined, 'the cause')
      }
      same(paths[0].toSorted(), ['favorite', 'fields/0/type'], 'the places')
    },
  },
  {
    name: 'tells of changes in their order, without a value',
    async run({ service, owner, place, vaultId }) {
      const events = []
      const types = ['item.created', 'item.updated', 'item.deleted', 'vault.updated']
      const ends = types.map((type) => service.on(type, (event) => events.push(event)))
      await service.patchItem(owner, {
        ...place,
        patch: [{ op: 'replace', path: '/title', value: secret }],
      })
      await service.updateVault(owner, { vaultId, name: 'House' })
      await service.deleteItem(owner, place)
      for (const end of ends) end()
      await service.createItem(owner, { vaultId, item: draftIn(vaultId) })
      same(
        events.map(({ type }) => type),
        ['item.updated', 'vault.updated', 'item.deleted'],
        'events',
      )
      holds(!JSON.stringify(events).includes(secret), 'a value is in an event')
    },
  },
  {
    name: 'records who was let and who was refused',
    async run({ service, owner, otherVault, place }) {
      await service.getItem(owner, place)
      await refused(service.getItem(otherVault, place), ForbiddenError, 'FORBIDDEN')
      const { entries, total } = await service.listActivity(owner, { limit: 2 })
      const seen = entries.map(({ actor, action, result }) => [actor.id, action, result])
      same(
        seen,
        [
          ['otherVault', 'READ', 'DENY'],
          ['owner', 'READ', 'SUCCESS'],
        ],
        'the newest entries',
      )
      holds(total >= 4, `the total is ${total}`)
      holds(/^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/.test(entries[0].requestId), 'a UUID')
    },
  },
]
