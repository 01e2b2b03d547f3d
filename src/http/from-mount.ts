/** Authenticates requests with what a framework knows about them. */

import { callback, readArgument, text } from '../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { AuthenticationUnavailableError } from '../errors.js'
import type { Authenticate, Authenticated } from './authenticate.js'

/** Options of the functions that authenticate with a framework's request, such as `fromExpress`. */
export interface FrameworkLoginOptions {
  /**
   * The header `WWW-Authenticate` of a 401 (RFC 9110, section 11.6.1), such as `Bearer` if your
   * middleware reads bearer tokens. By default there is no such header, as is right for a login
   * with cookies.
   */
  readonly challenge?: string | undefined
}

const loginOptions = defineOptions({
  challenge: optional(text()),
} satisfies OptionKinds<FrameworkLoginOptions>)

/**
 * Creates the option `authenticate` of `createHttpHandler` for one mount.
 * @param mount - The name of the mount's entry point.
 * @param authenticate - Called with the values that the mount has received from its framework.
 * @throws TypeError if `authenticate` is not a function, or `challenge` is not a string.
 * @returns A function that throws AuthenticationUnavailableError for a request from another mount.
 */
export function fromMount<Values extends readonly unknown[]>(
  mount: string,
  authenticate: (...values: Values) => Authenticated | Promise<Authenticated>,
  options: FrameworkLoginOptions = {},
): Authenticate {
  readArgument(callback(), { authenticate, options })
  const { challenge = null } = loginOptions.read(options)
  const fromRequest: Authenticate = ({ source }) => {
    if (source?.mount !== mount)
      throw new AuthenticationUnavailableError(`the request must come from cofferkit/${mount}`)
    // They were set by this mount, so they have its types.
    return authenticate(...(source.values as unknown as Values))
  }
  return Object.assign(fromRequest, { challenge })
}
