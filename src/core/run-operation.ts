/** The only way to run an operation: checks, parses, records and traces the call. */

import { InvalidInputError, UnauthorizedError } from '../errors.js'
import type { FileRef } from '../schema/ids.js'
import { parse } from '../schema/parse.js'
import { assertIds, authorize } from './access/authorize.js'
import { type Caller, isCaller } from './access/caller.js'
import {
  type ActivityRecorder,
  createActivityRecorder,
  targetOf,
} from './activity/activity-recorder.js'
import type { AnyOperation } from './define-operation.js'
import type { ChangeHooks } from './runtime/change-hooks.js'
import type { Context } from './runtime/context.js'
import { newId } from './runtime/random.js'

/**
 * Runs an operation. The checks have the contract's order (section 5): caller, ids, permissions, input. With an activity
 * log, the result is returned once it has been recorded.
 * @throws UnauthorizedError, InvalidInputError or ForbiddenError; StorageError of 503 if the call cannot be recorded; and
 * the errors of the operation. Never throws synchronously.
 */
export function runOperation<Result>(
  context: Context,
  operation: AnyOperation<Result>,
  caller: Caller | undefined,
  input: unknown,
): Promise<Result> {
  try {
    if (!context.tracer?.hasSubscribers()) return runRecorded(context, operation, caller, input)
    const callerId = isCaller(caller) ? { callerId: String(caller.id) } : {}
    const message = { operation: operation.name, ...callerId, ...targetOf(input) }
    return context.tracer.trace(message, () => runRecorded(context, operation, caller, input))
  } catch (error) {
    // A getter or a proxy of the caller can throw.
    return Promise.reject(error)
  }
}

function runRecorded<Result>(
  context: Context,
  operation: AnyOperation<Result>,
  caller: Caller | undefined,
  input: unknown,
): Promise<Result> {
  const { activity } = context
  if (activity === undefined) return runWithHooks(context, operation, caller, input)
  const actor = isCaller(caller) ? caller : undefined
  const recorder = createActivityRecorder(context, activity, operation, actor, input)
  return recordResult(recorder, runWithHooks(context, operation, caller, input, recorder))
}

/** Resolves with the result after it has been recorded. A result that cannot be recorded is not returned. */
async function recordResult<Result>(
  recorder: ActivityRecorder,
  call: Promise<Result>,
): Promise<Result> {
  const result = await call.catch(async (error) => {
    await recorder.recordFailure(error)
    throw error
  })
  await recorder.recordResult(result).catch((error) => {
    contentOf(result)
      ?.cancel()
      .catch(() => {})
    throw error
  })
  return result
}

function contentOf(result: unknown): ReadableStream | undefined {
  const content: unknown = Reflect.get(Object(result), 'content')
  return content instanceof ReadableStream ? content : undefined
}

async function runWithHooks<Result>(
  service: Context,
  operation: AnyOperation<Result>,
  caller: Caller | undefined,
  input: unknown,
  recorder?: ActivityRecorder,
): Promise<Result> {
  if (!isCaller(caller)) throw new UnauthorizedError()
  if (!isObject(input)) throw InvalidInputError.at('', 'the input must be an object')
  const context = { ...service, hooks: createHooks(service, operation.name, caller, recorder) }
  const parsed: Record<string, unknown> & Partial<FileRef> = idsOf(context, operation, input)
  if (parsed.vaultId !== undefined) await authorize(caller, parsed.vaultId, operation.permissions)
  const { body } = operation
  if (body !== undefined) parsed[body.name] = body.parse(context, input[body.name], parsed)
  if (operation.input !== undefined) Object.assign(parsed, parse(operation.input, input))
  // The compiler knows the input of each operation, but not that of any operation.
  return operation.run({ context, caller }, parsed as never)
}

function isObject(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}

/** The ids that the operation's target has. @throws InvalidInputError if one is malformed and must not be. */
function idsOf(
  context: Context,
  { target, allowsMalformedIds }: AnyOperation,
  input: Readonly<Record<string, unknown>>,
): Partial<FileRef> & { isNewId?: boolean } {
  if (target === 'service') return {}
  const { vaultId = target === 'newVault' ? newId(context.randomBytes) : undefined } = input
  const ids: Record<string, unknown> = { vaultId }
  if (target === 'item' || target === 'file') ids['itemId'] = input['itemId']
  if (target === 'file') ids['fileId'] = input['fileId']
  if (!allowsMalformedIds?.(context) || !areStrings(ids)) assertIds(ids)
  return target === 'newVault' ? { ...ids, isNewId: input['vaultId'] === undefined } : ids
}

function areStrings(ids: Readonly<Record<string, unknown>>): boolean {
  return Object.values(ids).every((id) => typeof id === 'string')
}

function createHooks(
  { events, now }: Context,
  operation: string,
  caller: Caller,
  recorder: ActivityRecorder | undefined,
): ChangeHooks {
  return {
    ...(recorder && { beforeWrite: (change) => recorder.recordChange(change) }),
    afterWrite(change) {
      if (!events.hasListeners()) return
      const [callerId, at] = [String(caller.id), now().toISOString()]
      events.emit({ ...change, operation, callerId, at })
    },
  }
}
