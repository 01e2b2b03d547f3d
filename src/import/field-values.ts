/** Converts values of exports to the forms that vaults and their clients use. */

import { isHref } from '../base/href.js'
import { maxOtpauthLength, parseOneTimeSecret, parseOtpauth } from '../base/one-time-code.js'
import type { ImportedItem, ReportLoss } from './result.js'
import { cutText } from './text.js'

/** A time of an item, and where it was found. */
interface TimeInput {
  readonly path: string
  /** RFC 3339, or milliseconds since 1970. */
  readonly time: string | number | undefined
}

const maxTotpLabelLength = 200

/**
 * Returns the `otpauth:` URL of a one-time password, from which clients compute codes. A secret
 * alone becomes a URL with the usual period and digits.
 * @returns undefined if there is no URL from which a code is computed.
 */
export function toTotpUrl(value: string, label: string): string | undefined {
  if (parseOtpauth(value) !== undefined) return value
  if (value.length > maxOtpauthLength || parseOneTimeSecret(value) === undefined) return undefined
  const secret = value.replaceAll(/[\s=-]/g, '').toUpperCase()
  const query = `?secret=${secret}`
  const start = 'otpauth://totp/'
  const url = start + encodeLabel(label, maxOtpauthLength - start.length - query.length) + query
  return url.length > maxOtpauthLength ? undefined : url
}

/**
 * Returns as much of a label as has at most `maxLength` characters when it is encoded. Each one-time
 * password of an item repeats the title, so the label itself is cut as well.
 */
function encodeLabel(label: string, maxLength: number): string {
  let encoded = ''
  for (const character of cutText(label, maxTotpLabelLength)) {
    const next = encoded + encodeURIComponent(character)
    if (next.length > maxLength) break
    encoded = next
  }
  return encoded
}

const maxHrefLength = 65_536

/**
 * Returns a link that a vault accepts: an absolute URL that no browser runs as a script. The name
 * of a host gets `https://`.
 * @returns undefined if there is no such link.
 */
export function toHref(text: string): string | undefined {
  const trimmed = text.trim()
  // A repeated group would overflow the stack on millions of characters.
  if (trimmed.length > maxHrefLength) return undefined
  if (isImported(trimmed)) return trimmed
  const isHost = /^[\w-]+(?:\.[\w-]+)+(?::\d{1,5})?(?:[/?#]|$)/.test(trimmed)
  const href = `https://${trimmed}`
  return isHost && isImported(href) ? href : undefined
}

/** Returns true for a URL that a vault accepts and that runs no script when it is followed. */
function isImported(text: string): boolean {
  return isHref(text) && !/^(?:javascript|data):$/.test(new URL(text).protocol)
}

/**
 * Returns a time as RFC 3339 in UTC, or undefined if it is not within the years 1 to 9999.
 * @param time RFC 3339, or milliseconds since 1970.
 */
function toTimestamp(time: string | number): string | undefined {
  const isTime = typeof time === 'number' || /^\d{4}-\d\d-\d\d(?:T|$)/.test(time)
  const date = new Date(time)
  const year = date.getUTCFullYear()
  return isTime && year >= 1 && year <= 9999 ? date.toISOString() : undefined
}

/**
 * Returns the times of an item, with the names of an imported item. Reports times with an unknown
 * form. A missing or empty time is left out.
 */
export function toTimes(
  times: Readonly<Record<'createdAt' | 'updatedAt', TimeInput>>,
  report: ReportLoss,
): Pick<ImportedItem, 'createdAt' | 'updatedAt'> {
  const toTime = ({ path, time }: TimeInput): string | undefined => {
    if (time === undefined || time === '') return undefined
    const timestamp = toTimestamp(time)
    if (timestamp === undefined) report(path, 'attribute', 'the time has an unknown form')
    return timestamp
  }
  const [createdAt, updatedAt] = [toTime(times.createdAt), toTime(times.updatedAt)]
  return {
    ...(createdAt !== undefined && { createdAt }),
    ...(updatedAt !== undefined && { updatedAt }),
  }
}

/** Returns the last part of a path, so that no name of a file leads to another folder. */
export function toFileName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  // A character has at most two UTF-16 units.
  return /^\.{0,2}$/.test(name) ? 'file' : [...name.slice(-510)].slice(-255).join('')
}
