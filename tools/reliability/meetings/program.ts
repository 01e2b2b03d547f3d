/** Programs: what happens in a world, one thing after another. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { findEngine } from '../support/stores.js'
import { check, checkLog } from './check.js'
import { commandSteps } from './command-steps.js'
import { coreSteps, type Planner } from './core-steps.js'
import { credentialSteps } from './credential-steps.js'
import { events } from './events.js'
import type { Interruption } from './gate.js'
import { keySteps } from './key-steps.js'
import type { Ending } from './model.js'
import { type CommandStore, keyBytes, type Setup } from './process.js'
import { createWorld, type Ground, type World } from './world.js'

const steps = { ...coreSteps, ...keySteps, ...credentialSteps, ...commandSteps }

/** The steps of operations that can be part of a transaction. */
const joining: ReadonlySet<string> = new Set<keyof typeof steps>([
  ...(['createVault', 'createVaultWithRandomId', 'createItem', 'createItemWithRandomId'] as const),
  ...([
    'createItemTooLate',
    'replaceItem',
    'replaceDamagedItem',
    'patchItem',
    'restoreVersion',
  ] as const),
  ...(['moveToTrash', 'takeFromTrash', 'deleteItem', 'removeFile'] as const),
  ...(['saveCredential', 'removeCredential'] as const),
])

/** The names of all steps. */
export const stepNames: readonly string[] = Object.keys(steps)

/** How often each step has ended how, in all worlds. */
export const reached = new Map<string, Record<Ending, number>>()

/** The name of a step or an event. */
type ActName = keyof typeof steps | keyof typeof events

/** One thing that happens. Numbers count around in the lists that they refer to. */
export interface Act {
  readonly do: ActName
  /** The process that does it. */
  readonly by: number
  readonly vault: number
  readonly item: number
  /** The step is disturbed. */
  readonly interrupt?: Interruption
  /** The statements of the step are in a transaction that is rolled back. */
  readonly rollBack?: true
  /** The service takes part in a transaction of the embedder's for the step, which ends like this. */
  readonly transaction?: 'COMMIT' | 'ROLLBACK'
}

/** A program, and where it runs. */
export interface Program {
  readonly setup: Setup
  readonly acts: readonly Act[]
}

/** Runs a program on new stores of this engine. @throws BrokenPromise */
export async function runProgram(engineName: string, program: Program): Promise<void> {
  await withGround(engineName, (ground) => runOn(ground, program))
}

/** Runs a program on stores that are empty, and are empty again afterwards. @throws BrokenPromise */
export async function runOn(ground: Ground, { setup, acts }: Program): Promise<void> {
  const world = createWorld(setup, ground)
  try {
    for (const act of acts) await runAct(world, act)
    await finish(world)
  } finally {
    for (const [name, ending] of world.endings) {
      const counts = reached.get(name) ?? { done: 0, refused: 0, unknown: 0, undone: 0 }
      counts[ending]++
      reached.set(name, counts)
    }
    await world.wipe()
  }
}

/** Calls `work` with new stores of this engine. */
export async function withGround<Result>(
  engineName: string,
  work: (ground: Ground) => Promise<Result>,
): Promise<Result> {
  const engine = findEngine(engineName)
  const [location, ringLocation] = [await engine.create(), await engine.create()]
  const connection = await engine.connect(location.address)
  const rings = await engine.connect(ringLocation.address)
  const commandStore = engineName === 'sqlite' ? await createCommandStore(location) : undefined
  const ground = {
    store: connection.store,
    rings: rings.store,
    ...(commandStore && { commandStore }),
  }
  try {
    return await work(ground)
  } finally {
    await connection.close()
    await rings.close()
    await location.remove()
    await ringLocation.remove()
  }
}

async function createCommandStore({ address: folder }: { address: string }): Promise<CommandStore> {
  const keyFile = join(folder, 'vault.key')
  await writeFile(keyFile, keyBytes, { mode: 0o600 })
  return { address: `sqlite:${join(folder, 'vault.sqlite')}`, keyFile }
}

/** Returns false if the act has nothing to do in this world. */
function canRun(world: World, act: Act): boolean {
  if (act.do in events) return true
  if (world.isPaused(act.by)) return false
  const isRunning = world.processes.some((_, number) => world.isPaused(number))
  return !((act.rollBack || act.transaction) && isRunning)
}

