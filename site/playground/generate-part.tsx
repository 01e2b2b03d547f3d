/** The second part of the playground: a recipe, a value and its entropy. */

import {
  type CharacterSet,
  type GeneratedPassword,
  generatePassword,
  isVaultError,
  type Recipe,
  type VaultError,
} from 'cofferkit'
import { useMemo, useRef, useState } from 'preact/hooks'
import { EntropyText } from './entropy-text.js'
import { OutcomeBox, Part } from './part.js'
import { useAnnouncement } from './use-announcement.js'

const sets: Readonly<Record<CharacterSet, string>> = {
  LETTERS: 'Letters (A–Z, a–z)',
  DIGITS: 'Digits (0–9)',
  SYMBOLS: 'Symbols (! @ . - _ *)',
}
const setNames = Object.keys(sets) as CharacterSet[]

/** A recipe as it is typed. */
interface RecipeDraft {
  readonly length: string
  readonly characterSets: readonly CharacterSet[]
  readonly excludeCharacters: string
}

/** A generated value, or the error of the recipe. */
interface Attempt {
  readonly generated: (GeneratedPassword & { readonly recipe: Recipe }) | undefined
  readonly error: VaultError | undefined
}

/** The recipe and the value. */
export function GeneratePart() {
  const [draft, setDraft] = useState<RecipeDraft>({
    ...{ length: '20', characterSets: setNames, excludeCharacters: '' },
  })
  const [runs, setRuns] = useState(0)
  const last = useRef<Attempt['generated']>(undefined)
  const recipe = recipeOf(draft)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `runs` generates another value.
  const { generated, error } = useMemo(() => generate(recipe), [JSON.stringify(recipe), runs])
  last.current = generated ?? last.current
  const shown = last.current
  const bits = shown?.entropy.toFixed(2)
  const [isUsed, setUsed] = useState(false)
  const announcement = useAnnouncement(error?.message ?? `${bits} bits of entropy.`, isUsed)
  const change = (changes: Partial<RecipeDraft>): void => {
    setUsed(true)
    setDraft({ ...draft, ...changes })
  }
  const toggle = (name: CharacterSet, isOn: boolean): void => {
    const chosen = setNames.filter((one) =>
      one === name ? isOn : draft.characterSets.includes(one),
    )
    change({ characterSets: chosen })
  }
  return (
    <Part id="generate" heading="Generate a value" announcement={announcement}>
      <div class="columns">
        <div class="stack form">
          <label for="length">Length, 1 to 64</label>
          <input
            id="length"
            type="number"
            min={1}
            max={64}
            value={draft.length}
            aria-invalid={error !== undefined}
            aria-describedby={error === undefined ? undefined : 'recipe-problem'}
            onInput={({ currentTarget }) => change({ length: currentTarget.value })}
          />
          <fieldset>
            <legend>Character sets</legend>
            {setNames.map((name) => (
              <label class="check" key={name}>
                <input
                  type="checkbox"
                  checked={draft.characterSets.includes(name)}
                  onChange={({ currentTarget }) => toggle(name, currentTarget.checked)}
                />
                {sets[name]}
              </label>
            ))}
            {draft.characterSets.length === 0 && (
              <p class="hint">A recipe without character sets has all three.</p>
            )}
          </fieldset>
          <label for="excluded">Excluded characters</label>
          <input
            id="excluded"
            class="code"
            value={draft.excludeCharacters}
            spellcheck={false}
            autocomplete="off"
            autocapitalize="off"
            onInput={({ currentTarget }) => change({ excludeCharacters: currentTarget.value })}
          />
          <div class="buttons">
            <button type="button" class="primary" onClick={() => setRuns(runs + 1)}>
              Generate
            </button>
          </div>
        </div>
        <div class="stack">
          {error !== undefined && (
            <p class="problem" id="recipe-problem">
              <b>
                {error.status} {error.code}
              </b>{' '}
              {error.message}
            </p>
          )}
          {shown && (
            <OutcomeBox isOutdated={error !== undefined}>
              <p class="label" id="value-label">
                Value
              </p>
              <output class="generated" aria-labelledby="value-label" aria-live="off">
                {shown.value}
              </output>
              <p class="entropy">
                <b>{bits} bits</b> of entropy
              </p>
              <EntropyText recipe={shown.recipe} />
              <p class="label">Code</p>
              <pre class="snippet">{`generatePassword(${JSON.stringify(shown.recipe)})`}</pre>
            </OutcomeBox>
          )}
        </div>
      </div>
    </Part>
  )
}

function recipeOf({ length, characterSets, excludeCharacters }: RecipeDraft): Recipe {
  return {
    ...(length !== '' && { length: Number(length) }),
    ...(characterSets.length > 0 && characterSets.length < setNames.length && { characterSets }),
    ...(excludeCharacters !== '' && { excludeCharacters }),
  }
}

function generate(recipe: Recipe): Attempt {
  try {
    return { generated: { ...generatePassword(recipe), recipe }, error: undefined }
  } catch (error) {
    if (!isVaultError(error)) throw error
    return { generated: undefined, error }
  }
}
