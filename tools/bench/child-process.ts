/** Processes of the bench, each of which handles one request at a time. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The requests to a process: the type of each one's input and result. */
type Handlers = Readonly<Record<string, (input: never) => unknown>>

type InputOf<Handler> = Handler extends (input: infer Input) => unknown ? Input : never
type ResultOf<Handler> = Handler extends (input: never) => infer Result ? Awaited<Result> : never

/** A running process. */
export interface BenchProcess<Requests extends Handlers> {
  /** Resolves with the result. Rejects if the process fails or ends before that. */
  request<Name extends keyof Requests & string>(
    name: Name,
    ...input: unknown extends InputOf<Requests[Name]> ? [] : [InputOf<Requests[Name]>]
  ): Promise<ResultOf<Requests[Name]>>
  /** Ends the process, and resolves when it has ended. */
  stop(): Promise<void>
}

const sources = ['--import', new URL('../scripts/register-sources.ts', import.meta.url).href]

/** Starts a module that calls `handleRequests`. */
export function startProcess<Requests extends Handlers>(
  module: URL,
  args: readonly string[],
  flags: readonly string[] = [],
): BenchProcess<Requests> {
  const child = fork(fileURLToPath(module), args, {
    execArgv: [...sources, ...flags],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const ended = once(child, 'exit')
  return {
    request: (name, ...[input]) =>
      new Promise((resolve, reject) => {
        const fail = (): void => reject(new Error(`${args[0]} ended before it responded`))
        child.once('exit', fail)
        child.once('message', (message: { readonly result: never; readonly error?: string }) => {
          child.off('exit', fail)
          if (message.error === undefined) resolve(message.result)
          else reject(new Error(message.error))
        })
        child.send({ name, input })
      }),
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** Handles the requests of the parent process. Ends when the parent is gone. */
export function handleRequests<Requests extends Handlers>(handlers: Requests): void {
  process.on(
    'message',
    async ({ name, input }: { readonly name: string; readonly input: never }) => {
      try {
        process.send?.({ result: await handlers[name]?.(input) })
      } catch (error) {
        process.send?.({ error: error instanceof Error ? error.stack : String(error) })
      }
    },
  )
  process.on('disconnect', () => process.exit())
}
