/** Signals processes that this one has not started itself. Linux only. */

import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Kills a process and its descendants with SIGKILL, and resolves when all have ended. */
export async function killTree(pid: number): Promise<void> {
  for (const each of signalTree(pid)) while (isAlive(each)) await pause(5)
}

/** Kills a process and its descendants with SIGKILL. Returns their ids. */
export function signalTree(pid: number): readonly number[] {
  // A process that is stopped starts no more children.
  sendSignal(pid, 'SIGSTOP')
  const pids = [...childrenOf(pid).flatMap(signalTree), pid]
  sendSignal(pid, 'SIGKILL')
  return pids
}

/** Sends a signal. Does nothing if the process has ended. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}

/** The living children of a process (proc(5)). Empty if it has ended. */
export function childrenOf(pid: number): readonly number[] {
  return readProcess(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number)
}

/** The program and the parameters of a process, separated by spaces. Empty if it has ended. */
export function commandOf(pid: number): string {
  return readProcess(pid, 'cmdline').replaceAll('\0', ' ')
}

/** True if the process still holds resources, which a zombie does not. */
export function isAlive(pid: number): boolean {
  return /\) [^ZX] /.test(readProcess(pid, 'stat'))
}

/** Empty if the process does not exist. */
function readProcess(pid: number, name: string): string {
  const file = `/proc/${pid}/${name}`
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}
