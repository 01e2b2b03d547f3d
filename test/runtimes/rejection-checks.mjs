/** Checks of rejected calls: errors, events and activity entries contain no value. */

import { ForbiddenError, InvalidInputError, NotFoundError, UnauthorizedError } from 'cofferkit'
import { assert, assertEqual, assertRejects } from './check.mjs'
import { draftIn, secret } from './subject.mjs'

/** Checks with a new subject each. */
export const rejectionChecks = [
  {
    name: 'rejects callers without identity or permission, and missing items',
    async run({ service, owner, reader, otherVault, ref, vaultId }) {
      const patch = []
      await assertRejects(service.getItem(undefined, ref), UnauthorizedError, 'UNAUTHORIZED')
      await assertRejects(service.getItem(otherVault, ref), ForbiddenError, 'FORBIDDEN')
      await assertRejects(service.patchItem(reader, { ...ref, patch }), ForbiddenError, 'FORBIDDEN')
      const nowhere = { vaultId, itemId: 'a'.repeat(26) }
      const { resource } = await assertRejects(
        service.getItem(owner, nowhere),
        NotFoundError,
        'NOT_FOUND',
      )
      assertEqual(resource, 'item', 'the missing resource')
      const malformed = service.getItem(owner, { vaultId: 'Home', itemId: 'Mail' })
      const error = await assertRejects(malformed, InvalidInputError, 'INVALID_INPUT')
      assertEqual(
        error.message,
        'vaultId must be an id: 26 characters of a-z and 0-9',
        'the message',
      )
    },
  },
  {
    name: 'reports the path of an invalid input, and no value',
    async run({ service, owner, ref, vaultId }) {
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
            ...ref,
            patch: [{ op: 'replace', path: '/fields/password/type', value: secret }],
          }),
        () => service.patchItem(owner, { ...ref, patch: [{ op: secret, path: '/title' }] }),
        () => service.listItems(owner, { vaultId, filter: `title is "${secret}"` }),
      ]
      const paths = []
      for (const attempt of attempts) {
        const error = await assertRejects(attempt(), InvalidInputError, 'INVALID_INPUT')
        paths.push(error.issues.map(({ path }) => path))
        const texts = [error.message, error.stack, String(error), JSON.stringify(error)]
        assert(
          !`${texts} ${JSON.stringify(error.issues)}`.includes(secret),
          'an error contains a value',
        )
        assertEqual(error.cause, undefined, 'the cause')
      }
      assertEqual(paths[0].toSorted(), ['favorite', 'fields/0/type'], 'the paths')
    },
  },
  {
    name: 'emits changes in order, without a value',
    async run({ service, owner, ref, vaultId }) {
      const events = []
      const types = ['item.created', 'item.updated', 'item.deleted', 'vault.updated']
      const ends = types.map((type) => service.on(type, (event) => events.push(event)))
      await service.patchItem(owner, {
        ...ref,
        patch: [{ op: 'replace', path: '/title', value: secret }],
      })
      await service.updateVault(owner, { vaultId, name: 'House' })
      await service.deleteItem(owner, ref)
      for (const end of ends) end()
      await service.createItem(owner, { vaultId, item: draftIn(vaultId) })
      assertEqual(
        events.map(({ type }) => type),
        ['item.updated', 'vault.updated', 'item.deleted'],
        'events',
      )
      assert(!JSON.stringify(events).includes(secret), 'an event contains a value')
    },
  },
  {
    name: 'records allowed and denied calls',
    async run({ service, owner, otherVault, ref }) {
      await service.getItem(owner, ref)
      await assertRejects(service.getItem(otherVault, ref), ForbiddenError, 'FORBIDDEN')
      const { entries, total } = await service.listActivity(owner, { limit: 2, count: true })
      const seen = entries.map(({ actor, action, result }) => [actor.id, action, result])
      assertEqual(
        seen,
        [
          ['otherVault', 'READ', 'DENY'],
          ['owner', 'READ', 'SUCCESS'],
        ],
        'the newest entries',
      )
      assert(total >= 4, `the total is ${total}`)
      assert(/^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/.test(entries[0].requestId), 'a UUID')
    },
  },
]
