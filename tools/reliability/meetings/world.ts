/** The processes of a program, the store they share, and the model of what must be in it. */

import { inspect } from 'node:util'
import {
  createCaller,
  type ItemRef,
  isVaultError,
  type KnownCaller,
  type VaultStore,
} from 'cofferkit'
import { secretStart } from './contents.js'
import { createDisk } from './disk.js'
import { DiskFailure, type Interruption } from './gate.js'
import { createLives, type Lives } from './lives.js'
import {
  type BegunStep,
  BrokenPromise,
  createModel,
  type Effects,
  type Ending,
  type Model,
} from './model.js'
import {
  type CommandStore,
  type Process,
  type Setup,
  type Surroundings,
  startProcess,
} from './process.js'
import { createProvider } from './provider.js'

/** A step as it is planned before it begins. */
export interface Plan {
  readonly effects: Effects
  /** Errors other than those of the library by which the call is refused. */
  readonly refusals?: new () => Error
  /** True if a call that is refused can have been carried out in part. */
  readonly isStepwise?: boolean
  /** False if it is no operation of a service. */
  readonly isRecorded?: boolean
  /** True if it can fail although nothing disturbs it. */
  readonly isUncertain?: boolean
  call(process: Process, caller: KnownCaller): Promise<unknown>
  /** True if the step has effects that no transaction can undo. */
  readonly cannotRollBack?: boolean
  /** Called if it is unknown whether the call was carried out. */
  unknown?(): void
  /** Called with the result of an acknowledged call that was not rolled back. */
  done?(result: unknown): void | Promise<void>
}

/** The stores of a world. */
export interface Ground {
  readonly store: VaultStore
  /** Where the key rings are, if they are not with the data. */
  readonly rings: VaultStore
  readonly commandStore?: CommandStore
}

/** How a step is disturbed. */
interface Disturbance {
  readonly interruption?: Interruption | undefined
  /** True if the statements of the step are in a transaction that is rolled back. */
  readonly isRolledBack?: boolean | undefined
  /** How the transaction ends that the service takes part in for this step, if it does. */
  readonly transaction?: 'COMMIT' | 'ROLLBACK' | undefined
}

/** A step that is paused, in the process of this number. */
interface PausedStep {
  readonly call: Promise<unknown>
  readonly finish: (call: Promise<unknown>) => Promise<void>
}

/** A world. */
export interface World extends Surroundings {
  readonly model: Model
  readonly lives: Lives
  /** The ids of vaults and items that steps can refer to. */
  readonly vaultIds: string[]
  readonly itemIds: string[]
  /** The ids of vaults that have existed. */
  readonly createdVaultIds: Set<string>
  /** The marks of items whose random ids are not known yet, by vault. */
  readonly strays: Map<string, Set<string>>
  /** The ids of the items of credentials, by their places. */
  readonly credentialIds: Map<string, string>
  /** Blobs that may have belonged to an item whose record was damaged, so nothing can delete them. */
  readonly lostBlobs: Set<string>
  /** The items of grants, by their places. */
  readonly grants: Map<string, ItemRef>
  /** The messages of the errors that services have reported to their operators. */
  readonly reported: string[]
  /** The callers of acknowledged and of refused steps, which the log must contain. */
  readonly recorded: Map<string, 'SUCCESS' | 'DENY'>
  /** The callers of steps whose transaction was rolled back: the log must not say that they succeeded. */
  readonly rolledBack: Set<string>
  readonly processes: Process[]
  /** How each step has ended, by its name. */
  readonly endings: (readonly [name: string, ending: Ending])[]
  isPaused(number: number): boolean
  restart(number: number): void
  /** Runs a step in the process of this number until it ends, is paused or is killed. */
  run(number: number, name: string, plan: Plan, disturbance: Disturbance): Promise<void>
  /** Ends the pause of a process, and waits for its step. */
  resume(number: number): Promise<void>
  /** Deletes everything in the stores. */
  wipe(): Promise<void>
  /** Returns a mark that no step has used. */
  nextMark(): string
}

const processCount = 3
const chosenVaultIds = ['acme', 'globex'].map((name) => name.padEnd(26, 'a'))
const chosenItemIds = ['stripe', 'openai'].map((name) => name.padEnd(26, 'b'))
/** The store calls of a step: some, and some for each record that was ever stored. */
const maxCalls = 80
const maxCallsPerRecord = 8

