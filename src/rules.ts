/**
 * The rules of items, without a vault. They tell what the service would make of a draft, a
 * replacement or a patch, or why it would reject it. Use them in unit tests, and in forms that
 * check a draft before sending it.
 *
 * @example
 * ```ts
 * import { createItemRules } from 'cofferkit/rules'
 *
 * const rules = createItemRules()
 * const vault = { id: 'a'.repeat(26) }
 * const item = rules.create({ category: 'LOGIN', title: 'Router', vault })
 * const renamed = rules.patch(item, [{ op: 'replace', path: '/title', value: 'Bank' }])
 * ```
 *
 * @module cofferkit/rules
 */

import { kindOf, like } from './base/argument.js'
import { defineOptions, type OptionKinds, optional } from './base/options.js'
import { safeGet } from './base/safe-get.js'
import {
  type Caller,
  createCaller,
  isCaller,
  type KnownCaller,
  toKnownCaller,
} from './core/access/caller.js'
import { toDescription } from './core/items/describe-item.js'
import { createDraws } from './core/items/draws.js'
import { type GeneratedPassword, generatePassword } from './core/items/generate-password.js'
import {
  applyNewItem,
  applyPatchPlan,
  applyReplacement,
  parseItemBody,
  parsePatchBody,
  withVault,
} from './core/items/item-changes.js'
import { rejectUnknown } from './core/operation/reject-unknown.js'
import { withCauses } from './core/patch/apply-patch.js'
import { changeItem, type FinishOptions, type ItemText } from './core/records/change-item.js'
import { checkItemRule } from './core/records/item-rule.js'
import { createItemContext, itemOptionKinds } from './core/runtime/item-context.js'
import type { Limits } from './core/runtime/limits.js'
import type { RandomBytes } from './core/runtime/random.js'
import type { Dialect } from './dialects/dialect.js'
import { InvalidInputError } from './errors.js'
import type { Recipe } from './schema/field.js'
import { isId } from './schema/is-id.js'
import { type Item, type ItemDraft, itemSchema, type NewItemDraft } from './schema/item.js'
import type { ItemDescription } from './schema/item-description.js'
import { parse } from './schema/parse.js'
import type { PatchOperation } from './schema/patch.js'

/** Options of `createItemRules`. All but `caller` are those of `createVaultService`. */
export interface ItemRulesOptions {
  /**
   * The caller of every change, for `lastEditedBy` and `validateItem`. Its permissions are not
   * checked. Default: a caller with the id `rules`.
   */
  readonly caller?: Caller | undefined
  /** How drafts and patches are parsed. Default: the contract's own dialect. */
  readonly dialect?: Dialect | undefined
  /** Limits; each has a default. */
  readonly limits?: Limits | undefined
  /**
   * If true, input that would silently do nothing is rejected, such as unknown attributes. Default:
   * false.
   */
  readonly strict?: boolean | undefined
  /**
   * Your own rule. It is called after all other checks, with every item that a function is about to
   * return. See the option of `createVaultService` for what it can throw.
   * @param item The item. It is a copy.
   * @param change `before`: the item before the change, undefined if it is new; `caller`: the
   * option; `now`: the time by the option `now`.
   */
  readonly validateItem?:
    | ((
        item: Item,
        change: {
          readonly before: Item | undefined
          readonly caller: KnownCaller
          readonly now: Date
        },
        // biome-ignore lint/suspicious/noConfusingVoidType: `| undefined` refuses an async function.
      ) => void | undefined)
    | undefined
  /** The clock. Default: that of the system. */
  readonly now?: (() => Date) | undefined
  /** The source of ids and generated values. Default: the platform's cryptographic generator. */
  readonly randomBytes?: RandomBytes | undefined
}

/**
 * The rules of items. Given the same input, clock and random bytes, every function returns what the
 * service's operation returns, or throws the same error.
 *
 * An item can be any literal. It can have version 41, be archived, or have a field of a type that
 * the library does not know. It is not modified. A deleted item is rejected with an
 * InvalidInputError. The service would not find it (404).
 */
export interface ItemRules {
  /**
   * Returns the item that `createItem` would create, with version 1.
   * @throws InvalidInputError if the draft breaks a rule or a limit.
   * @throws GenerationError if the source of randomness yields no value.
   * @throws VaultError that `validateItem` throws, or a RuleError if it throws any other error.
   */
  create(draft: ItemDraft): Item
  /**
   * Returns the next version of the item, as `replaceItem` would store it. The draft need not name
   * the vault.
   * @throws InvalidInputError if the draft breaks a rule or a limit, or if the item is archived or
   * deleted; and the other errors of `create`.
   * @throws TypeError if `item` is not an item.
   */
  replace(item: Item, draft: NewItemDraft): Item
  /**
   * Returns the next version of the item, as `patchItem` would store it. For an empty patch,
   * returns an equal item with the same version.
   * @throws InvalidInputError that names the operations that break a rule, or if the item is archived
   * or deleted; and the other errors of `create`.
   * @throws TypeError if `item` is not an item.
   */
  patch(item: Item, patch: readonly PatchOperation[]): Item
  /**
   * Returns the item without its secret values, as `describeItem` does.
   * @throws InvalidInputError if the item is deleted.
   * @throws TypeError if `item` is not an item.
   */
  describe(item: Item): ItemDescription
  /**
   * Generates a value as the service does for a field with `generate: true`.
   * @param recipe Default: all three sets of characters, 32 characters.
   * @throws InvalidInputError if the recipe is invalid, has an unknown member or leaves fewer than
   * two characters.
   * @throws GenerationError if the source of randomness yields no value.
   */
  generate(recipe?: Recipe): GeneratedPassword
}

