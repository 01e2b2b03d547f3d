/** Where the grants of a token keeper are stored: in items, or in the embedder's own table. */

import { flag, kindOf, text } from '../base/argument.js'
import { callAround } from '../base/call-around.js'
import { notFoundError } from '../base/fixed-errors.js'
import { optional } from '../base/options.js'
import { callRule, toRuleError } from '../base/rule-error.js'
import { RuleError } from '../errors.js'
import { type StoredGrant, storedGrant } from './stored-grant.js'

/** A grant that a source has read. Your source can add members that your `refresh` needs. */
export interface FoundGrant {
  readonly grant: StoredGrant
  /** It changes with each write of the grant, and is never used again. */
  readonly version: string | number
  /** If true, the grant must not be changed now, so it is not refreshed. Default: false. */
  readonly readOnly?: boolean | undefined
}

/** How a grant is read and written. */
export interface GrantRows<Ref, Found extends FoundGrant = FoundGrant> {
  /**
   * Returns a grant, or undefined if it does not exist. Read from the primary database, never from
   * a cache or a replica.
   */
  read(ref: Ref): Promise<Found | undefined>
  /**
   * Writes a grant if this version of it is stored. Compare and write in one atomic step, such as
   * `UPDATE … WHERE id = $id AND version = $version`. Resolve with false if another version is
   * stored, or none. If you reject, the grant may or may not have been written.
   */
  replace(ref: Ref, grant: StoredGrant, version: string | number): Promise<boolean>
}

/**
 * Where grants are stored. The `around…` functions are optional. If one of the functions throws an
 * error of this library, the keeper's call rejects with that error. For any other error, it rejects
 * with a RuleError that names the function but does not repeat its message. Test your source with
 * `grantSourceContract` from `cofferkit/testing`.
 * @typeParam Ref - Identifies a grant, such as the id of its row.
 * @typeParam By - Who uses a token, for `aroundUse`.
 * @typeParam Found - What `read` resolves with and `refresh` receives.
 */
export interface GrantSource<Ref, By = void, Found extends FoundGrant = FoundGrant>
  extends GrantRows<Ref, Found> {
  /**
   * Returns the id of the grant's lease: 1 to 128 printable ASCII characters. If it throws a
   * TypeError, such as for an invalid `ref`, the error is passed on unchanged.
   */
  key(ref: Ref): string
  /**
   * Called for each `accessToken`, before anything is read. Reject to refuse the use. Otherwise
   * call `next`, which resolves when there is a token. If `next` rejects, there is no token, and
   * you must throw that error again. The token is returned when `aroundUse` has resolved. If you
   * pass rows to `next`, the grant is read from those first.
   */
  aroundUse?(ref: Ref, by: By, next: (rows?: GrantRows<Ref, Found>) => Promise<void>): Promise<void>
  /**
   * Called for each refresh, before the provider is called. Call `next`, which resolves when the
   * provider's answer is stored. If you pass rows to `next`, those are read and written.
   */
  aroundRefresh?(
    ref: Ref,
    found: Found,
    next: (rows?: GrantRows<Ref, Found>) => Promise<void>,
  ): Promise<void>
}

/** A source whose results are checked, and whose errors are always the library's. */
export interface CheckedGrants<Ref, By, Found> {
  key(ref: Ref): string
  readonly rows: CheckedRows<Ref, Found>
  /** @returns The result of `run`. */
  use<Result>(
    ref: Ref,
    by: By,
    run: (rows: CheckedRows<Ref, Found>) => Promise<Result>,
  ): Promise<Result>
  /** @returns The result of `run`. */
  refresh<Result>(
    ref: Ref,
    found: Found,
    run: (rows: CheckedRows<Ref, Found>) => Promise<Result>,
  ): Promise<Result>
}

/** Rows whose results are checked. */
export interface CheckedRows<Ref, Found> {
  /** @throws NotFoundError if the grant does not exist, or RuleError. */
  read(ref: Ref): Promise<Found>
  /** @throws RuleError */
  replace(ref: Ref, grant: StoredGrant, version: string | number): Promise<boolean>
}

const leaseId = text('1 to 128 printable ASCII characters', /^[ -~]{1,128}$/)
const version = kindOf('a string or a number', (value) =>
  ['string', 'number'].includes(typeof value),
)
const readOnly = optional(flag())

/** Checks the results of a source. */
export function checkGrants<Ref, By, Found extends FoundGrant>(
  source: GrantSource<Ref, By, Found>,
): CheckedGrants<Ref, By, Found> {
  const key = (ref: Ref): string => {
    const name = 'grants.key'
    try {
      const id = source.key(ref)
      return checkResult(() => leaseId(id, `${name}()`))
    } catch (error) {
      throw error instanceof TypeError ? error : toRuleError(error, name)
    }
  }
  const toChecked = (rows: GrantRows<Ref, Found>): CheckedRows<Ref, Found> => ({
    async read(ref) {
      const name = 'grants.read'
      const found = await callRule(name, async () => rows.read(ref))
      if (found === undefined) throw notFoundError('grant', key(ref))
      return checkResult(() => {
        version(Object(found).version, `${name}().version`)
        readOnly(found.readOnly, `${name}().readOnly`)
        storedGrant.read(found.grant, `${name}().grant`)
        return found
      })
    },
    async replace(ref, grant, version) {
      const name = 'grants.replace'
      const isReplaced = await callRule(name, async () => rows.replace(ref, grant, version))
      return checkResult(() => flag()(isReplaced, `${name}()`))
    },
  })
  const rows = toChecked(source)
  /** Calls a hook, which can pass other rows to `run`. */
  const runAround = async <Result>(
    name: string,
    around: ((next: (given?: GrantRows<Ref, Found>) => Promise<void>) => Promise<void>) | undefined,
    run: (rows: CheckedRows<Ref, Found>) => Promise<Result>,
  ): Promise<Result> => {
    if (around === undefined) return run(rows)
    return callAround(name, around, (given?: GrantRows<Ref, Found>) =>
      run(given === undefined ? rows : toChecked(given)),
    )
  }
  return {
    key,
    rows,
    use: (ref, by, run) =>
      runAround('grants.aroundUse', source.aroundUse?.bind(source, ref, by), run),
    refresh: (ref, found, run) =>
      runAround('grants.aroundRefresh', source.aroundRefresh?.bind(source, ref, found), run),
  }
}

/** @throws RuleError with the message of a kind, which contains no value. */
function checkResult<Result>(check: () => Result): Result {
  try {
    return check()
  } catch (error) {
    throw new RuleError((error as Error).message)
  }
}
