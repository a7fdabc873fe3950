import { globSync } from 'node:fs'
import { testsAll } from '@tollgate/sandbox/property-runs.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'

/** Which test files share a process, and which run when: by their names alone. */

/** The path of a test file in the workspace, such as `packages/state/src/wire/packed.test.ts`. */
export type TestFile = string

/** The names of groups, each with the folders of its files. A file belongs to the first folder that has it. */
type Groups = Readonly<Record<string, readonly string[]>>

/**
 * If several groups name a folder, its files are dealt out to them. tap starts the groups in any order, so that a long
 * one may start last: none has more than a fifth of the work.
 */
export const groups: Groups = {
  'control-1': ['services/control/'],
  'control-2': ['services/control/'],
  'control-3': ['services/control/'],
  'control-4': ['services/control/'],
  'gateway-1': ['services/gateway/'],
  'gateway-2': ['services/gateway/'],
  system: ['packages/e2e/'],
  state: ['packages/state/'],
  'dashboard-and-sandbox': ['packages/dashboard/', 'packages/sandbox/'],
  unit: ['packages/']
}
/** Long files of these folders have groups of their own, which start first because they take longest. */
export const longGroups: Groups = {
  'all-browser': ['packages/e2e/src/dashboard/'],
  'all-systems-1': ['packages/e2e/', 'packages/cli/'],
  'all-systems-2': ['packages/e2e/', 'packages/cli/']
}

/** Only `npm run test:all` runs these. */
export const isLong = (file: TestFile): boolean => /\.long\.(?:alone\.)?test\.ts$/.test(file)
/** These run in a process of their own. */
export const isAlone = (file: TestFile): boolean => file.endsWith('.alone.test.ts')

export const allTestFiles = (): TestFile[] =>
  globSync('{packages,services}/*/src/**/*.test.ts', { cwd: workspaceFile('') }).sort()

/** @returns the files of each group, in order */
export function dealOut(files: readonly TestFile[]): Map<string, TestFile[]> {
  const result = new Map(Object.keys({ ...longGroups, ...groups }).map((name) => [name, [] as TestFile[]]))
  const dealt = new Map<string, number>()
  for (const file of files.filter((file) => !isAlone(file)).toSorted()) {
    const owners = ownersOf(file)
    const count = dealt.get(owners.join()) ?? 0
    dealt.set(owners.join(), count + 1)
    result.get(owners[count % owners.length]!)!.push(file)
  }
  return result
}

/** The groups to which a file may be dealt. */
function ownersOf(file: TestFile): string[] {
  for (const table of isLong(file) ? [longGroups, groups] : [groups]) {
    const folder = Object.values(table)
      .flat()
      .find((one) => file.startsWith(one))
    if (folder !== undefined) return Object.keys(table).filter((name) => table[name]!.includes(folder))
  }
  throw new Error(`no group has ${file}`)
}

/** Prints each file that `npm test`, or `npm run test:all`, runs, after its group; `-` for a process of its own. */
if (import.meta.main) {
  const files = allTestFiles().filter((file) => testsAll || !isLong(file))
  const grouped = [...dealOut(files)].flatMap(([name, own]) => own.map((file) => `${name} ${file}`))
  process.stdout.write([...grouped, ...files.filter(isAlone).map((file) => `- ${file}`), ''].join('\n'))
}
