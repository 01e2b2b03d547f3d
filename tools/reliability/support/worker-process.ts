/** Processes of a check, each of which handles one request at a time. */

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A running process. */
export interface WorkerProcess<Request, Response> {
  /**
   * Resolves with the response. Rejects if the process fails or ends before that. The next request
   * can be sent when this one has ended.
   */
  request(request: Request): Promise<Response>
  /** Ends the process, and resolves when it has ended. */
  end(): Promise<void>
}

const flags = ['--import', new URL('../../scripts/register-sources.ts', import.meta.url).href]

type Reply<Response> = { readonly response: Response } | { readonly failure: string }

/** Starts a module that calls `handleRequests`. */
export function startWorker<Request, Response>(module: URL): WorkerProcess<Request, Response> {
  const child = fork(fileURLToPath(module), { serialization: 'advanced', execArgv: flags })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    request: (request) =>
      new Promise((resolve, reject) => {
        const fail = (): void => reject(new Error('a process of the check has ended'))
        child.once('exit', fail)
        child.once('message', (message) => {
          child.off('exit', fail)
          const reply = message as Reply<Response>
          if ('response' in reply) resolve(reply.response)
          else reject(new Error(reply.failure))
        })
        child.send(request as object)
      }),
    end() {
      if (child.connected) child.disconnect()
      return ended
    },
  }
}

/**
 * Handles every request of the parent process with `handle`. When the parent is gone, `close` is
 * called and the process ends.
 */
export function handleRequests<Request, Response>(
  handle: (request: Request) => Promise<Response>,
  close: () => Promise<void> = async () => {},
): void {
  process.on('message', async (request) => {
    const reply = await handle(request as Request).then(
      (response): Reply<Response> => ({ response }),
      (error: unknown): Reply<Response> => ({ failure: String(error) }),
    )
    process.send?.(reply)
  })
  process.once('disconnect', () => close().finally(() => process.exit()))
}
