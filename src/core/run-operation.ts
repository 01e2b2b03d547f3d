/** The only way to run an operation: authorizes, parses, records and traces the call. */

import { countCall } from '../base/open-calls.js'
import { isReservedId, reservedIdMessage } from '../base/reserved-id.js'
import { ForbiddenError, InvalidInputError, UnauthorizedError } from '../errors.js'
import { type FileRef, isId } from '../schema/ids.js'
import { parse } from '../schema/parse.js'
import { type Caller, isCaller, type Permission } from './access/caller.js'
import type { CallOptions } from './call-options.js'
import { targetOf } from './call-target.js'
import type { AnyOperation } from './define-operation.js'
import type { Call } from './operation/call.js'
import { rejectUnknown } from './reject-unknown.js'
import type { Context } from './runtime/context.js'
import { newId } from './runtime/random.js'

/** The permissions for a vault that gets a random id. */
const createPermissions = ['create'] as const

/**
 * Runs an operation. The checks run in the order of docs/contract.md: caller, ids, permissions,
 * input. With an activity log, the result is returned once it has been recorded.
 * @throws UnauthorizedError, InvalidInputError or ForbiddenError; ActivityUnavailableError (503) if
 * the call cannot be recorded; StorageUnavailableError (503) if the service is closed; and the
 * errors of the operation. The promise rejects with them; nothing is thrown synchronously.
 */
export async function runOperation<Result>(
  context: Context,
  operation: AnyOperation<Result>,
  caller: Caller | undefined,
  input: unknown,
  options?: CallOptions,
): Promise<Result> {
  /** Checks the call and runs the operation. Closing the service waits for it. */
  const run = (beginChange: Call['beginChange']): Promise<Result> =>
    countCall(context.calls, async () => {
      if (!isCaller(caller))
        throw new UnauthorizedError('the caller must be the result of createCaller')
      if (!isObject(input)) throw InvalidInputError.at('', 'the input must be an object')
      const ids = checkIds(context, operation, input)
      await authorize(operation, caller, ids)
      if (context.strict) rejectUnknown(operation, input)
      const parsed = parseInput(context, operation, ids, input)
      const look = context.encryptionCheck.beforeFirstCall()
      if (look !== undefined) await look
      const call: Call = {
        context,
        caller,
        beginChange,
        afterChange: toEmit(context, operation, caller),
        reportUnreadable: toReport(context, options),
      }
      // `AnyOperation` does not have the type of its input.
      return operation.run(call, parsed as never)
    })
  /** Records the call in the activity log. Closing the service waits for that, too. */
  const runRecorded = (): Promise<Result> => {
    const { activity, calls } = context
    if (activity === undefined) return run(async () => {})
    const recorder = activity.start(operation, isCaller(caller) ? caller : undefined, input)
    return countCall(calls, () => recorder.recordOutcome(run(recorder.recordChange)))
  }
  const { tracer } = context
  if (tracer === undefined || tracer.channel.hasSubscribers === false) return runRecorded()
  const callerId = isCaller(caller) ? { callerId: String(caller.id) } : {}
  return tracer.trace({ operation: operation.name, ...callerId, ...targetOf(input) }, runRecorded)
}

/** @throws ForbiddenError if the caller lacks a permission that the operation needs. */
async function authorize(
  { name, permissions }: AnyOperation,
  caller: Caller,
  { vaultId, itemId, isNewId }: CheckedIds,
): Promise<void> {
  if (vaultId === undefined) return
  const check = async (permission: Permission): Promise<boolean> =>
    // No item has a malformed id.
    (await caller.can(permission, vaultId, name, isId(itemId) ? itemId : undefined)) === true
  for (const permission of isNewId ? createPermissions : permissions)
    if (!(await check(permission))) throw await forbiddenError(vaultId, permission, check)
}

