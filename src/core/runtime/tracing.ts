/** Publishes calls of operations on a diagnostics channel, in runtimes that have them. */

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

/** The members of the TracingChannel of Node.js that are used here. */
interface TracingChannel {
  /** Absent in runtimes that do not report it; calls are published then. */
  readonly hasSubscribers?: boolean
  tracePromise(work: () => Promise<void>, message: object): Promise<void>
}

/** Publishes the calls of a service. */
export interface Tracer {
  readonly channel: TracingChannel
  /**
   * Runs `call` and settles as it does. Publishes its start, its end and its error, but not its
   * result.
   */
  trace<Result>(message: TraceMessage, call: () => Promise<Result>): Promise<Result>
}

/**
 * Creates a tracer on the tracing channel `cofferkit.operation`.
 * @returns The tracer; undefined if the runtime has no `diagnostics_channel`.
 */
export function createTracer(): Tracer | undefined {
  const channel = tracingChannel('cofferkit.operation')
  if (channel === undefined) return undefined
  return {
    channel,
    trace: <Result>(message: TraceMessage, call: () => Promise<Result>) =>
      new Promise<Result>((resolve, reject) => {
        let result: Result
        const traced = channel.tracePromise(async () => {
          result = await call()
        }, message)
        traced.then(() => resolve(result), reject)
      }),
  }
}

/** The module is not imported, because not every runtime of the core has it. */
function tracingChannel(name: string): TracingChannel | undefined {
  const platform: Platform | undefined = Reflect.get(globalThis, 'process')
  return platform?.getBuiltinModule?.('node:diagnostics_channel')?.tracingChannel?.(name)
}

interface Platform {
  getBuiltinModule?(id: string): { tracingChannel?(name: string): TracingChannel } | undefined
}
