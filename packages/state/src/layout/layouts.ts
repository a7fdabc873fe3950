import { type FrequentCounter, frequentCounters, rareCounters } from '@tollgate/contracts/meters/meters.ts'

/**
 * The packed values in Redis, in the format of Lua's `struct`: parts in this order, `d` a double, `s` a text.
 * TypeScript reads and writes them with `wire/packed.ts`. Scripts name the parts with `EACH(account, NAME)`: the end of
 * this file writes them out. The Lua files of the same names say what the parts mean.
 */
export const layouts = {
  account: numbers('version', 'month', 'settled', 'reserved', 'open', 'arrival', 'tokenArrival', 'due', 'endedUntil'),
  key: numbers('version', 'month', 'settled', 'reserved', 'arrival'),
  budget: numbers('window', 'settled', 'reserved', 'corrections'),
  hold: {
    ...numbers('deadline', 'at', 'granted', 'nanos', 'promptTokens', 'tokens', 'tokensPerMinute'),
    ...texts('tag', 'keyField', 'model', 'budgets')
  },
  row: numbers(...rowParts()),
  /** The end of a row with a rare counter that is not 0. */
  rareCounters: numbers(...rareCounters),
  /** A row with its end. */
  wholeRow: numbers(...rowParts(), ...rareCounters),
  marker: { ...numbers('version', 'month'), ...texts('run', 'lost') },
  /** An argument of settle-held.lua. */
  sum: { ...numbers('at', 'heldNanos', ...frequentCounters), ...texts('keyField', 'rowEnd', 'rare', 'budgets') }
} as const

export type LayoutName = keyof typeof layouts

/** Parts in their order. */
export type Layout = Readonly<Record<string, 'd' | 's'>>

/** The values of a layout's parts. */
export type Packed<Parts extends Layout> = {
  -readonly [Part in keyof Parts]: Parts[Part] extends 'd' ? number : string
}

/** Rows of older versions end with `isListed`, so later counters come after it. */
function rowParts(): Array<FrequentCounter | 'revision' | 'born' | 'isListed'> {
  const countersBefore = 8
  const [first, later] = [frequentCounters.slice(0, countersBefore), frequentCounters.slice(countersBefore)]
  return [...first, 'revision', 'born', 'isListed', ...later]
}

function numbers<Part extends string>(...parts: Part[]): Record<Part, 'd'> {
  return Object.fromEntries(parts.map((part) => [part, 'd'])) as Record<Part, 'd'>
}

function texts<Part extends string>(...parts: Part[]): Record<Part, 's'> {
  return Object.fromEntries(parts.map((part) => [part, 's'])) as Record<Part, 's'>
}

const lists = new Map<string, readonly string[]>([
  ...Object.entries(layouts).map(([name, layout]): [string, string[]] => [name, Object.keys(layout)]),
  ['counters', frequentCounters]
])

const separators = { EACH: ', ', ALL: ' and ', SUM: ' + ' } as const

/**
 * Writes out the expressions of a script for each part of a layout, or for the `counters` that are not rare. So scripts
 * that only pass a new part on need no change, and Redis needs no function call.
 *
 * - `EACH(key, NAME)` becomes `version, month, …`, and `EACH(key, keyName)` becomes `keyVersion, keyMonth, …`. Each
 *   part replaces `NAME`, or `Name` with a capital.
 * - `ALL(…)` joins with `and`, `SUM(…)` with `+`.
 * - `FORM(key)` becomes the format for `struct`.
 *
 * @throws Error for an unknown layout
 */
export function expandLayouts(lua: string): string {
  return lua
    .replace(/\bFORM\((\w+)\)/g, (_text, name: string) => `'${formOf(name)}'`)
    .replace(
      /\b(EACH|ALL|SUM)\((\w+), ([^)]*)\)/g,
      (_text, join: keyof typeof separators, name: string, pattern: string) =>
        listOf(name)
          .map((part) =>
            pattern.replaceAll('NAME', part).replaceAll('Name', part.charAt(0).toUpperCase() + part.slice(1))
          )
          .join(separators[join])
    )
}

function formOf(name: string): string {
  if (!Object.hasOwn(layouts, name)) throw new Error(`a script names an unknown layout: ${name}`)
  return `<${Object.values(layouts[name as keyof typeof layouts]).join('')}`
}

function listOf(name: string): readonly string[] {
  const list = lists.get(name)
  if (list === undefined) throw new Error(`a script names an unknown layout: ${name}`)
  return list
}
