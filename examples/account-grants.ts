/** The table `account` of better-auth as the grants of a token keeper. Its tokens are sealed. */

import type { DatabaseSync } from 'node:sqlite'
import {
  type FoundGrant,
  type GrantSource,
  newGrant,
  type StoredGrant,
  type TokenSet,
} from 'cofferkit/oauth'
import type { Sealer } from 'cofferkit/seal'

/** The columns that better-auth does not have. */
export const moreColumns = `
  ALTER TABLE account ADD COLUMN "grantIssuedAt" INTEGER;
  ALTER TABLE account ADD COLUMN "grantStatus" TEXT NOT NULL DEFAULT 'ok';
  ALTER TABLE account ADD COLUMN "grantReason" TEXT NOT NULL DEFAULT ''`

/** Identifies an account. Its id does not exist yet when better-auth is about to insert it. */
export interface AccountRef {
  readonly providerId: string
  readonly accountId: string
}

/** What `refresh` receives: the provider that it must ask. */
interface FoundAccount extends FoundGrant {
  readonly providerId: string
}

const tokenColumns = ['accessToken', 'refreshToken'] as const

/** Seals the tokens of an account that is about to be stored, for a hook of better-auth. */
export async function sealAccount<
  Account extends AccountRef & Partial<Record<string, unknown>>,
>(sealer: Sealer, scope: string, account: Account): Promise<Account> {
  const box = await sealer.box(scope)
  const sealed: Partial<Record<string, unknown>> = {}
  for (const column of tokenColumns) {
    const token = account[column]
    if (typeof token === 'string')
      sealed[column] = box.seal(toPlace(column, account), token)
  }
  return { ...account, ...sealed }
}

/** Returns the grants in the table. */
export function accountGrants(
  database: DatabaseSync,
  sealer: Sealer,
  scope: string,
): GrantSource<AccountRef, void, FoundAccount> {
  return {
    key: ({ providerId, accountId }) => `account/${providerId}/${accountId}`,

    async read(ref) {
      const row = database
        .prepare(
          'SELECT * FROM account WHERE "providerId" = ? AND "accountId" = ?',
        )
        .get(ref.providerId, ref.accountId)
      if (row === undefined || row['accessToken'] === null) return undefined
      const box = await sealer.box(scope)
      const open = (column: (typeof tokenColumns)[number]) =>
        row[column] === null
          ? ''
          : box.open(toPlace(column, ref), String(row[column]))
      const expiresAt = row['accessTokenExpiresAt']
      const grant: StoredGrant = {
        accessToken: open('accessToken'),
        refreshToken: open('refreshToken'),
        issuedAt:
          row['grantIssuedAt'] === null
            ? undefined
            : Number(row['grantIssuedAt']),
        expiresAt:
          expiresAt === null ? undefined : Date.parse(String(expiresAt)),
        status: row['grantStatus'] as StoredGrant['status'],
        reason: row['grantReason'] as StoredGrant['reason'],
      }
      // A token that is sealed again is another text, so the text is the version.
      return {
        grant,
        version: String(row['accessToken']),
        providerId: ref.providerId,
      }
    },

    async replace(ref, grant, version) {
      const sealed = await sealAccount(sealer, scope, { ...ref, ...grant })
      return update(database, sealed, '"accessToken" = ?', version)
    },
  }
}

/**
 * Stores the tokens of a new consent over those of an account, for a hook of better-auth. A refresh
 * that is in progress does not write over them.
 */
export async function replaceTokens(
  database: DatabaseSync,
  sealer: Sealer,
  scope: string,
  { providerId, accountId }: AccountRef,
  tokens: TokenSet,
): Promise<void> {
  const grant = { providerId, accountId, ...newGrant(tokens) }
  update(database, await sealAccount(sealer, scope, grant), 'TRUE')
}

/** Writes a grant with sealed tokens if its row meets a condition. Returns false if it does not. */
function update(
  database: DatabaseSync,
  grant: AccountRef & StoredGrant,
  condition: string,
  ...values: readonly (string | number)[]
): boolean {
  const {
    accessToken,
    refreshToken,
    issuedAt = null,
    expiresAt,
    status,
    reason,
  } = grant
  const { changes } = database
    .prepare(
      `UPDATE account SET "accessToken" = ?, "refreshToken" = ?, "accessTokenExpiresAt" = ?,
        "grantIssuedAt" = ?, "grantStatus" = ?, "grantReason" = ?
      WHERE "providerId" = ? AND "accountId" = ? AND ${condition}`,
    )
    .run(
      ...[accessToken, refreshToken],
      expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
      ...[
        issuedAt,
        status,
        reason,
        grant.providerId,
        grant.accountId,
        ...values,
      ],
    )
  return changes === 1
}

/** Seals tokens again that are under an older key, beside everything else. Returns how many. */
export async function resealAccounts(
  database: DatabaseSync,
  sealer: Sealer,
  scope: string,
): Promise<number> {
  let count = 0
  for (const column of tokenColumns)
    for (const row of database
      .prepare(`SELECT * FROM account WHERE "${column}" > ''`)
      .all()) {
      const ref = {
        providerId: String(row['providerId']),
        accountId: String(row['accountId']),
      }
      const old = String(row[column])
      const sealed = await sealer.reseal(scope, toPlace(column, ref), old)
      if (sealed === undefined) continue
      // Does nothing if the keeper has written the row meanwhile.
      const update = `UPDATE account SET "${column}" = ? WHERE "id" = ? AND "${column}" = ?`
      count += Number(
        database.prepare(update).run(sealed, String(row['id']), old).changes,
      )
    }
  return count
}

function toPlace(column: string, { providerId, accountId }: AccountRef) {
  return ['account', column, providerId, accountId] as const
}
