/** Looks whether anything has been written onto what all objects share. */

import { expect } from 'vitest'
import {
  isUnpolluted as isAsBefore,
  snapshotPrototypes,
} from '../../../src/testing/hostile/prototype-pollution.js'

const before = snapshotPrototypes()

/** Fails if a shared object or prototype is not as it was when this file was loaded. */
export function expectUnpolluted(): void {
  if (!isUnpolluted()) expect(snapshotPrototypes()).toEqual(before)
}

/** Whether all shared objects and prototypes are as they were when this file was loaded. */
export function isUnpolluted(): boolean {
  return isAsBefore(before)
}
