import { frequentCounters } from '@tollgate/contracts/usage/usage-counters.ts'
import { layouts } from './layouts.ts'

const lists = new Map<string, readonly string[]>([
  ...Object.entries(layouts).map(([name, layout]): [string, string[]] => [name, Object.keys(layout)]),
  ['counters', frequentCounters]
])

const separators = { EACH: ', ', ALL: ' and ', SUM: ' + ' } as const

/**
 * Writes out the expressions of a script for each part of a layout, or for the `counters` that are not rare. So scripts that only pass a new part
 * on need no change, and Redis needs no function call.
 *
 * - `EACH(key, NAME)` becomes `version, month, …`, and `EACH(key, keyName)` becomes `keyVersion, keyMonth, …`. Each part
 *   replaces `NAME`, or `Name` with a capital.
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
