/** Grants of OAuth providers, as they are stored in items. */

import { findProblem, kindOf, limit, notEmpty, text } from '../base/argument.js'
import { assertNames, type OptionKinds, optional } from '../base/options.js'
import { InvalidInputError, type ReconnectReason } from '../errors.js'
import type { FieldDraft } from '../schema/field.js'
import {
  accessTokenField,
  findGrantStatus,
  type GrantStatus,
  refreshTokenField,
} from '../schema/grant-item.js'
import type { Item, ItemDraft } from '../schema/item.js'
import type { PatchOperation } from '../schema/patch.js'

/** The tokens that a provider has issued. */
export interface TokenSet {
  /** Not empty. */
  readonly accessToken: string
  /** Of a refresh, absent if the one that was used stays valid. */
  readonly refreshToken?: string | undefined
  /** The lifetime of the access token. If absent, it is used until an API rejects it. */
  readonly expiresInSeconds?: number | undefined
}

/** The name of a grant: one for each owner of an account, or of each account. */
export interface GrantName {
  /** Not empty, such as the name of the provider. */
  readonly name: string
  /** The account at the provider, if one name has several. */
  readonly account?: string | undefined
}

/** A grant that is saved. */
export interface NewGrant extends GrantName, TokenSet {
  /**
   * The origins that the access token is for, such as `https://api.example.com`. They become the
   * URLs of the item. If absent, an existing item keeps its URLs.
   */
  readonly origins?: readonly string[] | undefined
}

/** A grant in an item. */
export interface Grant extends GrantName {
  readonly item: Item
  readonly accessToken: string
  /** Empty without a refresh token. */
  readonly refreshToken: string
  readonly status: GrantStatus
  readonly reason: ReconnectReason
  /** Milliseconds since 1970; NaN if unknown. */
  readonly issuedAt: number
  /** Milliseconds since 1970; NaN if unknown. */
  readonly expiresAt: number
}

const grantKinds = {
  name: notEmpty(),
  account: optional(text()),
  origins: optional(kindOf('a list', Array.isArray)),
  accessToken: notEmpty(),
  refreshToken: optional(notEmpty()),
  expiresInSeconds: optional(limit({ min: 0 })),
} satisfies OptionKinds<NewGrant>

type GrantField =
  | typeof accessTokenField
  | typeof refreshTokenField
  | 'name'
  | 'account'
  | 'issued_at'
  | 'expires_at'
  | 'status'
  | 'reason'

/** Values of fields by id. */
export type GrantValues = Readonly<Partial<Record<GrantField, string>>>

const grantFields: Readonly<Record<string, Pick<FieldDraft, 'label' | 'type'>>> = {
  [accessTokenField]: { label: 'access token', type: 'CONCEALED' },
  [refreshTokenField]: { label: 'refresh token', type: 'CONCEALED' },
  name: { label: 'name', type: 'STRING' },
  account: { label: 'account', type: 'STRING' },
  issued_at: { label: 'issued at', type: 'STRING' },
  expires_at: { label: 'expires at', type: 'STRING' },
  status: { label: 'status', type: 'STRING' },
  reason: { label: 'reason', type: 'STRING' },
}

/** @throws InvalidInputError if the item has no grant. */
export function parseGrant(item: Item): Grant {
  const values = new Map(item.fields.map(({ id, value }) => [id, value ?? '']))
  const valueOf = (id: GrantField): string => values.get(id) ?? ''
  const [status, reason] = [findGrantStatus(item), valueOf('reason')]
  if (status === undefined)
    throw InvalidInputError.at('itemId', 'must be the id of an item that a token keeper has saved')
  return {
    item,
    name: valueOf('name'),
    account: valueOf('account') || undefined,
    accessToken: valueOf(accessTokenField),
    refreshToken: valueOf(refreshTokenField),
    status,
    reason: reason === 'interrupted' || reason === 'expired' ? reason : 'refused',
    issuedAt: Date.parse(valueOf('issued_at')),
    expiresAt: Date.parse(valueOf('expires_at')),
  }
}