/** Runs an act, and checks the promises after it. @throws BrokenPromise */
async function runAct(world: World, act: Act): Promise<void> {
  if (!canRun(world, act)) return
  const { vaultIds, itemIds } = world
  const target = {
    world,
    by: act.by,
    vaultId: vaultIds[act.vault % vaultIds.length] ?? '',
    itemId: itemIds[act.item % itemIds.length] ?? '',
  }
  if (isEvent(act.do)) await events[act.do](target)
  else {
    const planner: Planner = steps[act.do]
    const plan = planner(target)
    const { interrupt: interruption, rollBack: isRolledBack } = act
    const transaction = joining.has(act.do) ? act.transaction : undefined
    if (plan === undefined || (isRolledBack && plan.cannotRollBack)) return
    await world.run(act.by, act.do, plan, { interruption, isRolledBack, transaction })
  }
  await check(world)
}

function isEvent(name: ActName): name is keyof typeof events {
  return name in events
}

/** Resumes what is paused, allows what is denied, and checks everything once more. */
async function finish(world: World): Promise<void> {
  world.isDenied = false
  for (const number of world.processes.keys()) await world.resume(number)
  await check(world)
  await checkLog(world)
}

/** Acts that make everything that other steps need. */
const beginning: readonly Act[] = [
  { do: 'createVault', by: 0, vault: 0, item: 0 },
  { do: 'createItem', by: 0, vault: 0, item: 0 },
  { do: 'replaceItem', by: 1, vault: 0, item: 0 },
  { do: 'attachFile', by: 0, vault: 0, item: 0 },
  { do: 'saveCredential', by: 0, vault: 0, item: 0 },
  { do: 'saveGrant', by: 1, vault: 0, item: 0 },
]

/** Acts after which ids that the vault has made belong to nothing any more. */
const beginningWithRandomIds: readonly Act[] = [
  { do: 'createVault', by: 0, vault: 0, item: 0 },
  { do: 'createItemWithRandomId', by: 0, vault: 0, item: 0 },
  { do: 'replaceItem', by: 1, vault: 0, item: 2 },
  { do: 'deleteItem', by: 0, vault: 0, item: 2 },
  { do: 'createVaultWithRandomId', by: 0, vault: 0, item: 0 },
  { do: 'createItem', by: 1, vault: 2, item: 0 },
  { do: 'deleteVault', by: 0, vault: 2, item: 0 },
]
const beginnings = [
  ...[[], beginningWithRandomIds],
  ...[beginning, beginning, beginning, beginning, beginning, beginning],
] as const

const names = [...Object.keys(steps), ...Object.keys(events)] as ActName[]
/** Steps that others need to have anything to do. */
const frequentNames: readonly ActName[] = [
  ...(['createVault', 'deleteVault', 'eraseKeys', 'createItem', 'replaceItem'] as const),
  ...(['deleteItem', 'restoreVersion', 'attachFile', 'removeFile', 'saveCredential'] as const),
  ...(['damage', 'replaceDamagedItem', 'damageCredential'] as const),
]
const interruption: fc.Arbitrary<Interruption> = fc.record({
  kind: fc.constantFrom('fail', 'kill', 'pause'),
  call: fc.integer({ min: 1, max: 14 }),
  side: fc.constantFrom('before', 'after'),
})

/** Any act. */
const anyAct: fc.Arbitrary<Act> = fc
  .record({
    do: fc.oneof(fc.constantFrom(...names), fc.constantFrom(...frequentNames)),
    by: fc.nat(2),
    vault: fc.constantFrom(0, 0, 0, 1, 2),
    item: fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 4),
    disturbance: fc.oneof(
      { weight: 6, arbitrary: fc.constant({}) },
      { weight: 4, arbitrary: interruption.map((interrupt) => ({ interrupt })) },
      { weight: 1, arbitrary: fc.constant({ rollBack: true } as const) },
      {
        weight: 2,
        arbitrary: fc.record({ transaction: fc.constantFrom('COMMIT', 'ROLLBACK') }),
      },
    ),
  })
  .map(({ disturbance, ...act }) => (act.do in events ? act : { ...act, ...disturbance }))

/** Any way to set up the processes. */
export const anySetup: fc.Arbitrary<Setup> = fc.record({
  keyRings: fc.constantFrom(undefined, 'with the data', 'elsewhere'),
  history: fc.constantFrom(0, 2),
  hasLog: fc.boolean(),
})

/** Any list of acts. */
export const anyActs: fc.Arbitrary<readonly Act[]> = fc
  .tuple(
    fc.constantFrom(...beginnings),
    fc.array(anyAct, { minLength: 3, maxLength: 14, size: 'max' }),
  )
  .map(([first, acts]) => [...first, ...acts])
