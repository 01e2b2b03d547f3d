/**
 * Loads every entry point in the environment of a browser, with what docs/testing.md says.
 * @jest-environment jsdom
 */

const { TextDecoder, TextEncoder } = require('node:util')

Object.assign(globalThis, { TextDecoder, TextEncoder })

const { exports: subpaths } = require('cofferkit/package.json')

const specifiers = Object.keys(subpaths).map((subpath) => subpath.replace('.', 'cofferkit'))

test.each(specifiers)('%s is loaded in jsdom', (specifier) => {
  expect(Object.keys(require(specifier))).not.toEqual([])
})
