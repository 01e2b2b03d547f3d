/** Starts writers on a file, kills them all, and adds their reports to the journal. */

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { addReport, type Journal, type Report } from './journal.js'
import type { WriterOptions } from './writer-process.js'

/** The moment at which the writers are killed. */
export interface Moment {
  /** Milliseconds. */
  readonly after: number
  /** Counted from when all writers are ready, or from when they are started. */
  readonly from: 'ready' | 'start'
}

/** Resolves when all writers are dead and all their reports are in the journal. */
export async function killWriters(
  program: string,
  options: readonly WriterOptions[],
  journal: Journal,
  moment: Moment,
): Promise<void> {
  const writers = options.map((each) => startWriter(program, each, journal))
  if (moment.from === 'ready') await Promise.all(writers.map(({ ready }) => ready))
  await sleep(moment.after)
  for (const { process } of writers) process.kill('SIGKILL')
  await Promise.all(writers.map(({ ended }) => ended))
}

interface Writer {
  readonly process: ChildProcess
  readonly ready: Promise<void>
  readonly ended: Promise<void>
}

function startWriter(program: string, options: WriterOptions, journal: Journal): Writer {
  const writer = spawn(process.execPath, ['--no-warnings', program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: writer.stdout })
  const ready = new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      const report: Report = JSON.parse(line)
      addReport(journal, report)
      if (report === 'ready') resolve()
    })
    writer.once('exit', () => reject(new Error('a writer ended before it was ready')))
  })
  ready.catch(() => {})
  const reported = new Promise<void>((resolve) => lines.once('close', resolve))
  const killed = new Promise<void>((resolve, reject) => {
    writer.once('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve()
      else reject(new Error(`a writer ended by itself with ${code}`))
    })
  })
  return { process: writer, ready, ended: Promise.all([reported, killed]).then(() => {}) }
}
