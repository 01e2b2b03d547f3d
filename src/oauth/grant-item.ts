/** The grants of OAuth providers in items. */

import { findProblem, kindOf, notEmpty, text } from '../base/argument.js'
import { invalidInputError } from '../base/fixed-errors.js'
import { assertNames, type OptionKinds, optional } from '../base/options.js'
import { InvalidInputError } from '../errors.js'
import type { FieldDraft } from '../schema/field.js'
import { accessTokenField, findGrantStatus, refreshTokenField } from '../schema/grant-item.js'
import type { Item, ItemDraft, ItemSummary } from '../schema/item.js'
import type { PatchOperation } from '../schema/patch.js'
import type { FoundGrant } from './grant-source.js'
import { type StoredGrant, type TokenSet, tokenKinds } from './stored-grant.js'

/** The name of a grant. Use one grant for each owner of an account, or one for each account. */
export interface GrantName {
  /** Any non-empty string, such as the name of the provider. */
  readonly name: string
  /** The account at the provider, if there are several grants of this name. */
  readonly account?: string | undefined
}

/** A grant that is saved in an item. */
export interface SaveGrantInput extends GrantName, TokenSet {
  /**
   * The origins to which the access token may be sent, such as `https://api.example.com`. They
   * become the URLs of the item. By default, an existing item keeps its URLs.
   */
  readonly origins?: readonly string[] | undefined
}

/** A grant that was read from an item. It is read-only if the item is archived. */
export interface FoundGrantItem extends FoundGrant, GrantName {
  /** The version of the item. */
  readonly version: number
  readonly item: ItemSummary
}

const inputKinds = {
  name: notEmpty(),
  account: optional(text()),
  origins: optional(kindOf('a list', Array.isArray)),
  ...tokenKinds,
} satisfies OptionKinds<SaveGrantInput>

type GrantField =
  | typeof accessTokenField
  | typeof refreshTokenField
  | 'name'
  | 'account'
  | 'scope'
  | 'issued_at'
  | 'expires_at'
  | 'status'
  | 'reason'

/** Field values by id. */
type GrantValues = Readonly<Partial<Record<GrantField, string>>>

const grantFields: Readonly<Record<string, Pick<FieldDraft, 'label' | 'type'>>> = {
  [accessTokenField]: { label: 'access token', type: 'CONCEALED' },
  [refreshTokenField]: { label: 'refresh token', type: 'CONCEALED' },
  name: { label: 'name', type: 'STRING' },
  account: { label: 'account', type: 'STRING' },
  scope: { label: 'scope', type: 'STRING' },
  issued_at: { label: 'issued at', type: 'STRING' },
  expires_at: { label: 'expires at', type: 'STRING' },
  status: { label: 'status', type: 'STRING' },
  reason: { label: 'reason', type: 'STRING' },
}

/** @throws InvalidInputError if the item has no grant. */
export function parseGrantItem(item: Item): FoundGrantItem {
  const values = new Map(item.fields.map(({ id, value }) => [id, value ?? '']))
  const valueOf = (id: GrantField): string => values.get(id) ?? ''
  const status = findGrantStatus(item)
  if (status === undefined)
    throw InvalidInputError.at('itemId', 'must be the id of an item that a token keeper has saved')
  const { sections: _, fields: _fields, files: _files, ...summary } = item
  return {
    item: summary,
    version: item.version,
    readOnly: item.state === 'ARCHIVED',
    name: valueOf('name'),
    account: valueOf('account') || undefined,
    grant: {
      accessToken: valueOf(accessTokenField),
      refreshToken: valueOf(refreshTokenField),
      scope: valueOf('scope') || undefined,
      issuedAt: parseTime(valueOf('issued_at')),
      expiresAt: parseTime(valueOf('expires_at')),
      status,
      reason: status === 'reconnect' ? parseReason(valueOf('reason')) : '',
    },
  }
}

function parseReason(reason: string): StoredGrant['reason'] {
  return reason === 'interrupted' || reason === 'expired' || reason === 'revoked'
    ? reason
    : 'refused'
}

function parseTime(text: string): number | undefined {
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

function formatTime(time: number | undefined): string {
  return time === undefined ? '' : new Date(time).toISOString()
}

/**
 * @throws TypeError if `input` is not an object or has an unknown member.
 * @throws InvalidInputError if it has no name or no access token, or a member has the wrong type.
 */
export function checkGrantInput(input: SaveGrantInput): void {
  assertNames(input, inputKinds, 'grant')
  const issues = Object.entries(inputKinds).flatMap(([path, kind]) => {
    const problem = findProblem(kind, Reflect.get(input, path), input)
    return problem === undefined ? [] : [{ path, message: problem.trim() }]
  })
  if (issues.length > 0) throw invalidInputError(issues)
}

function toValues(grant: StoredGrant): GrantValues {
  return {
    [accessTokenField]: grant.accessToken,
    [refreshTokenField]: grant.refreshToken,
    scope: grant.scope ?? '',
    issued_at: formatTime(grant.issuedAt),
    expires_at: formatTime(grant.expiresAt),
    status: grant.status,
    reason: grant.reason,
  }
}

/**
 * Returns the item of a saved grant: a new item, or `before` with the grant's values and everything
 * else unchanged.
 */
export function toDraft(
  vaultId: string,
  { name, account = '', origins }: SaveGrantInput,
  grant: StoredGrant,
  before: Item | undefined,
): ItemDraft {
  const urls = origins?.map((href) => ({ href }))
  const values = toValues(grant)
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

/** Returns a patch that sets what differs from a grant, and adds the fields that are missing. */
export function toPatch(item: Item, grant: StoredGrant): readonly PatchOperation[] {
  return Object.entries(toValues(grant)).flatMap(([id, value]): PatchOperation[] => {
    const field = item.fields.find((one) => one.id === id)
    if (field === undefined) return [{ op: 'add', path: '/fields/-', value: toField([id, value]) }]
    const isSame = (field.value ?? '') === value
    return isSame ? [] : [{ op: 'add', path: `/fields/${id}/value`, value }]
  })
}

function toField([id, value]: readonly [string, string]): FieldDraft {
  return { id, value, ...grantFields[id] }
}