const rulesOptions = defineOptions({
  ...itemOptionKinds,
  caller: optional(
    kindOf<Caller>('the result of createCaller', isCaller),
    createCaller({ id: 'rules', vaults: '*' }),
  ),
} satisfies OptionKinds<ItemRulesOptions>)

/**
 * Creates the rules of items. They use the same functions as the service, but store and await
 * nothing.
 * @throws TypeError if an option is unknown or has the wrong type.
 * @throws RangeError if a limit is out of range.
 * @example
 * ```ts
 * import { createItemRules } from 'cofferkit/rules'
 *
 * const rules = createItemRules({ strict: true })
 * const vault = { id: 'aaaaaaaaaaaaaaaaaaaaaaaaaa' }
 * const item = rules.create({ category: 'LOGIN', vault, title: 'Mail' })
 * console.log(item.version) // 1
 * ```
 */
export function createItemRules(options: ItemRulesOptions = {}): ItemRules {
  const { caller: givenCaller, ...itemOptions } = rulesOptions.read(options)
  const caller = toKnownCaller(givenCaller)
  const context = createItemContext(itemOptions)
  const { now, randomBytes, strict, validateItem } = context
  const checkRule = ({ item, text }: ItemText, before?: ItemText): Item => {
    if (validateItem !== undefined) checkItemRule(context, text, before?.text, caller)
    return item
  }
  const change = (
    before: ItemText,
    update: (item: Item) => Item,
    finish: Omit<FinishOptions, 'caller'>,
  ): Item => {
    assertNotDeleted(before.item)
    const after = changeItem(context, before, update, { ...finish, caller })
    return after === before ? before.item : checkRule(after, before)
  }
  return {
    create(draft) {
      if (strict) rejectUnknown({ body: { name: 'item' } }, { item: draft })
      const id: unknown = safeGet(safeGet(draft, 'vault'), 'id')
      const vaultId = isId(id) ? id : ''
      const parsed = parseItemBody(context, draft, { vaultId })
      if (vaultId === '') throw InvalidInputError.at('vault/id', 'must be the id of a vault')
      const [createdAt, draws] = [now().toISOString(), createDraws(randomBytes)]
      const origin = { id: draws.id('item'), vaultId, lastVersion: 0, createdAt, caller }
      return checkRule(applyNewItem(context, origin, parsed, draws))
    },
    replace(item, draft) {
      const before = toItemText(item)
      if (strict) rejectUnknown({ body: { name: 'item' } }, { item: draft })
      const ref = { vaultId: before.item.vault.id, itemId: before.item.id }
      const parsed = parseItemBody(context, withVault(draft, ref.vaultId), ref)
      const draws = createDraws(randomBytes)
      return change(before, (one) => applyReplacement(context, one, parsed, draws), {
        draft: parsed,
      })
    },
    patch(item, patch) {
      const before = toItemText(item)
      if (strict) rejectUnknown({ body: { name: 'patch' } }, { patch })
      const plan = parsePatchBody(context, patch)
      const draws = createDraws(randomBytes)
      return change(before, (one) => applyPatchPlan(context, one, plan, draws), {
        explain: (error) => withCauses(error, plan),
      })
    },
    describe: (item) => toDescription(assertNotDeleted(toItemText(item).item)),
    generate: (recipe) => generatePassword(recipe, { randomBytes }),
  }
}

/**
 * Returns a copy of the item, and its JSON.
 * @throws TypeError if it is not an item; the message contains no value.
 */
function toItemText(value: unknown): ItemText {
  like({})(value, 'item')
  try {
    const item = parse(itemSchema, value)
    return { item, text: JSON.stringify(item) }
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    const reasons = error.issues.map(({ path, message }) => `${path} ${message}`)
    throw new TypeError(`item must be an item: ${reasons.join('; ')}`)
  }
}

/** Returns the item. @throws InvalidInputError if it is deleted. */
function assertNotDeleted(item: Item): Item {
  if (item.state !== 'DELETED') return item
  throw InvalidInputError.at('', 'a deleted item cannot be read or changed')
}
