/** Publishes calls of operations on the diagnostics channels of the runtime, where it has them. */

/** What a subscriber is told of a call: names and ids, never a value. */
export interface TraceMessage {
  readonly operation: string
  readonly callerId?: string
  readonly vaultId?: string
  readonly itemId?: string
}

/** The members of Node's TracingChannel that are used. */
interface TracingChannel {
  /** Absent in runtimes that cannot say. */
  readonly hasSubscribers?: boolean
  tracePromise(work: () => Promise<void>, message: object): Promise<void>
}

/** Publishes the calls of a service. */
export interface Tracer {
  /** Whether anybody has subscribed. */
  hasSubscribers(): boolean
  /**
   * Does `work` and settles as it does, once all is published: when it begins and ends, and its error. What it answers
   * is not published.
   */
  trace<Result>(message: TraceMessage, work: () => Promise<Result>): Promise<Result>
}

/** The tracing channel `cofferkit.operation`; undefined where the runtime has no `diagnostics_channel`. */
export function createTracer(): Tracer | undefined {
  const channel = tracingChannel('cofferkit.operation')
  if (channel === undefined) return undefined
  return {
    hasSubscribers: () => channel.hasSubscribers ?? true,
    trace: <Result>(message: TraceMessage, work: () => Promise<Result>) =>
      new Promise<Result>((resolve, reject) => {
        let result: Result
        const traced = channel.tracePromise(async () => {
          result = await work()
        }, message)
        traced.then(() => resolve(result), reject)
      }),
  }
}

/** Asked of the runtime and not imported: the core runs where there is no such module. */
function tracingChannel(name: string): TracingChannel | undefined {
  const platform: Platform | undefined = Reflect.get(globalThis, 'process')
  return platform?.getBuiltinModule?.('node:diagnostics_channel')?.tracingChannel?.(name)
}

interface Platform {
  getBuiltinModule?(id: string): { tracingChannel?(name: string): TracingChannel } | undefined
}
