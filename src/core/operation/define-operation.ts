/** Operations as values: everything that is known of an operation is one object in one file. */

import type { ErrorCode } from '../../errors.js'
import type { ActivityAction, ActivityResource } from '../../schema/activity-entry.js'
import type { FileRef, ItemRef } from '../../schema/ids.js'
import type * as z from '../../schema/zod.js'
import type { Permission } from '../access/caller.js'
import type { OperationName } from '../access/operation-name.js'
import type { Context } from '../runtime/context.js'
import type { Call } from './call.js'

/** The ids in the input of an operation, by its target. */
interface TargetIds {
  /** No single vault. `permissions` must be empty then. */
  readonly service: object
  /** `isNewId` is true if the input has no `vaultId`, so that the vault gets a random one. */
  readonly newVault: { readonly vaultId: string; readonly isNewId: boolean }
  readonly vault: { readonly vaultId: string }
  /** Without `itemId` the item gets a random one. */
  readonly newItem: { readonly vaultId: string; readonly itemId?: string }
  readonly item: ItemRef
  readonly file: FileRef
}

/** The kind of resource that an operation refers to. */
export type Target = keyof TargetIds

/** A member of an input that is parsed by the service's dialect and limits. */
export interface InputBody<Name extends string, Parsed> {
  readonly name: Name
  /**
   * Parses the body of an operation in this vault and, unless it creates one, on this item.
   * @throws InvalidInputError
   */
  parse(context: Context, body: unknown, ids: Partial<ItemRef>): Parsed
}

/** Everything that is known of an operation, whatever its input and its result. */
export interface AnyOperation<Result = unknown> {
  readonly name: OperationName
  /** One sentence without a full stop, for the documentation. */
  readonly summary: string
  /** Which ids the input has. They are checked before the permissions. */
  readonly target: Target
  /**
   * The permissions on the vault that the caller needs, in the order in which they are checked. For
   * a vault with a random id it is `create` instead.
   */
  readonly permissions: readonly Exclude<Permission, 'use'>[]
  /**
   * True if the permission `use` is enough, with which `run` must call `assertUseAllowed`. By default,
   * it is not.
   */
  readonly allowsUse?: true
  /** How a call is recorded in the activity log. Absent for a step of another call. */
  readonly activity?: readonly [ActivityAction, ActivityResource]
  /** The codes of the errors that the documentation lists, besides those of every route. */
  readonly errors: readonly ErrorCode[]
  /** The member of the input that is parsed first, if there is one. */
  readonly body?: InputBody<string, unknown> | undefined
  /** The other members of the input besides its ids, if there are any. */
  readonly input?: z.ZodMiniObject | undefined
  /**
   * Returns true if `run` is also called with malformed ids, which must not reach the store. False
   * if absent.
   */
  allowsMalformedIds?(context: Context): boolean
  /** False if a call cannot be part of a transaction of the application. True by default. */
  readonly joinsTransactions?: false
  /**
   * The stored form of the result, which a method converts and HTTP sends unchanged: an item with its
   * JSON, several of them, or the content of a file as the store returns it. Absent for other results.
   */
  readonly returns?: 'item' | 'items' | 'content'
  /** Performs the operation. Its input is parsed, and the caller's permissions are checked. */
  run(call: Call, input: never): Promise<Result>
}

/** The type of a parsed input. */
type ParsedInput<TargetName extends Target, Body, Input> = TargetIds[TargetName] &
  (Body extends InputBody<infer Name, infer Parsed> ? Readonly<Record<Name, Parsed>> : unknown) &
  (Input extends z.ZodMiniObject ? Readonly<z.output<Input>> : unknown)

/** An operation whose input and result are known. */
export interface Operation<
  Name extends OperationName,
  TargetName extends Target,
  Body extends InputBody<string, unknown> | undefined,
  Input extends z.ZodMiniObject | undefined,
  Result,
> extends AnyOperation<Result> {
  readonly name: Name
  readonly target: TargetName
  readonly body?: Body
  readonly input?: Input
  run(call: Call, input: ParsedInput<TargetName, Body, Input>): Promise<Result>
}

/**
 * Returns the operation unchanged. The type of the input of `run` follows from `target`, `body` and
 * `input`.
 */
export function defineOperation<
  const Name extends OperationName,
  const TargetName extends Target,
  Result,
  Body extends InputBody<string, unknown> | undefined = undefined,
  Input extends z.ZodMiniObject | undefined = undefined,
>(
  operation: Operation<Name, TargetName, Body, Input, Result>,
): Operation<Name, TargetName, Body, Input, Result> {
  return operation
}
