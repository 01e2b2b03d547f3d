/** What writers were about to do and what was acknowledged to them, as they have said. */

/** Something that a writer asks of the vault. Its token is in what it writes, and in nothing else. */
export interface Intent {
  readonly token: string
  readonly kind: 'create' | 'patch' | 'attach'
  /** The item that is changed; none before it is created. */
  readonly itemId?: string
}

/** What a writer says: that it is ready, what it is about to do, or what was acknowledged. */
export type Report =
  | 'ready'
  | { readonly about: Intent }
  | { readonly done: string; readonly itemId: string; readonly version: number }

/** Everything that was said about one file. */
export interface Journal {
  /** By token. */
  readonly intents: Map<string, Intent>
  /** By token: the item, and the version it had then or later. */
  readonly acknowledged: Map<string, { readonly itemId: string; readonly version: number }>
}

/** A journal in which nothing stands. */
export function createJournal(): Journal {
  return { intents: new Map(), acknowledged: new Map() }
}

/** Enters what was said. */
export function addReport(journal: Journal, report: Report): void {
  if (report === 'ready') return
  if ('about' in report) journal.intents.set(report.about.token, report.about)
  else journal.acknowledged.set(report.done, report)
}

/** The bytes of the file that a token stands for: the token again and again, cut where `size` says. */
export function contentOf(token: string): Uint8Array {
  const size = token.endsWith('0') ? 300_000 : 200
  return new TextEncoder().encode(token.repeat(Math.ceil(size / token.length)).slice(0, size))
}
