/**
 * The versions of items. The life of an item ends when it is deleted: a later item with its id must
 * not have anything of it, and none of its versions.
 */

import { BrokenPromise } from './model.js'

/** A version as it was read, and the mark of its content. */
interface SeenVersion {
  readonly version: number
  readonly mark: string
}

/** The lives of all items, by their places. */
export interface Lives {
  /** A step of this life may write the mark from now on. */
  plan(place: string, mark: string): void
  /** The life is over. Steps that are still running may write these marks into the next one. */
  end(place: string, runningMarks: readonly string[]): void
  /** The record of the item cannot be read any more, and names no earlier versions. */
  damage(place: string): void
  /** Returns an earlier version of this life that must be archived. */
  findArchived(place: string): SeenVersion | undefined
  /**
   * @param archived The archived versions, in any order.
   * @throws BrokenPromise if they cannot be those of this life.
   */
  observe(place: string, current: SeenVersion, archived: readonly SeenVersion[]): void
}

interface Life {
  readonly marks: Set<string>
  /** The marks that were read in this life, by version. */
  readonly seen: Map<number, string>
}

/** Creates the lives of an empty store, in which this many archived versions are kept. */
export function createLives(history: number): Lives {
  const lives = new Map<string, Life>()
  /** The marks that were ever read under an id, by version. */
  const everSeen = new Map<string, Map<number, string>>()
  const lifeOf = (place: string): Life => {
    const life = lives.get(place) ?? { marks: new Set(), seen: new Map() }
    lives.set(place, life)
    return life
  }
  const assertOnce = (place: string, { version, mark }: SeenVersion): void => {
    const versions = everSeen.get(place) ?? new Map<number, string>()
    everSeen.set(place, versions)
    const known = versions.get(version) ?? mark
    if (known !== mark)
      throw new BrokenPromise('P8', `version ${version} of ${place} was ${known}, and is ${mark}`)
    versions.set(version, mark)
  }

  return {
    plan: (place, mark) => void lifeOf(place).marks.add(mark),
    end: (place, runningMarks) =>
      void lives.set(place, { marks: new Set(runningMarks), seen: new Map() }),
    damage: (place) => lifeOf(place).seen.clear(),
    findArchived(place) {
      const { seen } = lifeOf(place)
      const current = Math.max(...seen.keys())
      const version = [...seen.keys()].find((each) => each < current && each >= current - history)
      const mark = version === undefined ? undefined : seen.get(version)
      return version === undefined || mark === undefined ? undefined : { version, mark }
    },
    observe(place, current, archived) {
      const { marks, seen } = lifeOf(place)
      for (const each of [current, ...archived]) {
        if (!marks.has(each.mark))
          throw new BrokenPromise('P2', `${place} has ${each.mark}, which an earlier item had`)
        assertOnce(place, each)
      }
      const found = new Set(archived.map(({ version }) => version))
      for (const version of seen.keys())
        if (
          version < current.version &&
          version >= current.version - history &&
          !found.has(version)
        )
          throw new BrokenPromise('P1', `version ${version} of ${place} is not archived any more`)
      seen.set(current.version, current.mark)
    },
  }
}
