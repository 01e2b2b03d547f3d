import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { exampleOutputs, otherExamples } from './support/source/example-outputs.js'

describe('examples', () => {
  it('are all in test/support/source/example-outputs.ts', () => {
    const files = readdirSync('examples').filter((name) => name.endsWith('.ts'))
    expect(files.sort()).toEqual([...Object.keys(exampleOutputs), ...otherExamples].sort())
  })
})
