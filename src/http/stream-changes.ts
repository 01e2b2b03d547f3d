/** Streams changes as server-sent events (HTML Standard, section 9.2). */

import { toStream } from '../base/blob-content.js'
import type { Change } from '../changes/change.js'
import type { WatchOptions } from '../changes/watch-changes.js'
import type { Caller } from '../core/access/caller.js'
import { UnauthorizedError } from '../errors.js'
import { type AuthenticationOptions, authenticateRequest } from './authenticate.js'
import type { HttpRequest, HttpResponse } from './message.js'
import { reportError } from './report-error.js'
import { eventStreamResponse } from './responses.js'

/** How `/v1/changes` watches changes: `watchChanges` and its options that callers do not choose. */
export interface ChangesOptions
  extends Pick<WatchOptions, 'log' | 'items' | 'pollMs' | 'windowMs' | 'holdMs' | 'now'> {
  /** `watchChanges` of `cofferkit/changes`. */
  watch(options: WatchOptions): AsyncIterable<Change>
}

/** Milliseconds without a change after which a comment is sent, so that no proxy ends the connection. */
const heartbeatMs = 15_000
/** Milliseconds after which a caller is authenticated again before anything is sent. */
const loginMs = 5_000

const comment = ':\n\n'

/** A request for the stream of changes by an authenticated caller. */
interface ChangesRequest {
  readonly request: HttpRequest
  readonly requestId: string
  readonly caller: Caller
}

/**
 * Returns a response that streams the changes of the vaults that the caller can read. A change is
 * requested when the client has taken the one before it. The stream ends when the request no longer
 * authenticates the caller, and fails when the log cannot be read.
 * @throws InvalidInputError if `Last-Event-ID` is not the id of a change, or older than the log.
 */
export async function streamChanges(
  { watch, ...options }: ChangesOptions,
  { request, requestId, caller }: ChangesRequest,
  authentication: AuthenticationOptions & Parameters<typeof reportError>[0],
): Promise<HttpResponse> {
  const end = new AbortController()
  let current = caller
  let checkedAt = performance.now()
  let onStart = (): void => {}
  const started = new Promise<void>((resolve) => {
    onStart = resolve
  })
  const changes = watch({
    ...options,
    onStart,
    signal: end.signal,
    since: request.header('last-event-id') || undefined,
    caller: { id: caller.id, can: (...check) => current.can(...check) },
  })[Symbol.asyncIterator]()
  let next: Promise<IteratorResult<Change, undefined>> | undefined = changes.next()
  await Promise.race([started, next])

  /** @throws UnauthorizedError, or AuthenticationUnavailableError (503). */
  async function authenticateAgain(): Promise<void> {
    current = await authenticateRequest(request, requestId, authentication)
    if (current.id !== caller.id) throw new UnauthorizedError()
    checkedAt = performance.now()
  }

  /** Returns the next part of the stream; undefined at its end. */
  async function readNext(): Promise<string | undefined> {
    next ??= changes.next()
    const result = await raceHeartbeat(next)
    const isOld = performance.now() - checkedAt >= loginMs
    if (isOld && !(await authenticateAgain().then(isDone, isNotDone))) return undefined
    if (result === undefined) return comment
    next = undefined
    if (result.done) return undefined
    const { id, vaultId } = result.value
    // It can have waited for the client for long.
    if (isOld && (await current.can('read', vaultId, 'listActivity')) !== true) return comment
    return `id: ${id}\ndata: ${JSON.stringify(result.value)}\n\n`
  }

  async function* encodeParts(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder()
    try {
      // Sends the headers: a server waits for the first part of the body.
      let part: string | undefined = comment
      for (; part !== undefined; part = await readNext()) yield encoder.encode(part)
    } catch (error) {
      reportError(authentication, error, request)
      throw error
    } finally {
      end.abort()
    }
  }

  return eventStreamResponse(
    requestId,
    toStream(encodeParts(), () => end.abort()),
  )
}

const isDone = (): boolean => true
const isNotDone = (): boolean => false

/** Returns the result of `next`, or undefined if it takes longer than the heartbeat. */
async function raceHeartbeat<Result>(next: Promise<Result>): Promise<Result | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const heartbeat = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), heartbeatMs)
  })
  return Promise.race([next, heartbeat]).finally(() => clearTimeout(timer))
}
