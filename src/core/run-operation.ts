/** Lets a call of an operation be seen: recorded, told and traced, as far as anybody wants to know. */

import { InvalidInputError, UnauthorizedError } from '../errors.js'
import type { OperationName } from '../schema/operations.js'
import type { Caller } from './access/caller.js'
import {
  type ActivityRecorder,
  createActivityRecorder,
  targetOf,
} from './activity/activity-recorder.js'
import type { ChangeHooks } from './runtime/change-hooks.js'
import type { Context } from './runtime/context.js'
import type { TraceMessage } from './runtime/tracing.js'

/** An operation of the core. */
export type Operation<Input, Result> = (
  context: Context,
  caller: Caller | undefined,
  input: Input,
) => Promise<Result>

/** What `operation` answers to this call. */
export function observed<Input, Result>(
  context: Context,
  name: OperationName,
  operation: Operation<Input, Result>,
  caller: Caller | undefined,
  input: Input,
): Promise<Result> {
  const { tracer } = context
  const perform = (): Promise<Result> => seen(context, name, operation, caller, input)
  return tracer?.hasSubscribers()
    ? tracer.trace(messageOf(name, caller, input), perform)
    : perform()
}

/** Records the call if there is a log, and tells those who listen when a change is stored. */
function seen<Input, Result>(
  context: Context,
  name: OperationName,
  operation: Operation<Input, Result>,
  caller: Caller | undefined,
  input: Input,
): Promise<Result> {
  const { activity, events, now } = context
  const recorder = activity && createActivityRecorder(context, activity, name, caller, input)
  const hooks: ChangeHooks = {
    beforeWrite: async (change) => recorder?.recordChange(change),
    afterWrite(change) {
      if (!events.hasListeners()) return
      const [callerId, at] = [String(caller?.id), now().toISOString()]
      events.emit({ ...change, operation: name, callerId, at })
    },
  }
  const call = isObject(input)
    ? operation({ ...context, hooks }, caller, input)
    : Promise.reject(caller === undefined ? new UnauthorizedError() : notAnObjectError())
  return recorder === undefined ? call : recorded(recorder, call)
}

function isObject(input: unknown): boolean {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}

function notAnObjectError(): InvalidInputError {
  return InvalidInputError.at('', 'the input must be an object')
}

/** What the call answers, once that is recorded; what is not recorded is not answered. */
async function recorded<Result>(
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

function messageOf(
  operation: OperationName,
  caller: Caller | undefined,
  input: unknown,
): TraceMessage {
  const callerId = caller && String(caller.id)
  return { operation, ...(callerId !== undefined && { callerId }), ...targetOf(input) }
}
