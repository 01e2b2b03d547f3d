/** The contract of a source of grants. */

import { anyFunction } from '../../base/argument.js'
import { settleAll } from '../../base/batches.js'
import { assert, assertEqual, type ContractCase, checkSubjects } from '../../base/contract-case.js'
import { NotFoundError } from '../../index.js'
import type { FoundGrant, GrantRows, GrantSource, StoredGrant } from '../../oauth.js'

/** A source with two grants that `grantSourceContract` may overwrite. */
export interface GrantSubject<Ref = unknown> {
  readonly grants: GrantSource<Ref, unknown>
  /** Two grants that exist. */
  readonly refs: readonly [Ref, Ref]
  /** Identifies no grant. */
  readonly missing: Ref
}

const time = Date.UTC(2026, 0, 1, 12, 0, 0, 123)
const first: StoredGrant = {
  accessToken: 'a1',
  refreshToken: 'r1',
  issuedAt: time,
  expiresAt: time + 3_600_000,
  status: 'ok',
  reason: '',
}
const second: StoredGrant = { ...first, accessToken: 'a2', refreshToken: 'r2', issuedAt: time + 1 }

const cases: readonly ContractCase<GrantSubject>[] = [
  {
    name: 'returns undefined, or rejects with NotFoundError, for a grant that does not exist',
    async run({ grants, missing }) {
      const found = await ifFound(async () => grants.read(missing))
      assertEqual(found, undefined, 'the missing grant')
    },
  },
  {
    name: 'returns the grant that was written, with another version',
    async run({ grants, refs: [ref] }) {
      const { version } = await read(grants, ref)
      await expectWritten(grants, ref, first)
      const written = await read(grants, ref)
      assert(written.version !== version, 'the version is the same after a write')
      await expectWritten(grants, ref, second)
    },
  },
  {
    name: 'keeps every text of a token, up to 8,000 characters, and an empty refresh token',
    async run({ grants, refs: [ref] }) {
      for (const accessToken of ['x'.repeat(8000), ` 'a"\\%_\u{1f511}é `, '\ufeff{"a":1}'])
        await expectWritten(grants, ref, { ...first, accessToken, refreshToken: accessToken })
      await expectWritten(grants, ref, { ...first, refreshToken: '' })
    },
  },
  {
    name: 'keeps a grant whose expiry is unknown',
    async run({ grants, refs: [ref] }) {
      await expectWritten(grants, ref, first)
      await expectWritten(grants, ref, { ...second, expiresAt: undefined })
    },
  },
  {
    name: 'keeps each status with its reason',
    async run({ grants, refs: [ref] }) {
      for (const reason of ['refused', 'interrupted', 'expired'] as const)
        await expectWritten(grants, ref, { ...first, status: 'reconnect', reason })
      await expectWritten(grants, ref, { ...first, status: 'uncertain' })
      await expectWritten(grants, ref, first)
    },
  },
  {
    name: 'returns the same version of a grant until it is written',
    async run({ grants, refs: [ref] }) {
      const { version } = await write(grants, ref, first)
      for (let look = 0; look < 3; look++)
        assertEqual((await read(grants, ref)).version, version, 'the version')
    },
  },
  {
    name: 'returns false from replace at another version, and leaves the grant as it is',
    async run({ grants, refs: [ref] }) {
      const { version: old } = await write(grants, ref, first)
      const { version } = await write(grants, ref, second)
      assertEqual(await grants.replace(ref, first, old), false, 'replace at an old version')
      const stored = await read(grants, ref)
      assertGrant(stored.grant, second)
      assertEqual(stored.version, version, 'the version')
    },
  },
  {
    name: 'returns false from replace, or rejects with NotFoundError, for a grant that does not exist',
    async run({ grants, refs: [ref], missing }) {
      const { version } = await write(grants, ref, first)
      const isReplaced = await ifFound(async () => grants.replace(missing, second, version))
      assertEqual(isReplaced ?? false, false, 'replace of the missing grant')
      const found = await ifFound(async () => grants.read(missing))
      assertEqual(found, undefined, 'the missing grant afterwards')
    },
  },
  {
    name: 'never uses a version again, even if the tokens are the same as before',
    async run({ grants, refs: [ref] }) {
      const { version } = await write(grants, ref, first)
      await write(grants, ref, { ...first, status: 'reconnect', reason: 'refused' })
      assertEqual(await grants.replace(ref, second, version), false, 'replace after a new status')
      await write(grants, ref, second)
      await write(grants, ref, first)
      assertEqual(await grants.replace(ref, second, version), false, 'replace after two writes')
    },
  },
  {
    name: 'lets exactly one of many replacements of the same version win',
    async run({ grants, refs: [ref] }) {
      const { version } = await write(grants, ref, first)
      const tokens = Array.from({ length: 8 }, (_, index) => `winner ${index}`)
      const outcomes = await settleAll(
        tokens.map(async (accessToken) => grants.replace(ref, { ...first, accessToken }, version)),
      )
      assertEqual(outcomes.filter(Boolean).length, 1, 'winners')
      const { accessToken } = (await read(grants, ref)).grant
      assertEqual(accessToken, tokens[outcomes.indexOf(true)], 'the token of the winner')
    },
  },
  {
    name: 'replaces one grant and no other',
    async run({ grants, refs: [ref, other] }) {
      const before = await write(grants, other, first)
      await write(grants, ref, second)
      const after = await read(grants, other)
      assertGrant(after.grant, before.grant)
      assertEqual(after.version, before.version, 'the version of the other grant')
    },
  },
  {
    name: 'returns a key of 1 to 128 printable ASCII characters, another one for another grant',
    async run({ grants, refs: [ref, other] }) {
      const keys = [grants.key(ref), grants.key(ref), grants.key(other)]
      for (const key of keys) assert(/^[ -~]{1,128}$/.test(key), 'the key has another form')
      assertEqual(keys[1], keys[0], 'the key of the same grant')
      assert(keys[2] !== keys[0], 'two grants have the same key')
    },
  },
  {
    name: 'reads and writes the same grant in aroundRefresh, if it has that',
    async run({ grants, refs: [ref] }) {
      if (grants.aroundRefresh === undefined) return
      const found = await write(grants, ref, first)
      let calls = 0
      await grants.aroundRefresh(ref, found, async (rows = grants) => {
        calls++
        const { version } = await read(rows, ref)
        assertEqual(await rows.replace(ref, second, version), true, 'replace in aroundRefresh')
      })
      assertEqual(calls, 1, 'the calls of next')
      assertGrant((await read(grants, ref)).grant, second)
    },
  },
]

