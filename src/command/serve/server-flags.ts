/** The flags of every command that listens on a port, and what they mean. */

import { CommandError } from '../command-error.js'
import type { CommandLine } from '../command-line.js'
import { readSecret } from '../read-secret.js'

/** The values of {@link serverFlags}. */
export interface ServerFlags {
  readonly port?: number
  readonly host?: string
  readonly token?: string
  readonly json: boolean
}

/**
 * Returns the flags of a server.
 * @param port - The default port.
 * @param otherPorts - The end of the sentence about the port.
 */
export function serverFlags(port: number, otherPorts: string) {
  return {
    port: {
      kind: 'parsed',
      parse: parsePort,
      optional: true,
      brief: `The port; by default $COFFERKIT_PORT or ${port}${otherPorts}`,
    },
    host: {
      kind: 'parsed',
      parse: String,
      optional: true,
      brief: 'The address to listen on; default: $COFFERKIT_HOST or 127.0.0.1',
    },
    token: {
      kind: 'parsed',
      parse: String,
      optional: true,
      brief: 'The token of clients; default: $COFFERKIT_TOKEN or a new one',
    },
    json: {
      kind: 'boolean',
      default: false,
      withNegated: false,
      brief: 'Log one JSON object per line',
    },
  } as const
}

function parsePort(text: string): number {
  return toPort(text, '--port')
}

function toPort(text: string, name: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > 65_535) throw new CommandError(`${name}: must be a number from 0 to 65535`)
  return port
}

/** The address that a server listens on. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
}

/**
 * Returns the address of the flags, or of the environment.
 * @throws CommandError if the port of the environment is invalid.
 */
export function findAddress(
  { process: { env } }: CommandLine,
  { host, port }: Pick<ServerFlags, 'host' | 'port'>,
  defaultPort: number,
): ServerAddress {
  const { COFFERKIT_HOST: envHost = '', COFFERKIT_PORT: envPort = '' } = env
  return {
    host: host ?? (envHost === '' ? '127.0.0.1' : envHost),
    port: port ?? (envPort === '' ? defaultPort : toPort(envPort, 'COFFERKIT_PORT')),
  }
}

/** The end of a server, and the other requests of a signal. */
export interface ServerSignals {
  /** Resolves on SIGINT or SIGTERM, and on SIGHUP if the terminal of the server was closed. */
  readonly stopped: Promise<void>
  /** Sets what SIGHUP does without a terminal. By default, it does nothing. */
  onHangup(listener: () => void): void
}

/** Listens to the signals of a server. A second SIGINT or SIGTERM ends the process at once. */
export function listenToSignals({ process }: CommandLine): ServerSignals {
  let reload = (): void => {}
  const isOnTerminal = process.stdout.isTTY === true
  const stopped = new Promise<void>((resolve) => {
    const onSignal = (): void => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, onSignal)
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal)
    process.on('SIGHUP', () => (isOnTerminal ? onSignal() : reload()))
  })
  return {
    stopped,
    onHangup(listener) {
      reload = listener
    },
  }
}

/** The shortest token for a server that other machines can reach. */
const minPublicTokenLength = 20

/**
 * Returns the token of the flag, of COFFERKIT_TOKEN or of the file of COFFERKIT_TOKEN_FILE;
 * undefined without one.
 * @param host - The address to listen on.
 * @throws CommandError if no client can send the token, or if it is too short for a network.
 */
export function findToken(
  line: CommandLine,
  given: string | undefined,
  host: string,
): string | undefined {
  const token = given ?? readSecret(line, 'COFFERKIT_TOKEN')
  if (token === undefined) return undefined
  assertSendable(token, 'Leave --token out to have one generated.')
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host)
  if (!isLocal && token.length < minPublicTokenLength)
    throw new CommandError(
      `on ${host} other machines can reach the server, so a token needs ${minPublicTokenLength} characters`,
      'Leave --token out to have one generated, or pass a longer one: cofferkit token prints one.',
    )
  return token
}

/** @throws CommandError if a token cannot be in the header `Authorization` (RFC 6750). */
export function assertSendable(token: string, remedy?: string): void {
  if (!/^[\w.~+/-]+=*$/.test(token))
    throw new CommandError(
      'a token must consist of letters, digits and - . _ ~ + / with = at its end',
      remedy,
    )
}

/** @throws CommandError, because a generated token must not be in a log. */
export function refuseGeneratedToken(): never {
  throw new CommandError(
    '--json needs a token, because a generated one would be in the log',
    'Set COFFERKIT_TOKEN or COFFERKIT_TOKEN_FILE: npx cofferkit token prints a token.',
  )
}
