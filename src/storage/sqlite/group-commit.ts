/** Commits writes that arrive together in one transaction, each with its own outcome. */

/** Begins and ends transactions of a synchronous database. Each function throws when it fails. */
export interface Transactions {
  begin(): void
  commit(): void
  /** Called after a failure, even if the database has already rolled back by itself. */
  rollback(): void
}

/** A queue of writes that share transactions. */
export interface GroupCommit {
  /**
   * Resolves with the result of `write` once the transaction that contains it is committed. Rejects
   * with the error of `write` if it throws when run alone, or with the error of beginning or
   * committing the transaction.
   * @param write A synchronous function. It may run a second time after a rollback, so it must have
   * no effects except on the database.
   */
  commit<Result>(write: () => Result): Promise<Result>
  /** Commits the queued writes now. */
  flush(): void
}

interface QueuedWrite {
  run(): void
  succeed(): void
  fail(error: unknown): void
}

/**
 * Creates an empty queue. A group consists of the writes that arrive before `schedule` calls back:
 * by default, all of one turn of the event loop. It runs in one synchronous stretch, so that
 * nothing else in the process reads data that may still be rolled back. If a write of a group
 * throws, the group is rolled back, and each of its writes gets its own transaction.
 */
export function createGroupCommit(
  transactions: Transactions,
  schedule: (task: () => void) => unknown = setImmediate,
): GroupCommit {
  let queue: QueuedWrite[] = []
  const flush = (): void => {
    const group = queue
    queue = []
    if (group.length > 0) commitGroup(transactions, group)
  }
  const enqueue = (write: QueuedWrite): void => {
    queue.push(write)
    if (queue.length === 1) schedule(flush)
  }
  return {
    commit: <Result>(write: () => Result) =>
      new Promise<Result>((resolve, reject) => {
        let getResult: () => Result
        enqueue({
          run() {
            const result = write()
            getResult = () => result
          },
          succeed: () => resolve(getResult()),
          fail: reject,
        })
      }),
    flush,
  }
}

function commitGroup(transactions: Transactions, group: readonly QueuedWrite[]): void {
  const outcome = tryCommit(transactions, group)
  if (outcome === 'committed') for (const write of group) write.succeed()
  else if (outcome.step !== 'write' || group.length === 1)
    for (const write of group) write.fail(outcome.error)
  else commitEach(transactions, group)
}

/**
 * Commits each write in its own transaction. If a transaction cannot begin, the writes after it are
 * not tried and fail with the same error, because each might have to wait for the lock.
 */
function commitEach(transactions: Transactions, group: readonly QueuedWrite[]): void {
  for (const [index, write] of group.entries()) {
    const outcome = tryCommit(transactions, [write])
    if (outcome === 'committed') write.succeed()
    else if (outcome.step !== 'begin') write.fail(outcome.error)
    else {
      for (const left of group.slice(index)) left.fail(outcome.error)
      return
    }
  }
}

type Step = 'begin' | 'write' | 'commit'
type Outcome = 'committed' | { readonly step: Step; readonly error: unknown }

function tryCommit(transactions: Transactions, group: readonly QueuedWrite[]): Outcome {
  let step: Step = 'begin'
  try {
    transactions.begin()
    step = 'write'
    for (const write of group) write.run()
    step = 'commit'
    transactions.commit()
    return 'committed'
  } catch (error) {
    if (step !== 'begin') rollBack(transactions)
    return { step, error }
  }
}

/**
 * Rolls back, and ignores failures, because the caller already has the error that led here, and no
 * transaction begins while another one is open.
 */
function rollBack(transactions: Transactions): void {
  try {
    transactions.rollback()
  } catch {}
}
