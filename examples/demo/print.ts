/** Prints a request and its response for people, with all secrets masked. */

import { STATUS_CODES } from 'node:http'
import { styleText } from 'node:util'
import type { Step } from './steps.js'

/** A response. */
export interface PrintedResponse {
  readonly status: number
  /** The header; null if absent. */
  readonly etag: string | null
  /** The parsed JSON body. */
  readonly json: unknown
}

type Style = Parameters<typeof styleText>[0]

const mask = '••••••••'
const width = Math.max(80, process.stdout.columns || 120) - 5

/** Prints step `number` and its response. */
export function printExchange(
  number: number,
  step: Step,
  { status, etag, json }: PrintedResponse,
): void {
  const { sentence, method, path, token, body } = step
  const verdict = `${status} ${STATUS_CODES[status] ?? ''}`
  print(
    `${paint('bold', `${number}. ${sentence}`)}\n`,
    `   → ${paint('cyan', method.padEnd(5))} ${shorten(path)}`,
    ...(token === undefined
      ? []
      : [`     ${paint('dim', `authorization: Bearer ${mask}`)}`]),
    ...(body === undefined ? [] : [indented(format(masked(body)))]),
    `   ← ${paint(status < 400 ? 'green' : 'yellow', verdict)}${etag === null ? '' : `   etag: ${etag}`}`,
    `${indented(format(masked(json)))}\n`,
  )
}

/** Prints lines to standard output. */
export function print(...lines: readonly string[]): void {
  console.log(lines.join('\n'))
}

/** Styles the text if standard output is a terminal and `NO_COLOR` is not set (no-color.org). */
export function paint(style: Style, text: string): string {
  const isWanted = process.stdout.isTTY && !process.env['NO_COLOR']
  return isWanted ? styleText(style, text, { validateStream: false }) : text
}

/** Masks values of fields and contents of files, and shortens ids. */
function masked(value: unknown): unknown {
  if (typeof value === 'string') return shorten(value)
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      const isSecret =
        (name === 'value' || name === 'content') && typeof member === 'string'
      return [name, isSecret ? mask : masked(member)]
    }),
  )
}

/** Shortens ids of 26 characters to their first four, which are unique enough here. */
function shorten(text: string): string {
  return text.replace(/\b([\da-z]{4})[\da-z]{22}\b/g, '$1…')
}

/** Formats JSON, with each object and array on one line if it fits. */
function format(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ')
  if (
    typeof value !== 'object' ||
    value === null ||
    indent.length + flat.length <= width
  )
    return flat
  const deeper = `${indent}  `
  const members = Array.isArray(value)
    ? value.map((member: unknown) => `${deeper}${format(member, deeper)}`)
    : Object.entries(value).map(
        ([name, member]: [string, unknown]) =>
          `${deeper}"${name}": ${format(member, deeper)}`,
      )
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${members.join(',\n')}\n${indent}${close}`
}

function indented(text: string): string {
  return text.replace(/^/gm, '     ')
}
