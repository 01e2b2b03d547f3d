/** The process in which a command runs, and the form of its output. */

import { createRequire } from 'node:module'
import type { CommandContext, StricliProcess } from '@stricli/core'

/** The context of every command. */
export interface CommandLine extends CommandContext {
  readonly process: NodeJS.Process & StricliProcess
}

/** Returns the version in package.json. */
export function packageVersion(): string {
  return createRequire(import.meta.url)('cofferkit/package.json').version
}

/** Writes a line to the standard output. */
export function print({ process }: CommandLine, line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Writes a line to the standard error, for everything that is not the result of a command. */
export function printNote({ process }: CommandLine, line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Returns a number with the noun that it counts, such as `1 vault` or `2 vaults`. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}

/** Returns the numbers of vaults, items and files. */
export function formatCounts(counts: {
  readonly vaults: number
  readonly items: number
  readonly files: number
}): string {
  const { vaults, items, files } = counts
  const texts = [formatCount(vaults, 'vault'), formatCount(items, 'item')]
  return `${texts.join(', ')} and ${formatCount(files, 'file')}`
}

/**
 * Replaces characters that control a terminal, because names in a store or a file may contain them.
 */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?')
}

const maxNameLength = 60

/** Shortens a name or a title that is printed to 60 characters. */
export function shorten(text: string): string {
  return text.length > maxNameLength ? `${text.slice(0, maxNameLength - 1)}…` : text
}