/**
 * What a token keeper expects from a source of grants. Each case needs its own subject.
 * @example
 * ```ts
 * import { createContractTests, type GrantSubject, grantSourceContract } from 'cofferkit/testing'
 *
 * export const testsOf = (createSubject: () => Promise<GrantSubject>) =>
 *   createContractTests(grantSourceContract, createSubject)
 * ```
 */
export const grantSourceContract: readonly ContractCase<GrantSubject>[] = checkSubjects(
  cases,
  { grants: { key: anyFunction, read: anyFunction, replace: anyFunction }, refs: {} },
  'subject',
)

/** @throws Error if there is no grant. */
async function read(rows: GrantRows<unknown>, ref: unknown): Promise<FoundGrant> {
  const found = await rows.read(ref)
  if (found === undefined) throw new Error('the grant was not found')
  return found
}

/** Writes a grant over the stored version. Returns what is read afterwards. */
async function write(
  grants: GrantRows<unknown>,
  ref: unknown,
  grant: StoredGrant,
): Promise<FoundGrant> {
  const { version } = await read(grants, ref)
  assertEqual(await grants.replace(ref, grant, version), true, 'replace at the stored version')
  return read(grants, ref)
}

async function expectWritten(
  grants: GrantRows<unknown>,
  ref: unknown,
  grant: StoredGrant,
): Promise<void> {
  assertGrant((await write(grants, ref, grant)).grant, grant)
}

/** A source that does not keep `issuedAt` may return undefined. */
function assertGrant(actual: StoredGrant, expected: StoredGrant): void {
  const { issuedAt = expected.issuedAt } = actual
  const members = ({ accessToken, refreshToken, expiresAt, status, reason }: StoredGrant) => [
    ...[accessToken, refreshToken, expiresAt ?? 'unknown', status, reason],
  ]
  assertEqual(members(actual), members(expected), 'the grant')
  assertEqual(issuedAt, expected.issuedAt, 'issuedAt')
}

/** Returns the result, or undefined if the call rejects with NotFoundError. */
async function ifFound<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}
