/** Detection of prototype pollution in tests. */

import { expect } from 'vitest'
import {
  isUnpolluted as isAsBefore,
  snapshotPrototypes,
} from '../../../src/testing/hostile/prototype-pollution.js'

const before = snapshotPrototypes()

/** Fails if a built-in prototype changed since this file was loaded. */
export function expectUnpolluted(): void {
  if (!isUnpolluted()) expect(snapshotPrototypes()).toEqual(before)
}

/** Returns whether all built-in prototypes are the same as when this file was loaded. */
export function isUnpolluted(): boolean {
  return isAsBefore(before)
}
