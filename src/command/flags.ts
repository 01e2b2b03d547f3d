/** The forms of flags that several commands have. */

import { CommandError } from './command-error.js'

/** Returns a flag without a value. Default: false. */
export function switchFlag(brief: string) {
  return { kind: 'boolean', default: false, withNegated: false, brief } as const
}

/** Returns a flag whose value is any string. Default: undefined. */
export function textFlag(placeholder: string, brief: string) {
  return { kind: 'parsed', parse: String, optional: true, placeholder, brief } as const
}

/**
 * Returns the parser of a flag whose value is a whole number.
 * @param flag - The flag, for the error.
 */
export function numberParser(flag: string, min: number, max = 999_999_999) {
  return (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1
    if (value < min || value > max)
      throw new CommandError(`--${flag}: must be a whole number from ${min} to ${max}`)
    return value
  }
}
