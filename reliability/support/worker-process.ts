/** Processes of a proof, which are asked and answer. */

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A process that answers each question it is asked. */
export interface WorkerProcess<Question, Answer> {
  /** Resolves with its answer. Rejects if it fails or ends before. One question at a time. */
  ask(question: Question): Promise<Answer>
  /** Ends it, and resolves when it has. */
  end(): Promise<void>
}

const flags = ['--import', new URL('../../scripts/register-sources.ts', import.meta.url).href]

type Reply<Answer> = { readonly answer: Answer } | { readonly failure: string }

/** Starts a module, which calls `handleRequests`, as a process of its own. */
export function startWorker<Question, Answer>(module: URL): WorkerProcess<Question, Answer> {
  const child = fork(fileURLToPath(module), { serialization: 'advanced', execArgv: flags })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        const left = (): void => reject(new Error('a process of the proof has ended'))
        child.once('exit', left)
        child.once('message', (reply) => {
          child.off('exit', left)
          const told = reply as Reply<Answer>
          if ('answer' in told) resolve(told.answer)
          else reject(new Error(told.failure))
        })
        child.send(question as object)
      }),
    end() {
      if (child.connected) child.disconnect()
      return ended
    },
  }
}

/** In such a process: answers every question until the process that asks is gone, and then does what is left to do. */
export function handleRequests<Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
  leave: () => Promise<void> = async () => {},
): void {
  process.on('message', async (question) => {
    const reply = await answer(question as Question).then(
      (told): Reply<Answer> => ({ answer: told }),
      (error: unknown): Reply<Answer> => ({ failure: String(error) }),
    )
    process.send?.(reply)
  })
  process.once('disconnect', () => leave().finally(() => process.exit()))
}
