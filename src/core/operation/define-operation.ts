/** Operations as values. Everything about an operation is one object in one file. */

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
  /** Not about a single vault. `permissions` must then be empty. */
  readonly service: object
  /** `isNewId` is true if the input has no `vaultId`, so that the vault gets a random one. */
  readonly newVault: { readonly vaultId: string; readonly isNewId: boolean }
  readonly vault: { readonly vaultId: string }
  /** If there is no `itemId`, the item gets a random id. */
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

/** Everything about an operation, independent of the types of its input and result. */
export interface AnyOperation<Result = unknown> {
  readonly name: OperationName
  /** One sentence without a full stop, for the documentation. */
  readonly summary: string
  /** Which ids the input has. They are checked before the permissions. */
  readonly target: Target
  /**
   * The permissions on the vault that the caller needs, in the order in which they are checked. For
   * a vault with a random id, it is `create` instead.
   */
  readonly permissions: readonly Exclude<Permission, 'use'>[]
  /**
   * True if the permission `use` is enough. `run` must then call `assertUseAllowed`. Default:
   * false.
   */
  readonly allowsUse?: true
  /**
   * How the activity log records a call. If it is not set, a call has no entry and no trace, and is
   * not passed to `around`.
   */
  readonly activity?: readonly [ActivityAction, ActivityResource]
  /** The codes of the errors that the documentation lists, besides those of every route. */
  readonly errors: readonly ErrorCode[]
  /** The member of the input that is parsed first, if there is one. */
  readonly body?: InputBody<string, unknown> | undefined
  /** The other members of the input besides its ids, if there are any. */
  readonly input?: z.ZodMiniObject | undefined
  /**
   * The members that the library itself passes instead, if the operation is also a method. No method
   * and no client can pass them.
   */
  readonly ownInput?: z.ZodMiniObject | undefined
  /**
   * Returns true if `run` is called even with malformed ids. It must not pass them to the store.
   * Default: false.
   */
  allowsMalformedIds?(context: Context): boolean
  /** False if a call cannot be part of the application's transaction. Default: true. */
  readonly joinsTransactions?: false
  /**
   * The stored form of the result: an item with its JSON, several of them, or the content of a file
   * as the store returns it. A method converts it, and HTTP sends it unchanged. Not set for other
   * results.
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
  OwnInput extends z.ZodMiniObject = never,
> extends AnyOperation<Result> {
  readonly name: Name
  readonly target: TargetName
  readonly body?: Body
  readonly input?: Input
  readonly ownInput?: OwnInput
  run(call: Call, input: ParsedInput<TargetName, Body, Input | OwnInput>): Promise<Result>
}

/**
 * Returns the operation unchanged. The type of the input of `run` follows from `target`, `body`,
 * `input` and `ownInput`.
 */
export function defineOperation<
  const Name extends OperationName,
  const TargetName extends Target,
  Result,
  Body extends InputBody<string, unknown> | undefined = undefined,
  Input extends z.ZodMiniObject | undefined = undefined,
  OwnInput extends z.ZodMiniObject = never,
>(
  operation: Operation<Name, TargetName, Body, Input, Result, OwnInput>,
): Operation<Name, TargetName, Body, Input, Result, OwnInput> {
  return operation
}
