/** Processes of the bench's own, one question and one answer at a time. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts `script`, which uses `answerParent`. `ask` resolves with its answer, `stop` when it has ended. */
export function startChild(script, args, execArgv = []) {
  const env = { ...process.env, NODE_ENV: 'production' }
  const child = fork(fileURLToPath(script), args, { execArgv, env })
  const ended = once(child, 'exit')
  const ask = (question, told) =>
    new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`${args[0]} ended before it answered`))
      child.once('exit', fail)
      child.once('message', ({ answer, error }) => {
        child.off('exit', fail)
        if (error === undefined) resolve(answer)
        else reject(new Error(error))
      })
      child.send({ question, told })
    })
  const stop = async () => {
    if (child.connected) child.disconnect()
    await ended
  }
  return { ask, stop }
}

/** Answers the parent's questions with these functions, and ends when the parent is gone. */
export function answerParent(answers) {
  process.on('message', async ({ question, told }) => {
    try {
      process.send({ answer: await answers[question](told) })
    } catch (error) {
      process.send({ error: error.stack })
    }
  })
  process.on('disconnect', () => process.exit())
}