/** Returns the function that reports unreadable records, each once to the call itself. */
function toReport(
  { reportUnreadable }: Context,
  { onUnreadable }: CallOptions = {},
): Context['reportUnreadable'] {
  if (onUnreadable === undefined) return reportUnreadable
  const reported = new Set<string>()
  return (error) => {
    reportUnreadable(error)
    const { collection, id } = error.record
    const key = `${collection}/${id}`
    if (reported.has(key)) return
    reported.add(key)
    onUnreadable(error)
  }
}

/** Returns the function that emits the events of the changes of this call. */
function toEmit(
  { events, now }: Context,
  { name }: AnyOperation,
  caller: Caller,
): Call['afterChange'] {
  return (change) => {
    if (events.listeners.size === 0) return
    const [callerId, at] = [String(caller.id), now().toISOString()]
    events.emit({ ...change, operation: name, callerId, at })
  }
}

/** Returns the ids with the parsed members of the input. @throws InvalidInputError */
function parseInput(
  context: Context,
  { body, input: schema }: AnyOperation,
  ids: CheckedIds,
  input: Readonly<Record<string, unknown>>,
): object {
  return {
    ...ids,
    ...(schema && parse(schema, input)),
    ...(body && { [body.name]: parseBody(context, body, input[body.name], ids) }),
  }
}

/** Parses the body. @throws InvalidInputError at the body's name if the body itself is invalid. */
function parseBody(
  context: Context,
  { name, parse: parseMember }: NonNullable<AnyOperation['body']>,
  body: unknown,
  ids: CheckedIds,
): unknown {
  try {
    return parseMember(context, body, ids)
  } catch (error) {
    const [issue, ...others] = error instanceof InvalidInputError ? error.issues : []
    const isOfBody = issue?.path === '' && others.length === 0 && /^must /.test(issue.message)
    throw isOfBody ? InvalidInputError.at(name, issue.message) : error
  }
}

/** The ids in an input, by the target of its operation. */
type CheckedIds = Partial<FileRef> & { readonly isNewId?: boolean }

/**
 * Returns the ids in the input of the operation. A file's id must be a string, of any form.
 * @throws InvalidInputError with the contract's sentence for the first malformed id, in the order
 * vault, item, file; then if the id of a new vault or item is one that only the vault makes.
 */
function checkIds(
  context: Context,
  { target, allowsMalformedIds }: AnyOperation,
  input: Readonly<Record<string, unknown>>,
): CheckedIds {
  if (target === 'service') return {}
  const isNewId = target === 'newVault' && input['vaultId'] === undefined
  const vaultId = isNewId ? newId(context.randomBytes) : input['vaultId']
  const ids: { vaultId: unknown; itemId?: unknown; fileId?: unknown } = { vaultId }
  const isNewItem = target === 'newItem' && input['itemId'] !== undefined
  if (target === 'item' || target === 'file' || isNewItem) ids.itemId = input['itemId']
  if (target === 'file') ids.fileId = input['fileId']
  if (!allowsMalformedIds?.(context) || !areStrings(ids)) {
    if (!isId(vaultId)) throw malformedIdError('vaultId', 'Vault')
    if ('itemId' in ids && !isId(ids.itemId)) throw malformedIdError('itemId', 'Item')
    if (target === 'newVault' && !isNewId) assertNotReserved('vaultId', vaultId)
    if (isNewItem) assertNotReserved('itemId', ids.itemId)
    if ('fileId' in ids && typeof ids.fileId !== 'string')
      throw InvalidInputError.at('fileId', 'must be a string')
  }
  const checked = ids as Partial<FileRef>
  return target === 'newVault' ? { ...checked, isNewId } : checked
}

/** @throws InvalidInputError if only the vault makes such ids. */
function assertNotReserved(path: string, id: unknown): void {
  if (isReservedId(String(id))) throw InvalidInputError.at(path, reservedIdMessage)
}

function isObject(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
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
  vaultId: string,
  missing: Permission,
  check: (permission: Permission) => Promise<boolean>,
): Promise<ForbiddenError> {
  if (missing === 'create') return new ForbiddenError(vaultId, missing)
  const hasOther = await check(missing === 'read' ? 'write' : 'read')
  return new ForbiddenError(vaultId, hasOther ? missing : undefined)
}
