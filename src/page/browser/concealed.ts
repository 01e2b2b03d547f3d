/** Decides which values are masked, and masks them in the JSON of requests and responses. */

import type { Field } from '../../index.js'
import { findFieldType } from './field-types.js'

/** A field as the service returns it; the connect dialect adds the one-time code. */
export interface PageField extends Field {
  readonly totp?: string
}

/** Shown instead of a value. It does not reveal the length of the value. */
export const dots = '••••••••'

/** Returns true unless the type and the purpose of a field state that its value is no secret. */
export function isConcealed(field: {
  readonly type: string
  readonly purpose?: Field['purpose'] | undefined
}): boolean {
  const { type, purpose } = field
  return purpose === 'PASSWORD' || purpose === 'NOTES' || !findFieldType(type)?.isShown
}

/** Paths of a patch whose values are no secrets. */
const openPath = /^\/(?:category|favorite|sections|tags|title|urls)(?:\/|$)/

const secretMembers: ReadonlySet<string> = new Set(['value', 'totp', 'content'])

/**
 * Returns a copy of a body in which every value of a field, one-time code and content of a file is
 * masked. Values of patch operations are masked unless their path is known to be outside of the
 * fields.
 */
export function maskBody(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(maskBody)
  if (typeof body !== 'object' || body === null) return body
  const path: unknown = Reflect.get(body, 'path')
  const isPatch = 'op' in body && typeof path === 'string'
  const isOpen = isPatch && openPath.test(path)
  return Object.fromEntries(
    Object.entries(body).map(([name, member]) => {
      if (!secretMembers.has(name) || isOpen) return [name, maskBody(member)]
      if (typeof member === 'object' || member === '') return [name, maskBody(member)]
      // The values of `/fields/<id>/label` and the like are masked as well, because an id can
      // contain anything.
      return [name, typeof member === 'boolean' ? member : dots]
    }),
  )
}
