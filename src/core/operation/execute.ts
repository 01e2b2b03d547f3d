/**
 * Every call of an operation goes through here: it is authenticated, authorized, read, parsed,
 * recorded and traced.
 */

import { isBareObject, problemOf } from '../../base/argument.js'
import { countCall } from '../../base/open-calls.js'
import { isReservedId, reservedIdMessage } from '../../base/reserved-id.js'
import { type DecryptionError, InvalidInputError } from '../../errors.js'
import type { RecordedCredential } from '../../schema/activity-entry.js'
import type { FileRef } from '../../schema/ids.js'
import { isId } from '../../schema/is-id.js'
import { parse } from '../../schema/parse.js'
import {
  assertNotExpired,
  type Caller,
  type ClientInfo,
  isCaller,
  type KnownCaller,
} from '../access/caller.js'
import type { ActivityRecorder } from '../runtime/activity-log.js'
import type { Context } from '../runtime/context.js'
import { newId } from '../runtime/random.js'
import { runAround } from './around.js'
import { authorize } from './authorize.js'
import type { Call } from './call.js'
import { type CallTarget, targetOf } from './call-target.js'
import type { AnyOperation } from './define-operation.js'
import { rejectUnknown } from './reject-unknown.js'

/** A call of an operation: who makes it, and how its input is read. */
export interface CallRequest {
  /**
   * An object with the ids in the input, which are checked before the input is read. In process
   * this is the input itself.
   */
  readonly ids: unknown
  /** The client of a call over HTTP. Not set for a call in process. */
  readonly client?: ClientInfo | undefined
  /** The credential that the call is about, for the activity log. */
  readonly credential?: RecordedCredential | undefined
  /** True if the input is the operation's `ownInput`. Default: false. */
  readonly isOwn?: true
  /**
   * Returns the caller. Called first, once.
   * @throws The error of the call if the caller is unknown, or cannot be determined.
   */
  login(): KnownCaller | Promise<KnownCaller>
  /**
   * Returns the input, with its ids. Called once, if the caller has the permissions.
   * @throws The error of the call if the input cannot be read.
   */
  readInput(): unknown
  /** Called once with the error of each unreadable record that is left out. */
  readonly onUnreadable?: ((error: DecryptionError) => void) | undefined
  /**
   * Called by `listVaults`: true if the caller can create vaults. If it is not set, the caller is
   * not asked.
   */
  readonly onCanCreate?: ((canCreate: boolean) => void) | undefined
}

/** The permissions for a vault that gets a random id. */
const createPermissions = ['create'] as const

/**
 * Executes an operation. The checks run in the order of docs/contract.md: caller, `around`, ids,
 * permissions, input. If there is an activity log, the result is returned once it has been
 * recorded. A call of an operation without `activity` has no entry and no trace, and is not passed
 * to `around`.
 * @returns The result of the operation, with items and contents in their stored form.
 * @throws UnauthorizedError, InvalidInputError or ForbiddenError, and the errors of the request and
 * of the operation. Nothing is thrown synchronously.
 * @throws ActivityUnavailableError (503) if the call cannot be recorded.
 * @throws StorageUnavailableError (503) if the service is closed.
 */
export async function execute<Result>(
  context: Context,
  operation: AnyOperation<Result>,
  request: CallRequest,
): Promise<Result> {
  const { calls, tracer } = context
  const target = targetOf(request.ids)
  const isRecorded = operation.activity !== undefined
  const isTraced = isRecorded && tracer?.isObserved() === true
  const started: StartedCall<Result> = {
    ...{ context, operation, request, target, isRecorded },
    trace: isTraced ? { operation: operation.name, ...target, ...toTraced(request) } : undefined,
    recorder: startRecorder(context, operation, request, target),
  }
  const { trace } = started
  /** Closing the service waits for the call and for its entry in the activity log. */
  const settle = () => countCall(calls, () => record(started))
  return trace === undefined || tracer === undefined ? settle() : tracer.trace(trace, settle)
}

/** Returns what a trace contains about the client of a call over HTTP. */
function toTraced({ client }: CallRequest): Pick<ClientInfo, 'requestId' | 'traceparent'> {
  const { requestId, traceparent } = client ?? {}
  return {
    ...(requestId !== undefined && { requestId }),
    ...(traceparent !== undefined && { traceparent }),
  }
}

/** A call, and what observes it. */
interface StartedCall<Result> {
  readonly context: Context
  readonly operation: AnyOperation<Result>
  readonly request: CallRequest
  readonly target: CallTarget
  /** True if the operation has `activity`. */
  readonly isRecorded: boolean
  /** The message of its trace, if it is traced. */
  readonly trace: { readonly operation: string; callerId?: string } | undefined
  /** The recorder of the activity log, if there is one. */
  readonly recorder: ActivityRecorder | undefined
}

