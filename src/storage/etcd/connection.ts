/** Sends requests to the members of an etcd cluster, through their JSON gateways. */

import { parseJson } from '../../base/parse-json.js'
import { safeGet } from '../../base/safe-get.js'
import { StorageError, StorageUnavailableError } from '../../errors.js'
import {
  type AnswerHeader,
  type KeyValue,
  parseHeader,
  parseKeyValues,
  parseTransaction,
  type TransactionAnswer,
} from './answer.js'
import { EtcdFailure, toFailure, toSendFailure, unexpectedAnswerError } from './errors.js'
import type { RangeRequest, Transaction } from './transaction.js'

/** The cluster, and how it is reached. */
interface ConnectionOptions {
  /** Origins. */
  readonly endpoints: readonly string[]
  readonly credentials: { readonly name: string; readonly password: string } | undefined
  readonly timeoutMs: number
  /** The platform's `fetch` if undefined. */
  readonly fetch: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/**
 * A connection to a cluster. Its functions reject with a StorageError, or with a
 * {@link CompactedRevisionError} if a revision is no longer stored.
 */
export interface EtcdConnection {
  /** Reads one range. */
  range(request: RangeRequest): Promise<readonly KeyValue[]>
  /** Reads several ranges at one revision. Each endpoint is tried until one answers. */
  read(transaction: Transaction): Promise<TransactionAnswer>
  /**
   * Executes a transaction that writes. It is sent to another endpoint only if it was never sent to
   * this one, and is repeated only if the server refused its token. After any other failure it may
   * have been executed.
   */
  write(transaction: Transaction): Promise<TransactionAnswer>
  /** Forgets the token, and makes all later requests fail. */
  end(): void
}

/** Decides whether a request is sent to the next endpoint. */
type Condition = (failure: EtcdFailure) => boolean

/** Creates a connection. Nothing is sent before its first use. */
export function createConnection(options: ConnectionOptions): EtcdConnection {
  const { endpoints, credentials } = options
  // The endpoint that is tried first for the next request.
  let preferred = 0
  let clusterId: string | undefined

  /** Calls `send` with an endpoint, and with the next one while the failure allows it. */
  const tryEndpoints = async <Result>(
    send: (origin: string) => Promise<Result>,
    canTryNext: Condition,
  ): Promise<Result> => {
    const first = preferred
    for (let tried = 1; ; tried++) {
      const index = (first + tried - 1) % endpoints.length
      try {
        return await send(endpoints[index] ?? '')
      } catch (error) {
        if (!(error instanceof EtcdFailure) || !mayBeLocal(error)) throw error
        if (preferred === index) preferred = (index + 1) % endpoints.length
        if (tried === endpoints.length || !canTryNext(error)) throw error
      }
    }
  }

  const authenticate = (): Promise<string> => {
    const body = JSON.stringify(credentials)
    const send = async (origin: string): Promise<string> => {
      const answer = await post(options, `${origin}/v3/auth/authenticate`, body)
      const received = safeGet(answer, 'token')
      // The token is sent in a header, so other characters are refused.
      if (typeof received !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(received))
        throw unexpectedAnswerError()
      return received
    }
    return tryEndpoints(send, mayBeLocal)
  }

  const tokens = credentials && createTokenSource(authenticate)

  /** Sends the request, and once more with a new token if the server does not accept the token. */
  const sendAuthenticated = async (url: string, body: string): Promise<unknown> => {
    const token = await tokens?.current()
    try {
      return await post(options, url, body, token)
    } catch (error) {
      const isRefused = error instanceof EtcdFailure && error.kind === 'unauthenticated'
      if (tokens === undefined || token === undefined || !isRefused) throw error
      return post(options, url, body, await tokens.renew(token))
    }
  }

  /** Requires that every answer comes from the same cluster. */
  const checkCluster = ({ clusterId: found }: AnswerHeader): void => {
    clusterId ??= found
    if (found !== clusterId)
      throw new StorageError('the endpoints belong to different etcd clusters')
  }

  let isEnded = false
  const request = async (path: string, body: object, canTryNext: Condition): Promise<unknown> => {
    if (isEnded) throw new StorageUnavailableError('the etcd store is closed')
    const text = JSON.stringify(body)
    try {
      return await tryEndpoints((origin) => sendAuthenticated(`${origin}${path}`, text), canTryNext)
    } catch (error) {
      throw error instanceof EtcdFailure ? error.error : error
    }
  }
  const transact = async (
    transaction: Transaction,
    canTryNext: Condition,
  ): Promise<TransactionAnswer> => {
    const response = await request('/v3/kv/txn', transaction, canTryNext)
    const answer = parseTransaction(response, transaction)
    checkCluster(answer)
    return answer
  }
  return {
    async range(range) {
      const answer = await request('/v3/kv/range', range, mayBeLocal)
      checkCluster(parseHeader(answer))
      return parseKeyValues(answer)
    },
    read: (transaction) => transact(transaction, mayBeLocal),
    write: (transaction) => transact(transaction, ({ kind }) => kind === 'not-sent'),
    end() {
      isEnded = true
      tokens?.forget()
    },
  }
}

/** Returns true if another endpoint may succeed. */
function mayBeLocal({ kind }: EtcdFailure): boolean {
  return kind === 'not-sent' || kind === 'unavailable'
}

/** Sends a request to one endpoint. @returns The JSON of the response. @throws EtcdFailure */
async function post(
  options: ConnectionOptions,
  url: string,
  body: string,
  token?: string,
): Promise<unknown> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  if (token !== undefined) headers['Authorization'] = token
  let status: number
  let text: string
  try {
    const response = await (options.fetch ?? fetch)(url, {
      method: 'POST',
      headers,
      body,
      // A redirect would send the token and the record to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(options.timeoutMs),
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    throw toSendFailure(error)
  }
  const answer = parseJson(text)
  const isError = safeGet(answer, 'error') !== undefined || safeGet(answer, 'code') !== undefined
  if (status !== 200 || isError) throw toFailure(status, answer)
  return answer
}

/** The current token. */
interface TokenSource {
  /** Returns the token, which is obtained by the first call. */
  current(): Promise<string>
  /** Returns a token other than `refused`. Concurrent calls obtain one together. */
  renew(refused: string): Promise<string>
  forget(): void
}

/** Creates a source. `authenticate` obtains a token, and is called again if it failed. */
function createTokenSource(authenticate: () => Promise<string>): TokenSource {
  let token: Promise<string> | undefined
  const current = (): Promise<string> => {
    if (token !== undefined) return token
    const pending = authenticate()
    token = pending
    pending.catch(() => {
      if (token === pending) token = undefined
    })
    return pending
  }
  return {
    current,
    async renew(refused) {
      const before = token
      const isCurrent = (await before?.catch(() => undefined)) === refused
      if (isCurrent && token === before) token = undefined
      return current()
    },
    forget() {
      token = undefined
    },
  }
}
