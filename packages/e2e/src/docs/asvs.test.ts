import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { workspaceUrl } from '@tollgate/service/workspace.ts'
import { test } from 'tap'

const root = workspaceUrl('')
const text = readFileSync(new URL('docs/security/asvs.md', root), 'utf8')
const rows = [...text.matchAll(/^\| (\d[^|]*?) +\| (\S+) +\| (.*?) *\|$/gm)].map(([, ids, state, where]) => ({
  ids: ids!,
  state: state!,
  where: where!
}))

/** Sections of ASVS 5.0.0: number of requirements, then the numbers of those at level 3 only. */
const sections: Record<string, [count: number, ...level3: number[]]> = {
  1.1: [2],
  1.2: [10, 10],
  1.3: [12, 12],
  1.4: [3],
  1.5: [3, 3],
  2.1: [3],
  2.2: [3],
  2.3: [5, 5],
  2.4: [2, 2],
  3.2: [3, 3],
  3.3: [5, 5],
  3.4: [8, 7, 8],
  3.5: [8, 6, 7, 8],
  3.7: [5, 3, 4, 5],
  4.1: [5, 4, 5],
  4.2: [5, 2, 3, 4, 5],
  4.3: [2],
  4.4: [4],
  5.1: [1],
  5.2: [6, 4, 5, 6],
  5.3: [3, 3],
  5.4: [3],
  6.1: [3],
  6.2: [12],
  6.3: [8, 5, 6, 7, 8],
  6.4: [6, 5, 6],
  6.5: [8, 6, 7, 8],
  6.6: [4, 4],
  6.8: [4],
  7.1: [3],
  7.2: [4],
  7.3: [2],
  7.4: [5],
  7.5: [3, 3],
  7.6: [2],
  8.1: [4, 3, 4],
  8.2: [4, 4],
  8.3: [3, 2, 3],
  8.4: [2, 2],
  9.1: [3],
  9.2: [4],
  // Control is an OAuth client only.
  10.1: [2],
  10.2: [3, 3],
  11.1: [4, 3, 4],
  11.2: [5, 4, 5],
  11.3: [5, 4, 5],
  11.4: [4],
  11.5: [2, 2],
  11.6: [2, 2],
  12.1: [5, 4, 5],
  12.2: [2],
  12.3: [5, 5],
  13.1: [4, 2, 3, 4],
  13.2: [6, 6],
  13.3: [4, 3, 4],
  13.4: [7, 6, 7],
  14.1: [2],
  14.2: [8, 5, 6, 7, 8],
  14.3: [3],
  15.1: [5, 4, 5],
  15.2: [5, 4, 5],
  15.3: [7],
  16.1: [1],
  16.2: [5],
  16.3: [4],
  16.4: [3],
  16.5: [4, 4]
}
const required = Object.entries(sections).flatMap(([section, [count, ...level3]]) =>
  Array.from({ length: count }, (_, at) => at + 1)
    .filter((number) => !level3.includes(number))
    .map((number) => `${section}.${number}`)
)

/** `6.5.1–6.5.3, 6.6.1` → `6.5.1`, `6.5.2`, `6.5.3`, `6.6.1` */
const idsOf = (ids: string): string[] =>
  ids.split(', ').flatMap((one) => {
    const [first, last] = one.split('–')
    if (last === undefined) return [first!]
    const [section, from, to] = [first!.slice(0, first!.lastIndexOf('.')), numberOf(first!), numberOf(last)]
    return Array.from({ length: to - from + 1 }, (_, at) => `${section}.${from + at}`)
  })
const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('.') + 1))

test('every applicable requirement is listed once', async () => {
  const listed = rows.flatMap(({ ids }) => idsOf(ids))
  assert.deepEqual(listed.toSorted(), required.toSorted())
  for (const { ids, state } of rows) assert.match(state, /^(met|operator|n\/a|open)$/, ids)
})

test('the files named as proof exist', async () => {
  const folders: Record<string, string> = { c: 'services/control/src', g: 'services/gateway/src', p: 'packages' }
  let count = 0
  for (const { ids, where } of rows) {
    for (const [, folder, rest] of where.matchAll(/`([cgp])\/([^`]+)`/g)) {
      count++
      assert.ok(existsSync(new URL(`${folders[folder!]}/${rest}`, root)), `${ids}: ${folder}/${rest}`)
    }
  }
  assert.ok(count > 100, String(count))
})
