/**
 * Masks secrets in texts and streams.
 *
 * @example
 * ```ts
 * import { createRedactor } from 'cofferkit/use'
 *
 * const redactor = createRedactor(['correct horse'])
 * const text = redactor.text('it is correct%20horse')
 * ```
 *
 * @module cofferkit/use
 */

export { createRedactor, type Redactor } from './use/create-redactor.js'