/** Creates a world with nothing in its stores. */
export function createWorld(setup: Setup, { store, rings, commandStore }: Ground): World {
  const model = createModel()
  const paused = new Map<number, PausedStep>()
  let count = 0
  const disk = createDisk(store)
  const ringDisk = createDisk(rings)
  const world: World = {
    setup,
    disk,
    rings: ringDisk.store.records,
    commandStore,
    isDenied: false,
    isInTransaction: false,
    transaction: undefined,
    elapsedMs: 0,
    model,
    lives: createLives(setup.history),
    vaultIds: [...chosenVaultIds],
    itemIds: [...chosenItemIds],
    createdVaultIds: new Set(),
    strays: new Map(),
    credentialIds: new Map(),
    lostBlobs: new Set(),
    grants: new Map(),
    broken: undefined,
    provider: createProvider((broken) => {
      world.broken ??= broken
    }),
    onError(error) {
      world.reported.push(String(error))
      if (isSilent(error)) return
      world.broken ??= new BrokenPromise('P3', 'an error for the operator contains a value')
    },
    reported: [],
    recorded: new Map(),
    rolledBack: new Set(),
    processes: [],
    endings: [],
    isPaused: (number) => paused.has(number),
    restart(number) {
      world.processes[number]?.gate.kill()
      world.processes[number] = startProcess(world, number)
    },
    async wipe() {
      for (const { gate } of world.processes) gate.kill()
      await disk.wipe()
      await ringDisk.wipe()
    },
    nextMark: () => `m${++count}`,

    async run(number, name, plan, { interruption, isRolledBack = false, transaction }) {
      const process = processOf(number)
      const caller = createCaller({ id: `step-${++count}`, vaults: '*' })
      const foreseen =
        interruption === undefined && !world.isDenied && !plan.isUncertain && !transaction
          ? model.foresee(plan.effects)
          : undefined
      const step = model.begin(plan.effects)
      const stopped = process.gate.begin(interruption)
      if (isRolledBack) {
        disk.begin()
        world.isInTransaction = true
      }
      if (transaction !== undefined) world.transaction = disk.openTransaction()
      const finish = async (call: Promise<unknown>): Promise<void> => {
        const result = await settle(call)
        process.gate.end()
        if (isRolledBack) {
          world.isInTransaction = false
          await disk.rollBack()
        }
        const isUndone = isRolledBack || (await endTransaction(transaction, result, caller))
        assertBoundedCalls(process.gate.calls)
        const ending = toEnding(plan, result, isUndone)
        assertForeseen(foreseen, ending, result)
        world.endings.push([name, ending])
        await end(plan, step, ending, result, caller)
      }
      const call = plan.call(transaction ? process.inTransaction() : process, caller)
      const how = await Promise.race([call.then(ended, ended), stopped])
      if (how === 'paused') paused.set(number, { call, finish })
      else if (how === 'ended') await finish(call)
      else {
        world.endings.push([name, 'unknown'])
        await end(plan, step, 'unknown', { isDone: false }, caller)
        world.restart(number)
      }
    },

    async resume(number) {
      const step = paused.get(number)
      if (step === undefined) return
      paused.delete(number)
      processOf(number).gate.resume()
      await step.finish(step.call)
    },
  }
  for (let number = 0; number < processCount; number++) world.restart(number)
  return world

  function processOf(number: number): Process {
    const process = world.processes[number]
    if (process === undefined) throw new RangeError(`there is no process ${number}`)
    return process
  }

  /** Commits or rolls back. Returns true if nothing of the step is left but what was refused. */
  async function endTransaction(
    how: Disturbance['transaction'],
    { isDone, error }: Settled,
    caller: KnownCaller,
  ): Promise<boolean> {
    const { transaction } = world
    world.transaction = undefined
    if (transaction === undefined || (isDone && how === 'COMMIT')) return false
    await transaction.rollBack()
    world.rolledBack.add(caller.id)
    return isDone || !isVaultError(error) || error.status >= 500
  }

  async function end(
    plan: Plan,
    step: BegunStep,
    ending: Ending,
    { value }: Settled,
    caller: KnownCaller,
  ): Promise<void> {
    model.end(step, ending)
    if (ending === 'done') await plan.done?.(value)
    if (ending === 'unknown') plan.unknown?.()
    if (!setup.hasLog || plan.isRecorded === false || ending === 'unknown' || ending === 'undone')
      return
    world.recorded.set(caller.id, ending === 'done' ? 'SUCCESS' : 'DENY')
  }

  function assertBoundedCalls(calls: number): void {
    if (calls > maxCalls + maxCallsPerRecord * disk.size)
      throw new BrokenPromise('P7', `a step made ${calls} store calls for ${disk.size} records`)
  }
}

interface Settled {
  readonly value?: unknown
  readonly error?: unknown
  readonly isDone: boolean
}

const ended = (): 'ended' => 'ended'

async function settle(call: Promise<unknown>): Promise<Settled> {
  try {
    return { value: await call, isDone: true }
  } catch (error) {
    if (error instanceof BrokenPromise) throw error
    assertSilent('an error', error)
    return { error, isDone: false }
  }
}

/** @throws BrokenPromise if a text or an object that anyone can read contains a secret value. */
export function assertSilent(name: string, value: unknown): void {
  if (!isSilent(value)) throw new BrokenPromise('P3', `${name} contains a value`)
}

function isSilent(value: unknown): boolean {
  const text = typeof value === 'string' ? value : inspect(value, { depth: 8, showHidden: true })
  return !text.includes(secretStart)
}

function toEnding(
  { refusals, isStepwise = false }: Plan,
  { isDone, error }: Settled,
  isRolledBack: boolean,
): Ending {
  if (isRolledBack) return 'undone'
  if (isDone) return 'done'
  if (refusals !== undefined && error instanceof refusals) return 'refused'
  if (error instanceof DiskFailure) return 'unknown'
  if (!isVaultError(error)) throw error
  return error.status < 500 && !isStepwise ? 'refused' : 'unknown'
}

/** @throws BrokenPromise if an undisturbed step has ended otherwise than it must. */
function assertForeseen(foreseen: boolean | undefined, ending: Ending, { error }: Settled): void {
  if (ending === 'undone') return
  if (foreseen === false && ending === 'done')
    throw new BrokenPromise('P2', 'a step was acknowledged that must be refused')
  if (foreseen === true && ending !== 'done')
    throw new BrokenPromise('P6', `a step fails that nothing disturbs: ${inspect(error)}`)
}
