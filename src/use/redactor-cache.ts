/**
 * Keeps redactors for a short time, because creating one takes longer than masking a response with
 * it.
 */

import { setNewest } from '../base/set-newest.js'
import { type ByteRedactor, createByteRedactor } from './create-redactor.js'

/** How long a redactor is kept. It is short because a redactor contains the values. */
const maxAgeMs = 60_000
/** The maximum number of redactors that are kept. */
const maxRedactors = 8
/** The maximum size of a redactor that is kept, which then takes about 2 MiB. */
const maxFormBytes = 131_072

/** A redactor, and the timer that drops it. */
interface Kept {
  readonly redactor: ByteRedactor
  readonly timer: ReturnType<typeof setTimeout>
}

/**
 * Creates a function that returns the redactor of values. A redactor is kept for at most a minute
 * after it was created, even if it is used. So a value is not kept for longer after it was replaced
 * or its service was closed. The cache key is the values themselves, so a new version of an item
 * never gets the redactor of an old one, and no source needs to know versions.
 */
export function createRedactorCache(): (values: readonly string[]) => ByteRedactor {
  const entries = new Map<string, Kept>()

  return (values) => {
    const key = JSON.stringify(values)
    const found = entries.get(key)
    if (found !== undefined) return found.redactor
    const redactor = createByteRedactor(values)
    if (redactor.formBytes > maxFormBytes) return redactor
    const timer = setTimeout(() => entries.delete(key), maxAgeMs)
    releaseProcess(timer)
    clearTimeout(setNewest(entries, key, { redactor, timer }, maxRedactors)?.timer)
    return redactor
  }
}

/** Lets the process end before the timer has run. On Deno, a timer is a number. */
function releaseProcess(timer: unknown): void {
  const deno: { unrefTimer?(id: unknown): void } | undefined = Reflect.get(globalThis, 'Deno')
  deno?.unrefTimer?.(timer)
  Object(timer).unref?.()
}
