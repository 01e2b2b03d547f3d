/** The only way to run an operation: authorizes, parses, records and traces the call. */

import { contractDialect } from '../dialects/contract.js'
import type { Dialect } from '../dialects/dialect.js'
import { ForbiddenError, InvalidInputError, UnauthorizedError } from '../errors.js'
import { closedError, countCall } from '../open-calls.js'
import { type FileRef, isId } from '../schema/ids.js'
import { parse } from '../schema/parse.js'
import { type Caller, isCaller, type Permission } from './access/caller.js'
import type { CallOptions } from './call-options.js'
import { targetOf } from './call-target.js'
import type { AnyOperation } from './define-operation.js'
import { rejectUnknown } from './reject-unknown.js'
import { runWithSignal } from './runtime/abort.js'
import type { ChangeHooks } from './runtime/change-hooks.js'
import type { Context } from './runtime/context.js'
import { newId } from './runtime/random.js'

/**
 * Runs an operation. The checks run in the order of docs/contract.md: caller, ids, permissions,
 * input. With an activity log, the result is returned once it has been recorded.
 * @param dialect - The dialect that formats the returned items. If it returns them as they are
 * stored, they can be without their fields; their JSON is complete.
 * @throws UnauthorizedError, InvalidInputError or ForbiddenError; ActivityUnavailableError (503) if
 * the call cannot be recorded; StorageUnavailableError (503) if the service is closed; and the errors
 * of the operation. Always as a rejection.
 */
export function runOperation<Result>(
  context: Context,
  operation: AnyOperation<Result>,
  caller: Caller | undefined,
  input: unknown,
  options?: CallOptions,
  dialect?: Dialect,
): Promise<Result> {
  const { activity, calls, tracer } = context
  const isTraced = tracer !== undefined && tracer.channel.hasSubscribers !== false
  if (activity === undefined && !isTraced)
    return checkAndRun(context, operation, caller, input, options, dialect)
  try {
    const run = (): Promise<Result> => {
      if (activity === undefined)
        return checkAndRun(context, operation, caller, input, options, dialect)
      const actor = isCaller(caller) ? caller : undefined
      const recorder = activity.start(operation, actor, input)
      const recorded = { ...context, beforeWrite: recorder.recordChange }
      return countCall(calls, () =>
        recorder.recordOutcome(checkAndRun(recorded, operation, caller, input, options, dialect)),
      )
    }
    if (!isTraced) return run()
    const callerId = isCaller(caller) ? { callerId: String(caller.id) } : {}
    return tracer.trace({ operation: operation.name, ...callerId, ...targetOf(input) }, run)
  } catch (error) {
    // A getter or a proxy of the caller or the input has thrown.
    return Promise.reject(error)
  }
}

/** The permissions for a vault that gets a random id. */
const createPermissions = ['create'] as const

async function checkAndRun<Result>(
  context: Context,
  operation: AnyOperation<Result>,
  caller: Caller | undefined,
  input: unknown,
  options?: CallOptions,
  dialect?: Dialect,
): Promise<Result> {
  const signal = options?.signal
  if (signal !== undefined)
    return runWithSignal(signal, context, (abortable) =>
      checkAndRun(abortable, operation, caller, input, undefined, dialect),
    )
  // Counted here and not by `countCall`, which would cost each call a function and a promise.
  const { calls } = context
  if (calls.closing !== undefined) throw closedError(calls)
  calls.count++
  try {
    if (!isCaller(caller)) throw new UnauthorizedError()
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      throw InvalidInputError.at('', 'the input must be an object')
    const members = input as Readonly<Record<string, unknown>>
    const ids = checkIds(context, operation, members)
    const { vaultId } = ids
    if (vaultId !== undefined) {
      const permissions = ids.isNewId ? createPermissions : operation.permissions
      for (const permission of permissions) {
        const isGranted = caller.can(permission, vaultId, operation.name)
        if (isGranted !== true && (await isGranted) !== true)
          throw await forbiddenError(caller, vaultId, permission, operation.name)
      }
    }
    if (context.strict) rejectUnknown(operation, members)
    const { beforeWrite, events, now } = context
    const hooks: ChangeHooks = {
      beforeWrite,
      afterWrite(change) {
        if (events.listeners.size === 0) return
        const [callerId, at] = [String(caller.id), now().toISOString()]
        events.emit({ ...change, operation: operation.name, callerId, at })
      },
    }
    const callContext = { ...context, hooks }
    const parsed: Record<string, unknown> = ids
    const { body } = operation
    if (body !== undefined) parsed[body.name] = body.parse(callContext, members[body.name], ids)
    if (operation.input !== undefined) Object.assign(parsed, parse(operation.input, members))
    const textOnly = dialect?.formatItem === contractDialect.formatItem
    // `AnyOperation` does not have the type of its input.
    return await operation.run({ context: callContext, caller, textOnly }, parsed as never)
  } finally {
    if (--calls.count === 0) calls.onIdle?.()
  }
}

/**
 * Returns the ids in the input of the operation. A file's id must be a string, of any form.
 * @throws InvalidInputError with the contract's sentence for the first malformed id, in the order
 * vault, item, file.
 */
function checkIds(
  context: Context,
  { target, allowsMalformedIds }: AnyOperation,
  input: Readonly<Record<string, unknown>>,
): Partial<FileRef> & { readonly isNewId?: boolean } {
  if (target === 'service') return {}
  const isNewId = target === 'newVault' && input['vaultId'] === undefined
  const vaultId = isNewId ? newId(context.randomBytes) : input['vaultId']
  const ids: { vaultId: unknown; itemId?: unknown; fileId?: unknown } = { vaultId }
  if (target === 'item' || target === 'file') ids.itemId = input['itemId']
  if (target === 'file') ids.fileId = input['fileId']
  if (!allowsMalformedIds?.(context) || !areStrings(ids)) {
    if (!isId(vaultId)) throw malformedIdError('vaultId', 'Vault')
    if ('itemId' in ids && !isId(ids.itemId)) throw malformedIdError('itemId', 'Item')
    if ('fileId' in ids && typeof ids.fileId !== 'string')
      throw InvalidInputError.at('fileId', 'must be a string')
  }
  const checked = ids as Partial<FileRef>
  return target === 'newVault' ? { ...checked, isNewId } : checked
}

function areStrings(ids: object): boolean {
  return Object.values(ids).every((id) => typeof id === 'string')
}

function malformedIdError(path: string, resource: string): InvalidInputError {
  const message = 'must be 26 characters of a-z and 0-9'
  return InvalidInputError.at(path, message, `Invalid ${resource} UUID`)
}

/**
 * Returns the error for a missing permission. It names the permission only if the caller has the
 * other one.
 */
async function forbiddenError(
  caller: Caller,
  vaultId: string,
  missing: Permission,
  operation: string,
): Promise<ForbiddenError> {
  if (missing === 'create') return new ForbiddenError(vaultId, missing)
  const other = missing === 'read' ? 'write' : 'read'
  const hasOther = (await caller.can(other, vaultId, operation)) === true
  return new ForbiddenError(vaultId, hasOther ? missing : undefined)
}