/** Returns the recorder of a call, if it is recorded. */
function startRecorder(
  { activity }: Context,
  { name, target, activity: recorded }: AnyOperation,
  { ids, client, credential }: Pick<CallRequest, 'ids' | 'client' | 'credential'>,
  ref: CallTarget,
): ActivityRecorder | undefined {
  if (activity === undefined || recorded === undefined) return undefined
  return activity.start({
    operation: { name, target, activity: recorded },
    ...{ ids, ref, client, credential },
  })
}

/** A call that is refused before it can be executed. */
export interface RefusedCall extends Pick<CallRequest, 'ids' | 'client' | 'credential'> {
  /** Undefined if the caller is unknown. */
  readonly caller?: Caller | undefined
}

/**
 * Records a call that is refused before it can be executed, such as one whose login fails.
 * @throws `error`, or ActivityUnavailableError (503) if the refusal cannot be recorded.
 */
export async function refuse(
  context: Context,
  operation: AnyOperation,
  call: RefusedCall,
  error: unknown,
): Promise<never> {
  const recorder = startRecorder(context, operation, call, targetOf(call.ids))
  if (call.caller !== undefined) recorder?.setCaller(call.caller)
  const rejection: Promise<never> = Promise.reject(error)
  return recorder === undefined ? rejection : recorder.recordOutcome(rejection)
}

/** Makes the call, and records its outcome. */
function record<Result>(call: StartedCall<Result>): Promise<Result> {
  const outcome = logIn(call)
  return call.recorder === undefined ? outcome : call.recorder.recordOutcome(outcome)
}

/**
 * Finds the caller, and makes the call inside `around`.
 * @throws UnauthorizedError if the caller is unknown or has expired.
 */
async function logIn<Result>(call: StartedCall<Result>): Promise<Result> {
  const { context, operation, request, target, isRecorded, trace, recorder } = call
  const { around, store } = context
  const caller = await request.login()
  if (trace !== undefined) trace.callerId = caller.id
  recorder?.setCaller(caller)
  assertNotExpired(caller, context.now)
  if (around === undefined || !isRecorded) return run(call, caller)
  // A handler for credentials makes calls in process, for a caller who came over HTTP.
  const client = request.client ?? caller.client
  const described = { operation: operation.name, caller, ids: target, ...(client && { client }) }
  return runAround(around, store.guard.timeoutMs, described, () => run(call, caller))
}

/** Checks the call, reads its input, and runs the operation. */
async function run<Result>(
  { context, operation, request, recorder }: StartedCall<Result>,
  caller: KnownCaller,
): Promise<Result> {
  const { ids: given, onUnreadable, onCanCreate } = request
  if (!isBareObject(given))
    throw new InvalidInputError(`the input ${problemOf(given, 'an object')}`)
  if (isCaller(given))
    throw new InvalidInputError('the input is a caller: pass the caller once, first or to as')
  const ids = checkIds(context, operation, given, request.client !== undefined)
  const checkExpiry = (): void => assertNotExpired(caller, context.now)
  // `around` may have taken long.
  checkExpiry()
  const isUseOnly = !(await hasPermissions(operation, caller, ids))
  const input = parseInput(context, operation, request, ids, await request.readInput())
  // The body of a request may have taken long as well.
  checkExpiry()
  const look = context.encryptionCheck.beforeFirstCall()
  if (look !== undefined) await look
  const emit = toEmit(context, operation, caller)
  const call: Call = {
    ...{ context, caller, isUseOnly },
    reportCanCreate: onCanCreate,
    assertNotExpired: checkExpiry,
    beginChange: toBeginChange(recorder, caller, checkExpiry),
    setCredential: async (find) => recorder?.setCredential(await find()),
    afterChange(change) {
      recorder?.addStored(change)
      emit(change)
    },
    reportUnreadable: toReport(context, onUnreadable),
  }
  // `AnyOperation` does not have the type of its input.
  const result = operation.run(call, input as never)
  return recorder === undefined ? result : recorder.settle(result)
}

/**
 * Returns true if the caller has the permissions, and false if the caller only has the permission
 * `use`.
 * @throws ForbiddenError if the caller has neither.
 */
async function hasPermissions(
  operation: AnyOperation,
  caller: KnownCaller,
  { vaultId, itemId, isNewId }: CheckedIds,
): Promise<boolean> {
  if (vaultId === undefined) return true
  const needed = isNewId ? { ...operation, permissions: createPermissions } : operation
  return authorize(caller, { vaultId, itemId }, needed)
}

