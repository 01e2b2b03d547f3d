import { describe, expect, it } from 'vitest'
import { generatePassword } from '../../src/index.js'
import { entropyByCounting } from '../support/playground/entropy-by-counting.js'
import { usePlayground } from '../support/playground/use-playground.js'

const open = usePlayground()

describe('playground.html and generated values in Chromium', { timeout: 60_000 }, () => {
  it.each([
    [{}, 32],
    [{ length: 1 }, 1],
    [{ length: 2 }, 2],
    [{ length: 64 }, 64],
    [{ length: 20, characterSets: ['LETTERS', 'DIGITS'] }, 20],
    [{ length: 6, characterSets: ['DIGITS'], excludeCharacters: '0' }, 6],
    [{ length: 12, excludeCharacters: 'lIO01!' }, 12],
    [{ length: 16, characterSets: ['LETTERS', 'SYMBOLS'], excludeCharacters: '.-_*@' }, 16],
  ] as const)('generates a value of %j with its exact entropy', async (recipe, length) => {
    const { characterSets = [], excludeCharacters = '' } = { ...recipe } as {
      characterSets?: readonly ('LETTERS' | 'DIGITS' | 'SYMBOLS')[]
      excludeCharacters?: string
    }
    const tab = await open()
    await tab.getByLabel(/^Length/).fill('length' in recipe ? `${recipe.length}` : '')
    for (const name of ['LETTERS', 'DIGITS', 'SYMBOLS'] as const) {
      const box = tab.getByLabel(new RegExp(`^${name}`, 'i'))
      await box.setChecked(characterSets.length === 0 || characterSets.includes(name))
    }
    await tab.getByLabel('Excluded characters').fill(excludeCharacters)
    await tab.getByRole('button', { name: 'Generate', exact: true }).click()
    const value = (await tab.locator('.generated').textContent()) ?? ''
    expect(value).toHaveLength(length)
    for (const character of excludeCharacters) expect(value).not.toContain(character)
    const bits = /^([\d.]+) bits/.exec((await tab.locator('.entropy').textContent()) ?? '')?.[1]
    expect(bits).toBe(generatePassword(recipe).entropy.toFixed(2))
    expect(bits).toBe(entropyByCounting({ length, characterSets, excludeCharacters }).toFixed(2))
    const code = await tab.locator('.snippet').first().textContent()
    expect(generatePassword(JSON.parse(/\((.*)\)/.exec(code ?? '')?.[1] ?? '')).value).toHaveLength(
      length,
    )
  })

  it('shows the error of a recipe, and keeps the last value', async () => {
    const tab = await open()
    const value = await tab.locator('.generated').textContent()
    await tab.getByLabel(/^Length/).fill('65')
    await tab.getByText('length must be at most 64').first().waitFor()
    expect(await tab.locator('.generated').textContent()).toBe(value)
    await tab.getByLabel(/^Length/).fill('8')
    await expect.poll(() => tab.locator('.generated').textContent()).toHaveLength(8)
    await tab.getByLabel(/^Letters/).uncheck()
    await tab.getByLabel(/^Symbols/).uncheck()
    await tab.getByLabel('Excluded characters').fill('012345678')
    await tab.getByText('must leave at least two characters').first().waitFor()
  })

  it('creates an SSH key pair', async () => {
    const tab = await open()
    await tab.getByLabel('Comment').fill('wendy@example.com')
    await tab.getByRole('button', { name: 'Create', exact: true }).click()
    await tab.getByText(/^ssh-ed25519 \S+ wendy@example\.com$/).waitFor()
    await tab.getByText('-----BEGIN OPENSSH PRIVATE KEY-----').waitFor()
  })

  it('is refused every request by its policy', async () => {
    const tab = await open()
    const directive = await tab.evaluate(() => {
      const violation = new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => {
          // The test fails if the window receives it.
          event.stopPropagation()
          resolve(event.effectiveDirective)
        })
      })
      fetch('/values').catch(() => undefined)
      return violation
    })
    expect(directive).toBe('connect-src')
  })

  it('keeps nothing in the browser', async () => {
    const tab = await open()
    await tab.getByRole('button', { name: 'Regenerate a password' }).click()
    await tab.getByRole('button', { name: 'Generate', exact: true }).click()
    const kept = await tab.evaluate(async () => [
      ...[localStorage.length, sessionStorage.length, document.cookie],
      (await indexedDB.databases()).length,
    ])
    expect(kept).toEqual([0, 0, '', 0])
  })

  it.each(['light', 'dark'])('uses the theme %s that was chosen in the docs', async (theme) => {
    const tab = await open('', { colorScheme: theme === 'light' ? 'dark' : 'light' })
    await tab.evaluate((name) => localStorage.setItem('tsd-theme', name), theme)
    await tab.reload()
    const scheme = await tab.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
    expect(scheme).toBe(theme)
  })
})
