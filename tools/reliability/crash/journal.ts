/** The journal of a run: what the writers were about to write, and what was acknowledged. */

/** A change that a writer is about to make. Its token is in the data of this change only. */
export interface Intent {
  readonly token: string
  readonly kind: 'create' | 'patch' | 'attach'
  /** The item that is changed; absent if it is created. */
  readonly itemId?: string
}

/** A report of a writer: that it is ready, what it is about to do, or what was acknowledged. */
export type Report =
  | 'ready'
  | { readonly about: Intent }
  | { readonly done: string; readonly itemId: string; readonly version: number }

/** All reports about one file. */
export interface Journal {
  /** By token. */
  readonly intents: Map<string, Intent>
  /** By token: the item, and a version that it has reached. */
  readonly acknowledged: Map<string, { readonly itemId: string; readonly version: number }>
}

/** Creates an empty journal. */
export function createJournal(): Journal {
  return { intents: new Map(), acknowledged: new Map() }
}

/** Adds a report to the journal. */
export function addReport(journal: Journal, report: Report): void {
  if (report === 'ready') return
  if ('about' in report) journal.intents.set(report.about.token, report.about)
  else journal.acknowledged.set(report.done, report)
}

/** The content of the file of a token: the token repeated, 300,000 or 200 bytes in all. */
export function createContent(token: string): Uint8Array {
  const size = token.endsWith('0') ? 300_000 : 200
  return new TextEncoder().encode(token.repeat(Math.ceil(size / token.length)).slice(0, size))
}