const recordNothing = async (): Promise<void> => {}

/**
 * Returns the function that begins a change. If the caller expired while the change waited for its
 * turn, it does not begin. A change that has begun is finished, because half a change is worse than
 * a late one.
 */
function toBeginChange(
  recorder: ActivityRecorder | undefined,
  caller: KnownCaller,
  checkExpiry: () => void,
): Call['beginChange'] {
  const begin = recorder?.begin ?? recordNothing
  if (caller.expiresAt === undefined) return begin
  let hasBegun = false
  return async (change, newFileId) => {
    if (!hasBegun) checkExpiry()
    hasBegun = true
    await begin(change, newFileId)
  }
}

/**
 * Returns the function that reports unreadable records. Each is reported to the call itself once.
 */
function toReport(
  { reportUnreadable }: Context,
  onUnreadable: CallRequest['onUnreadable'],
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
  caller: KnownCaller,
): Call['afterChange'] {
  return (change) => {
    if (events.listeners.size === 0) return
    const [callerId, at] = [caller.id, now().toISOString()]
    events.emit({ ...change, operation: name, callerId, at })
  }
}

/** Returns the ids with the parsed members of the input. @throws InvalidInputError */
function parseInput(
  context: Context,
  operation: AnyOperation,
  { isOwn }: CallRequest,
  ids: CheckedIds,
  input: unknown,
): object {
  const members: Readonly<Record<string, unknown>> = Object(input)
  if (context.strict && !isOwn) rejectUnknown(operation, members)
  const { body } = operation
  const schema = isOwn ? operation.ownInput : operation.input
  return {
    ...ids,
    ...(schema && parse(schema, members)),
    ...(body && { [body.name]: body.parse(context, members[body.name], ids) }),
  }
}

/** The ids in an input, by the target of its operation. */
type CheckedIds = Partial<FileRef> & { readonly isNewId?: boolean }

/**
 * Returns the ids in the input of the operation. A file's id must be a string, of any form.
 * @throws InvalidInputError for the first malformed id, in the order vault, item, file. Over HTTP,
 * it has the contract's sentence. After that, if the id of a new vault or item is one that only the
 * vault makes.
 */
function checkIds(
  context: Context,
  { target, allowsMalformedIds }: AnyOperation,
  input: Readonly<Record<string, unknown>>,
  isOverHttp: boolean,
): CheckedIds {
  if (target === 'service') return {}
  const isNewId = target === 'newVault' && input['vaultId'] === undefined
  const vaultId = isNewId ? newId(context.randomBytes) : input['vaultId']
  const ids: { vaultId: unknown; itemId?: unknown; fileId?: unknown } = { vaultId }
  const isNewItem = target === 'newItem' && input['itemId'] !== undefined
  if (target === 'item' || target === 'file' || isNewItem) ids.itemId = input['itemId']
  if (target === 'file') ids.fileId = input['fileId']
  if (!allowsMalformedIds?.(context) || !areStrings(ids)) {
    if (!isId(vaultId)) throw malformedIdError('vaultId', vaultId, isOverHttp)
    if ('itemId' in ids && !isId(ids.itemId))
      throw malformedIdError('itemId', ids.itemId, isOverHttp)
    if (target === 'newVault' && !isNewId) assertNotReserved('vaultId', vaultId)
    if (isNewItem) assertNotReserved('itemId', ids.itemId)
    if ('fileId' in ids && typeof ids.fileId !== 'string')
      throw InvalidInputError.at('fileId', problemOf(ids.fileId, 'a string'))
  }
  const checked = ids as Partial<FileRef>
  return target === 'newVault' ? { ...checked, isNewId } : checked
}

/** @throws InvalidInputError if only the vault makes such ids. */
function assertNotReserved(path: string, id: unknown): void {
  if (isReservedId(String(id))) throw InvalidInputError.at(path, reservedIdMessage)
}

function areStrings(ids: object): boolean {
  return Object.values(ids).every((id) => typeof id === 'string')
}

const malformedIdSentences = { vaultId: 'Invalid Vault UUID', itemId: 'Invalid Item UUID' }

function malformedIdError(
  path: keyof typeof malformedIdSentences,
  value: unknown,
  isOverHttp: boolean,
): InvalidInputError {
  const message = problemOf(value, 'an id: 26 characters of a-z and 0-9')
  if (!isOverHttp) return InvalidInputError.at(path, message)
  return new InvalidInputError(malformedIdSentences[path], { issues: [{ path, message }] })
}
