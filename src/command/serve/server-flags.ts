/** The flags of every command that listens on a port, and what they mean. */

import { CommandError } from '../command-error.js'
import type { CommandLine } from '../command-line.js'

/** The values of {@link serverFlags}. */
export interface ServerFlags {
  readonly port?: number
  readonly host: string
  readonly token?: string
}

/**
 * Returns the flags of a server.
 * @param port - The port by default.
 * @param otherPorts - The end of the sentence about the port.
 */
export function serverFlags(port: number, otherPorts: string) {
  return {
    port: {
      kind: 'parsed',
      parse: parsePort,
      optional: true,
      brief: `The port, ${port} by default${otherPorts}`,
    },
    host: {
      kind: 'parsed',
      parse: String,
      default: '127.0.0.1',
      brief: 'The address to listen on',
    },
    token: {
      kind: 'parsed',
      parse: String,
      optional: true,
      brief: 'The token of clients; by default $COFFERKIT_TOKEN or a new one',
    },
  } as const
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > 65_535) throw new CommandError('--port: must be a number from 0 to 65535')
  return port
}

/** Resolves on SIGINT or SIGTERM. A second signal ends the process at once. */
export function waitForSignal({ process }: CommandLine): Promise<void> {
  return new Promise((resolve) => {
    const onSignal = (): void => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, onSignal)
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal)
  })
}

/** The shortest token for a server that other machines can reach. */
const minPublicTokenLength = 20

/**
 * Returns the token of the flag or of the environment; undefined without one.
 * @throws CommandError if no client can send the token, or if it is too short for a network.
 */
export function findToken(
  { process }: CommandLine,
  { token = process.env['COFFERKIT_TOKEN'], host }: ServerFlags,
): string | undefined {
  if (token === undefined) return undefined
  if (!/^[\w.~+/-]+=*$/.test(token))
    throw new CommandError(
      'a token must consist of letters, digits and - . _ ~ + / with = at its end',
      'Leave --token out to have one generated.',
    )
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host)
  if (!isLocal && token.length < minPublicTokenLength)
    throw new CommandError(
      `on ${host} other machines can reach the server, so a token needs ${minPublicTokenLength} characters`,
      'Leave --token out to have one generated, or pass a longer one: cofferkit token prints one.',
    )
  return token
}
