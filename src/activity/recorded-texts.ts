/** Prepares the strings of callers and clients for entries: one line each, of limited length. */

import { escapeInvisible } from '../base/entry-filter.js'
import { safeGet } from '../base/safe-get.js'
import type { Caller, ClientInfo } from '../core/access/caller.js'
import type { ActivityEntry, RecordedCredential, RecordedUse } from '../schema/activity-entry.js'
import { matches } from '../schema/parse.js'
import { secretUseSchema } from '../schema/secret-use.js'

/** The recorded properties of a caller. An unknown caller has no `id`. */
export type Actor = Partial<Pick<Caller, 'id' | 'tokenId'>> & {
  readonly client?: ClientInfo | undefined
}

/** Returns the actor of an entry. */
export function toActor({ id, tokenId, client = {} }: Actor): ActivityEntry['actor'] {
  const { userAgent, requestIp } = client
  return {
    id: id === undefined ? '' : escapeInvisible(String(id)),
    ...(tokenId !== undefined && { jti: escapeInvisible(String(tokenId)) }),
    ...(userAgent !== undefined && { userAgent: toSingleLine(userAgent, 256) }),
    ...(requestIp !== undefined && { requestIp: toSingleLine(requestIp, 64) }),
  }
}

/** Returns the client's id of a call, if it has a valid one. */
export function clientRequestIdOf({ client }: Actor): Pick<ActivityEntry, 'clientRequestId'> {
  const clientRequestId = client?.requestId
  const isValid = clientRequestId !== undefined && /^[\w.-]{1,128}$/.test(clientRequestId)
  return isValid ? { clientRequestId } : {}
}

/** Returns the name and the account of a credential. */
export function toRecordedCredential({ name, account }: RecordedCredential): RecordedCredential {
  return {
    name: toSingleLine(name, 200),
    ...(account !== undefined && { account: toSingleLine(account, 200) }),
  }
}

/** Returns the `use` and the field name of an input, without other members, if they are valid. */
export function useOf(input: unknown): RecordedUse | undefined {
  const use = safeGet(input, 'use')
  if (!matches(secretUseSchema, use)) return undefined
  const { origin, method, place } = use
  const field = safeGet(input, 'field')
  return {
    ...{ origin, method },
    ...(place !== undefined && { place: toSingleLine(place, 200) }),
    ...(typeof field === 'string' && { field: toSingleLine(field, 200) }),
  }
}

/**
 * Truncates a string and replaces invisible characters with spaces. If the log is a text file, a
 * line break could otherwise forge an entry.
 */
function toSingleLine(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
}
