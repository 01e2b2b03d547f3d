/** Publishes calls on a diagnostics channel, in runtimes that have them. */

/** The parts of Node's TracingChannel used here. */
interface TracingChannel {
  /** Undefined in runtimes that do not report it. Calls are then published. */
  readonly hasSubscribers?: boolean
  tracePromise(work: () => Promise<void>, message: object): Promise<void>
}

/** Publishes calls with messages of a type. */
export interface CallTracer<Message extends object> {
  /** Returns false if nobody would receive a message. */
  isObserved(): boolean
  /**
   * Runs `call` and settles as it does. Publishes its start, its end and its error, but not its
   * result.
   */
  trace<Result>(message: Message, call: () => Promise<Result>): Promise<Result>
}

/**
 * Creates a tracer on a tracing channel.
 * @returns The tracer, or undefined if the runtime has no `diagnostics_channel`.
 */
export function createCallTracer<Message extends object>(
  name: string,
): CallTracer<Message> | undefined {
  const channel = tracingChannel(name)
  if (channel === undefined) return undefined
  return {
    isObserved: () => channel.hasSubscribers !== false,
    trace: <Result>(message: Message, call: () => Promise<Result>) =>
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
