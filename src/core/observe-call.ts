/** Lets a call of an operation be seen: recorded, told and traced, as far as anybody wants to know. */

import type { OperationName } from '../schema/operations.js'
import type { ActivityLog } from './activity-log.js'
import type { Caller } from './caller.js'
import type { Context } from './context.js'
import { namedIds } from './named-ids.js'
import { createCallRecorder } from './record-activity.js'
import type { TraceMessage } from './trace-call.js'
import type { Witness } from './witness.js'

/** An operation of the core. */
export type Operation<Input, Result> = (
  context: Context,
  caller: Caller | undefined,
  input: Input,
) => Promise<Result>

/** What `operation` answers to this call. Where nobody looks it is called as it is. */
export function observed<Input, Result>(
  context: Context,
  name: OperationName,
  operation: Operation<Input, Result>,
  caller: Caller | undefined,
  input: Input,
): Promise<Result> {
  const { activity, events, tracer } = context
  const perform = (): Promise<Result> =>
    activity === undefined
      ? operation(events.isHeard() ? telling(context, name, caller) : context, caller, input)
      : recorded(telling(context, name, caller), activity, name, operation, caller, input)
  return tracer?.isHeard() ? tracer.trace(messageOf(name, caller, input), perform) : perform()
}

/** Records the call before its change is made or its answer leaves; nothing is done or answered that is not recorded. */
async function recorded<Input, Result>(
  context: Context,
  activity: ActivityLog,
  name: OperationName,
  operation: Operation<Input, Result>,
  caller: Caller | undefined,
  input: Input,
): Promise<Result> {
  const recorder = createCallRecorder(context, activity, name, caller, input)
  const witness: Witness = {
    before: (deed) => recorder.change(deed),
    after: (deed) => context.witness?.after(deed),
  }
  const result = await operation({ ...context, witness }, caller, input).catch(async (error) => {
    await recorder.refusal(error)
    throw error
  })
  await recorder.answer(result).catch((error) => {
    contentOf(result)
      ?.cancel()
      .catch(() => {})
    throw error
  })
  return result
}

/** The context of a call whose changes are told to those who listen. */
function telling(context: Context, operation: OperationName, caller: Caller | undefined): Context {
  const callerId = String(caller?.id)
  const witness: Witness = {
    before: async () => {},
    after: (deed) =>
      context.events.tell({ ...deed, operation, callerId, at: context.now().toISOString() }),
  }
  return { ...context, witness }
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
  return { operation, ...(callerId !== undefined && { callerId }), ...namedIds(input) }
}
