/**
 * Counts what one PATCH passes and allocates from socket to store, in the sources of this checkout.
 * Nothing depends on time or on the names of internal functions and files, so that two checkouts
 * can be compared.
 *
 *     node --import ./scripts/register-sources.ts bench/request-path.ts [--check] [--list]
 *
 * `--check` exits with 1 if an aim is missed. `--list` also prints the files with their functions,
 * and the members of each copy.
 *
 * The PATCH has two operations on an item of three fields. It is sent to `createNodeListener` on
 * `node:http`, with static tokens, a memory store, no log and no tracer. Ten such calls warm up:
 * nothing is compiled, hashed or cached for the first time.
 *
 * - *Files passed*: files in `src/` of which at least one function runs between the arrival of the
 *   request and the end of its response.
 * - *Distinct functions*: functions, methods and closures in the text of these files, named or
 *   anonymous, that run at least once, by V8's precise coverage. A function counts once, however
 *   often it runs and however many closures are created from its text.
 * - *Promises*: all promises that one call of the HTTP handler causes, directly or indirectly,
 *   until it resolves, in whatever module. The body of its request has already arrived. They are
 *   counted by `async_hooks`, which includes the promise that V8 creates for its own use at each
 *   `await`.
 * - *Copies of the item*: an object is an item if it has an own member `fields`, a list of the
 *   three fields. The first such object is the stored item after parsing. Every further one is a
 *   copy, shallow or deep, intermediate or returned. A list of the three fields that belongs to no
 *   such object is a copy too. An object that is changed in place stays one object. Only values
 *   that code in `src/` creates or uses are counted, not what a library creates and drops
 *   internally. Texts that contain the item, as strings or bytes, are no copies. Their number is
 *   printed beside, equal strings once.
 */

import { AsyncResource, createHook, executionAsyncId } from 'node:async_hooks'
import { Session } from 'node:inspector/promises'
import { watchValues } from './request-path/watch-values.js'

const source = new URL('../src/', import.meta.url)
const watch = watchValues(source)
const { fieldIds, requireOk, startPatchServer } = await import('./request-path/one-patch.js')

const server = await startPatchServer()
for (let call = 0; call < 10; call++) {
  await server.send()
  requireOk((await server.prepare()()).status)
}
const functions = await findFunctions(server.send)
const created = await countAsync(server.prepare())
watch.start()
await server.send()
const { copies, texts } = findCopies(watch.stop())
server.close()

const figures = [
  { name: 'files passed', figure: functions.size, aim: 30, note: '' },
  { name: 'distinct functions', figure: [...functions.values()].flat().length, aim: 90, note: '' },
  {
    name: 'promises',
    figure: created.get('PROMISE') ?? 0,
    aim: 30,
    note: `and ${created.get('Timeout') ?? 0} timers`,
  },
  { name: 'copies of the item', figure: copies.length, aim: 4, note: `and ${texts} texts` },
]

console.log('\nOne PATCH from socket to store\n')
for (const { name, figure, aim, note } of figures) {
  const verdict = figure <= aim ? 'met' : 'MISSED'
  const columns = [name.padEnd(18), `${figure}`.padStart(4), `<= ${aim}`, verdict.padEnd(6), note]
  console.log(columns.join('  ').trimEnd())
}
if (process.argv.includes('--list')) {
  console.log('\nFunctions\n')
  for (const [path, names] of functions) console.log(`${path}: ${names.join(' ')}`)
  console.log('\nCopies, by their members\n')
  for (const copy of copies) console.log(Object.keys(Object(copy)).join(' '))
}
if (process.argv.includes('--check') && figures.some(({ figure, aim }) => figure > aim))
  process.exitCode = 1

/** Names of the functions that ran during `work`, by the path of their file. */
async function findFunctions(work: () => Promise<void>): Promise<Map<string, string[]>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await work()
  // Taking the counts resets them.
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const found = new Map<string, string[]>()
  for (const script of result) {
    if (!script.url.startsWith(source.href)) continue
    const ran = script.functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0))
    const names = ran.map(({ functionName }) => functionName || '(anonymous)')
    if (names.length > 0) found.set(script.url.slice(source.href.length), names)
  }
  return found
}

/** Numbers of the async resources that `work` causes, directly or indirectly, by type. */
async function countAsync(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const scope = new AsyncResource('Patch')
  const caused = new Set([scope.asyncId()])
  const counts = new Map<string, number>()
  const hook = createHook({
    init(asyncId, type) {
      if (!caused.has(executionAsyncId())) return
      caused.add(asyncId)
      counts.set(type, (counts.get(type) ?? 0) + 1)
    },
  })
  hook.enable()
  await scope.runInAsyncScope(work)
  hook.disable()
  return counts
}

/** Finds the copies of the item among `values`, and the number of texts that contain it. */
function findCopies(values: ReadonlySet<unknown>): { copies: unknown[]; texts: number } {
  // Members too: of a result such as `{ item }`, only the outer object may have been collected.
  const reached = new Set([...values].flatMap((value) => [value, ...listMembers(value)]))
  const items = [...reached].filter((value) => isFieldList(member(value, 'fields')))
  if (items.length === 0) throw new Error('no item was collected')
  const owned = new Set(items.map((item) => member(item, 'fields')))
  const lists = [...reached].filter((value) => isFieldList(value) && !owned.has(value))
  const texts = [...reached].filter((value) => {
    const text = value instanceof Uint8Array ? Buffer.from(value).toString() : value
    return typeof text === 'string' && fieldIds.every((id) => text.includes(id))
  })
  return { copies: [...items, ...lists].slice(1), texts: texts.length }
}

/** True for an array that contains the three fields. */
function isFieldList(value: unknown): boolean {
  if (!Array.isArray(value)) return false
  const ids = new Set(value.map((field) => member(field, 'id')))
  return fieldIds.every((id) => ids.has(id))
}

/** The values of all own members. */
function listMembers(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return []
  return Object.keys(value).map((name) => member(value, name))
}

/** The value of an own member. A getter is not called. */
function member(value: unknown, name: string): unknown {
  return Object.getOwnPropertyDescriptor(Object(value), name)?.value
}
