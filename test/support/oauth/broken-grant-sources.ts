/** A source of grants in memory, and broken variants of it. */

import { type FoundGrant, type GrantSource, newGrant, type StoredGrant } from 'cofferkit/oauth'
import type { GrantSubject } from 'cofferkit/testing'
import type { BrokenVariant } from '../broken-variant.js'

interface Row {
  readonly grant: StoredGrant
  readonly version: number
}

/** Grants in memory, by name: `mail` and `files`. Each write has a version of its own. */
export function createMemoryGrants(): GrantSource<string, unknown> & {
  readonly rows: Map<string, Row>
} {
  const grant = newGrant({ accessToken: 'a0', refreshToken: 'r0', expiresInSeconds: 0 })
  const rows = new Map<string, Row>(['mail', 'files'].map((name) => [name, { grant, version: 1 }]))
  return {
    rows,
    key: (ref) => ref,
    read: async (ref) => rows.get(ref),
    async replace(ref, next, version) {
      const row = rows.get(ref)
      if (row?.version !== version) return false
      rows.set(ref, { grant: next, version: row.version + 1 })
      return true
    },
  }
}

/** Returns the subject of the contract for a source with grants of these names. */
export function toSubject(grants: GrantSource<string, unknown>): GrantSubject {
  return { grants, refs: ['mail', 'files'], missing: 'nothing' } as GrantSubject<string> as never
}

type Inner = ReturnType<typeof createMemoryGrants>

/** At least one for every case of `grantSourceContract`. */
export const brokenGrantSources: readonly BrokenVariant<() => GrantSubject>[] = [
  variant(
    'returns undefined, or rejects with NotFoundError, for a grant that does not exist',
    /^the missing grant/,
    ({ rows }) => ({ read: async (ref) => rows.get(ref) ?? rows.get('mail') }),
  ),
  variant(
    'returns the grant that was written, with another version',
    /the version is the same/,
    ({ rows }) => ({
      async replace(ref, grant, version) {
        rows.set(ref, { grant, version: Number(version) })
        return true
      },
    }),
  ),
  variant(
    'keeps every text of a token, up to 8,000 characters, and an empty refresh token',
    /^the grant/,
    (inner) => ({
      replace: (ref, grant, version) =>
        inner.replace(ref, { ...grant, accessToken: grant.accessToken.trim() }, version),
    }),
  ),
  variant('keeps a grant whose expiry is unknown', /^the grant/, (inner) => ({
    replace(ref, grant, version) {
      const { expiresAt = inner.rows.get(ref)?.grant.expiresAt } = grant
      return inner.replace(ref, { ...grant, expiresAt }, version)
    },
  })),
  variant('keeps each status with its reason', /^the grant/, (inner) => ({
    replace: (ref, grant, version) =>
      inner.replace(ref, { ...grant, reason: grant.reason && 'refused' }, version),
  })),
  variant('returns the same version of a grant until it is written', /^the version/, (inner) => ({
    async read(ref) {
      const row = inner.rows.get(ref)
      if (row === undefined) return undefined
      const touched = { ...row, version: row.version + 1 }
      inner.rows.set(ref, touched)
      return touched
    },
  })),
  variant(
    'returns false from replace at another version, and leaves the grant as it is',
    /^replace at an old version/,
    ({ rows }) => ({
      async replace(ref, grant) {
        const row = rows.get(ref)
        if (row === undefined) return false
        rows.set(ref, { grant, version: row.version + 1 })
        return true
      },
    }),
  ),
  variant(
    'returns false from replace, or rejects with NotFoundError, for a grant that does not exist',
    /^replace of the missing grant/,
    (inner) => ({
      async replace(ref, grant, version) {
        if (inner.rows.has(ref)) return inner.replace(ref, grant, version)
        inner.rows.set(ref, { grant, version: 1 })
        return true
      },
    }),
  ),
  variant(
    'never uses a version again, even if the tokens are the same as before',
    /^replace after a new status/,
    // `WHERE access_token = $old`, with tokens that are not sealed.
    ({ rows }) => ({
      async read(ref) {
        const row = rows.get(ref)
        return row && { ...row, version: row.grant.accessToken }
      },
      async replace(ref, grant, version) {
        if (rows.get(ref)?.grant.accessToken !== version) return false
        rows.set(ref, { grant, version: 0 })
        return true
      },
    }),
  ),
  variant(
    'lets exactly one of many replacements of the same version win',
    /^winners: expected 1, got 8/,
    ({ rows }) => ({
      async replace(ref, grant, version) {
        const row = rows.get(ref)
        await Promise.resolve()
        if (row?.version !== version) return false
        rows.set(ref, { grant, version: row.version + 1 })
        return true
      },
    }),
  ),
  variant('replaces one grant and no other', /^the grant/, ({ rows }) => ({
    // There is no `WHERE id = $id`.
    async replace(ref, grant, version) {
      const row = rows.get(ref)
      if (row?.version !== version) return false
      for (const name of rows.keys()) rows.set(name, { grant, version: row.version + 1 })
      return true
    },
  })),
  variant(
    'returns a key of 1 to 128 printable ASCII characters, another one for another grant',
    /^two grants have the same key/,
    () => ({ key: () => 'grant' }),
  ),
  variant(
    'reads and writes the same grant in aroundRefresh, if it has that',
    /^the grant/,
    (inner) => ({
      async aroundRefresh(_ref, found: FoundGrant, next) {
        await next({ read: async () => found, replace: async () => true })
        await inner.read('mail')
      },
    }),
  ),
]

function variant(
  caseName: string,
  message: RegExp,
  change: (inner: Inner) => Partial<GrantSource<string, unknown>>,
): BrokenVariant<() => GrantSubject> {
  const subject = (): GrantSubject => {
    const inner = createMemoryGrants()
    return toSubject({ ...inner, ...change(inner) })
  }
  return { caseName, message, subject }
}
