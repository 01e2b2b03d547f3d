/** Publishes calls of operations on a diagnostics channel, in runtimes that have them. */

import { type CallTracer, createCallTracer } from '../../base/trace-calls.js'

/** The message that subscribers receive for a call. It contains names and ids, but no values. */
interface TraceMessage {
  readonly operation: string
  readonly callerId?: string
  readonly vaultId?: string
  readonly itemId?: string
  /** The `X-Request-Id` of the response to a call over HTTP. */
  readonly requestId?: string
  /** The `traceparent` of a call over HTTP (W3C Trace Context). */
  readonly traceparent?: string
}

/** Publishes the calls of a service. */
export type Tracer = CallTracer<TraceMessage>

/**
 * Creates a tracer on the tracing channel `cofferkit.operation`.
 * @returns The tracer, or undefined if the runtime has no `diagnostics_channel`.
 */
export function createTracer(): Tracer | undefined {
  return createCallTracer('cofferkit.operation')
}
