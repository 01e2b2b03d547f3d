import { describe, expect, it } from 'vitest'
import { compareCounts } from '../../bench/memory/guard-figures.js'

const allowed = {
  'http, bytes': { create: 1000, replace: 1000, patch: 1000, file: 1000, details: 1000 },
}

describe('compareCounts', () => {
  it('finds nothing when every figure is within a tenth', () => {
    const measured = {
      'http, bytes': { create: 1100, replace: 1000, patch: 901, file: 950, details: 1050 },
    }
    const { rows, grown, shrunk } = compareCounts(measured, allowed)
    expect([grown, shrunk]).toEqual([[], []])
    expect(rows[1]).toEqual(['http, bytes: create', '1100', '1000', '1.100'])
  })

  it('finds a figure that has grown by more than a tenth, or shrunk', () => {
    const measured = {
      'http, bytes': { create: 1101, replace: 1000, patch: 899, file: 950, details: 1050 },
    }
    const { grown, shrunk } = compareCounts(measured, allowed)
    expect(grown).toEqual(['http, bytes: create'])
    expect(shrunk).toEqual(['http, bytes: patch'])
  })

  it('finds a figure that was not measured, or is not allowed', () => {
    const { create: _, ...others } = allowed['http, bytes']
    expect(compareCounts({ 'http, bytes': others }, allowed).grown).toEqual(['http, bytes: create'])
    expect(compareCounts(allowed, {}).grown).toHaveLength(5)
  })
})
