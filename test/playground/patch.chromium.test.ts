import { describe, expect, it } from 'vitest'
import { examples } from '../../site/playground/examples.js'
import { changedLines, usePlayground } from '../support/playground/use-playground.js'

const open = usePlayground()
const version = ['- "version": 1', '+ "version": 2']

describe('playground.html and patches in Chromium', { timeout: 60_000 }, () => {
  it.each<[string, readonly (string | RegExp)[]]>([
    ['rename', ['- "title": "Office router"', '+ "title": "Front desk router"', ...version]],
    ['add-tag', ['+ "network"', ...version]],
    [
      'find-field',
      [
        ...version,
        '- "label": "PIN"',
        '- "value": "4711"',
        '+ "label": "Door PIN"',
        '+ "value": "0815"',
      ],
    ],
    [
      'regenerate',
      [
        ...version,
        '- "value": "correct horse"',
        /^\+ "value": "[A-Za-z0-9]{20}"$/,
        /^\+ "entropy": 119\.0\d+$/,
      ],
    ],
    [
      'remove-field',
      [
        ...version,
        ...['- {', '- "id": "pin"', '- "type": "CONCEALED"', '- "label": "PIN"'],
        ...['- "value": "4711"', '- }'],
      ],
    ],
    [
      'move-field',
      [
        ...version,
        ...['+ {', '+ "id": "door"', '+ "label": "Door"', '+ }'],
        ...['+ "section": {', '+ "id": "door"', '+ }'],
      ],
    ],
  ])('shows the result of the example %s', async (id, expected) => {
    const tab = await open()
    const example = examples.find((one) => one.id === id)
    await tab.getByRole('button', { name: example?.name ?? '', exact: true }).click()
    await expect.poll(() => tab.evaluate(() => location.hash)).toBe(`#${id}`)
    await expect
      .poll(() => changedLines(tab))
      .toEqual(
        expected.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
      )
    expect(await tab.locator('.problem').count()).toBe(0)
  })

  it.each([
    ['failure', 'operation 1 ("/fields/pni/value"): The item doesn\'t have a pni field.', '3'],
    ['rule', 'fields/3/value', undefined],
    ['strict', 'fields/2/lable: unknown, did you mean label?', '10'],
  ])('shows the error of the example %s and its place', async (id, message, line) => {
    const tab = await open('#rename')
    await tab.evaluate((hash) => {
      location.hash = hash
    }, id)
    const problem = tab.locator('.problem')
    await problem.getByText('400 INVALID_INPUT').waitFor()
    expect(await problem.textContent()).toContain(message)
    if (id !== 'strict') expect(await changedLines(tab)).toEqual([])
    const marked = await tab.locator('.lines > .marked').count()
    expect(marked).toBe(line === undefined ? 0 : 1)
    if (line === undefined)
      expect(await problem.textContent()).toContain('of the item that the patch would make')
    else {
      const button = problem.getByRole('button', { name: `Go to line ${line} of the` })
      await button.click()
      const [before, selected] = await tab.evaluate(() => {
        const field = document.activeElement as HTMLTextAreaElement
        const { value, selectionStart, selectionEnd } = field
        return [value.slice(0, selectionStart), value.slice(selectionStart, selectionEnd)]
      })
      expect(before?.split('\n').length).toBe(Number(line))
      expect(selected).toBe(
        id === 'failure'
          ? '{ "op": "replace", "path": "/fields/pni/value", "value": "0815" }'
          : '"PIN"',
      )
    }
  })

  it('keeps the last result while the text is not JSON', async () => {
    const tab = await open('#add-tag')
    await expect.poll(() => changedLines(tab)).toContain('+ "network"')
    const before = await tab.locator('.stored').textContent()
    const field = tab.getByLabel('Patch', { exact: true })
    await field.fill('[\n  { "op": "add", "path": "/tags/-", "value": "network", }\n]')
    await tab.getByText('Line 2, column 57: expected a name in double quotes.').first().waitFor()
    await tab.getByText('The last result:').waitFor()
    expect(await tab.locator('.stored').textContent()).toBe(before)
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await tab.locator('.marked').textContent()).toContain('"network"')
    await field.fill('[]')
    await tab.getByText('Nothing changed').first().waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('false')
  })

  it('shows an unexpected error, and that the last result is outdated', async () => {
    const tab = await open('#add-tag')
    await expect.poll(() => changedLines(tab)).toContain('+ "network"')
    await tab.evaluate(() => {
      crypto.getRandomValues = () => {
        throw new Error('no randomness')
      }
    })
    await tab.getByRole('button', { name: 'Run again' }).click()
    await tab.locator('.problem').getByText('no randomness').waitFor()
    await tab.locator('.outdated').getByText('The last result:').waitFor()
    expect(await tab.getByText(/^Stored as version/).count()).toBe(0)
    await tab.evaluate(() => Reflect.deleteProperty(crypto, 'getRandomValues'))
    await tab.getByRole('button', { name: 'Run again' }).click()
    await tab
      .getByText(/^Stored as version 2/)
      .first()
      .waitFor()
    expect(await tab.locator('.problem').count()).toBe(0)
  })

  it('shows the result while the item is typed, and the same ids and times', async () => {
    const tab = await open('#regenerate')
    const password = () => tab.locator('ins', { hasText: '"value"' }).textContent()
    const first = await password()
    const field = tab.getByLabel('Item', { exact: true })
    await field.focus()
    await field.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(37, 37))
    await tab.keyboard.type('New ')
    await tab.locator('.stored').getByText('"title": "New Office router"').waitFor()
    expect(await password()).toBe(first)
    await tab.getByRole('button', { name: 'Run again' }).click()
    await expect.poll(password).not.toBe(first)
  })

  it('ignores a misspelt attribute when the service is not strict', async () => {
    const tab = await open('#strict')
    await tab.locator('.problem').waitFor()
    await tab.getByLabel(/^Strict/).uncheck()
    await expect.poll(() => changedLines(tab)).toContain('+ "favorite": true')
  })
})
