/** Commits writes that arrive together in one transaction, and tells each its own outcome after the commit. */

/** How a transaction of a synchronous database begins and ends. Each throws when it fails. */
export interface Transactions {
  begin(): void
  commit(): void
  /** Called after a failure, whether or not the database has rolled back by itself. */
  rollback(): void
}

/** Writes that are waiting for their commit. */
export interface GroupCommit {
  /**
   * Resolves with what `write` answered, once the transaction that holds it is committed. `write` is synchronous, and
   * may be run a second time after a rollback: it has no effects but those on the database. Rejects with what `write`
   * threw, if it throws by itself; with what beginning or committing threw, if that failed.
   */
  commit<Answer>(write: () => Answer): Promise<Answer>
  /** Commits now what is waiting. */
  flush(): void
}

interface QueuedWrite {
  run(): void
  succeed(): void
  fail(error: unknown): void
}

/**
 * A group is what has arrived until `later` calls back: by default, all that came in one turn of the event loop. It
 * is run in one synchronous stretch, so that nobody in the process reads what may still be rolled back. When a write
 * of a group throws, the group is rolled back and each of its writes gets a transaction of its own.
 */
export function createGroupCommit(
  transactions: Transactions,
  schedule: (task: () => void) => unknown = setImmediate,
): GroupCommit {
  let waiting: QueuedWrite[] = []
  const flush = (): void => {
    const group = waiting
    waiting = []
    if (group.length > 0) commitGroup(transactions, group)
  }
  const join = (write: QueuedWrite): void => {
    waiting.push(write)
    if (waiting.length === 1) schedule(flush)
  }
  return {
    commit: <Answer>(write: () => Answer) =>
      new Promise<Answer>((resolve, reject) => {
        let answer: () => Answer
        join({
          run() {
            const value = write()
            answer = () => value
          },
          succeed: () => resolve(answer()),
          fail: reject,
        })
      }),
    flush,
  }
}

function commitGroup(transactions: Transactions, group: readonly QueuedWrite[]): void {
  const outcome = attempt(transactions, group)
  if (outcome === 'committed') for (const write of group) write.succeed()
  else if (outcome.at !== 'write' || group.length === 1)
    for (const write of group) write.fail(outcome.error)
  else commitEach(transactions, group)
}

/** A transaction for each. When one cannot begin, those after it are not tried: each may have to wait for the lock. */
function commitEach(transactions: Transactions, group: readonly QueuedWrite[]): void {
  for (const [index, write] of group.entries()) {
    const outcome = attempt(transactions, [write])
    if (outcome === 'committed') write.succeed()
    else if (outcome.at !== 'begin') write.fail(outcome.error)
    else {
      for (const left of group.slice(index)) left.fail(outcome.error)
      return
    }
  }
}

type Outcome = 'committed' | { readonly at: 'begin' | 'write' | 'commit'; readonly error: unknown }

function attempt(transactions: Transactions, group: readonly QueuedWrite[]): Outcome {
  let at: 'begin' | 'write' | 'commit' = 'begin'
  try {
    transactions.begin()
    at = 'write'
    for (const write of group) write.run()
    at = 'commit'
    transactions.commit()
    return 'committed'
  } catch (error) {
    if (at !== 'begin') rollBack(transactions)
    return { at, error }
  }
}

/** What fails here is not told: the error that led here is, and no transaction begins while another is open. */
function rollBack(transactions: Transactions): void {
  try {
    transactions.rollback()
  } catch {}
}