/**
 * @throws TypeError if `grant` is not an object or has an unknown member; InvalidInputError if it has
 * no name or no access token, or a member has the wrong type.
 */
export function checkGrant(grant: NewGrant): void {
  assertNames(grant, grantKinds, 'grant')
  const issues = Object.entries(grantKinds).flatMap(([path, kind]) => {
    const problem = findProblem(kind, Reflect.get(grant, path))
    return problem === undefined ? [] : [{ path, message: problem.trim() }]
  })
  if (issues.length > 0) throw new InvalidInputError(issues)
}

/** Returns true for tokens as a provider issues them. */
export function isTokenSet(tokens: unknown): tokens is TokenSet {
  const { accessToken, refreshToken } = Object(tokens)
  return isText(accessToken) && (refreshToken === undefined || isText(refreshToken))
}

/** Returns true if the access token can be used at a time, milliseconds since 1970. */
export function isUsable(
  { status, accessToken, issuedAt, expiresAt }: Grant,
  now: number,
  marginMs: number,
): boolean {
  if (status !== 'ok' || accessToken === '') return false
  return Number.isNaN(expiresAt) || now < expiresAt - Math.min(marginMs, (expiresAt - issuedAt) / 2)
}

/**
 * Returns the values of tokens that were issued at a time, or shortly after it.
 * @param refreshToken - The refresh token if the set has none.
 */
export function toTokenValues(
  { accessToken, refreshToken, expiresInSeconds }: TokenSet,
  issuedAt: Date,
  formerRefreshToken: string,
): GrantValues {
  const expiresAt = new Date(issuedAt.getTime() + 1000 * (expiresInSeconds ?? Number.NaN))
  return {
    [accessTokenField]: accessToken,
    [refreshTokenField]: refreshToken ?? formerRefreshToken,
    issued_at: issuedAt.toISOString(),
    expires_at: Number.isNaN(expiresAt.getTime()) ? '' : expiresAt.toISOString(),
    status: 'ok',
    reason: '',
  }
}

/** Returns true if a grant has these tokens, issued at the same time. Its status can differ. */
export function hasTokens(
  { accessToken, refreshToken, issuedAt }: Grant,
  values: GrantValues,
): boolean {
  const isSame = accessToken === values[accessTokenField] && refreshToken === values.refresh_token
  return isSame && issuedAt === Date.parse(String(values.issued_at))
}

/**
 * Returns the item of a saved grant: a new one, or `before` with these values and everything else
 * that it has.
 */
export function toDraft(
  vaultId: string,
  { name, account = '', origins }: NewGrant,
  values: GrantValues,
  before: Item | undefined,
): ItemDraft {
  const urls = origins?.map((href) => ({ href }))
  if (before === undefined)
    return {
      vault: { id: vaultId },
      category: 'API_CREDENTIAL',
      title: account === '' ? name : `${name} (${account})`,
      urls,
      fields: Object.entries({ ...values, name, account }).map(toField),
    }
  const missing = new Map(Object.entries(values))
  const fields = before.fields.map((field): FieldDraft => {
    const value = missing.get(field.id)
    missing.delete(field.id)
    return value === undefined ? field : { ...field, value }
  })
  return { ...before, urls: urls ?? before.urls, fields: [...fields, ...[...missing].map(toField)] }
}

/** Returns a patch that sets these values, and adds the fields that the item does not have. */
export function toPatch(item: Item, values: GrantValues): readonly PatchOperation[] {
  return Object.entries(values).map(([id, value]) =>
    item.fields.some((field) => field.id === id)
      ? { op: 'add', path: `/fields/${id}/value`, value }
      : { op: 'add', path: '/fields/-', value: toField([id, value]) },
  )
}

function toField([id, value]: readonly [string, string]): FieldDraft {
  return { id, value, ...grantFields[id] }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
