import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { readYaml } from '@tollgate/service/config/read-yaml.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { Type } from 'typebox'
import { allTestFiles, dealOut, groups, isAlone, isLong, longGroups } from './list-files.ts'

const cwd = workspaceFile('')
const { include } = readYaml(workspaceFile('.taprc'), Type.Object({ include: Type.Array(Type.String()) }))
const { scripts } = JSON.parse(readFileSync(workspaceFile('package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const includeOfAll = [...scripts['test:all']!.matchAll(/--include='([^']+)'/g)].map(([, pattern]) => pattern!)

/** The files that tap starts: groups' and tests'. */
const started = (patterns: readonly string[]) => patterns.flatMap((pattern) => globSync(pattern, { cwd })).sort()

test('every test file runs in exactly one form', async () => {
  const files = allTestFiles()
  assert.ok(files.length > 300)
  const grouped = [...dealOut(files).values()].flat()
  assert.deepEqual([...grouped, ...files.filter(isAlone)].sort(), files)
  for (const file of files)
    assert.match(basename(file), /^[a-zA-Z0-9-]+(?:\.property)?(?:\.long)?(?:\.alone)?\.test\.ts$/)
})

test('npm test starts every group, and each file with a process of its own that is not long', async () => {
  const entriesOf = (names: object) => Object.keys(names).map((name) => `packages/cli/src/testing/groups/${name}.ts`)
  const alone = allTestFiles().filter(isAlone)
  assert.deepEqual(started(include), [...entriesOf(groups), ...alone.filter((file) => !isLong(file))].sort())
  assert.deepEqual(started(includeOfAll), [...entriesOf(groups), ...entriesOf(longGroups), ...alone].sort())
})

test('a group that npm test starts has a file for it, and long groups have only long files', async () => {
  const dealt = dealOut(allTestFiles())
  for (const name of Object.keys(groups))
    assert.ok(
      dealt.get(name)!.some((file) => !isLong(file)),
      name
    )
  for (const name of Object.keys(longGroups)) assert.ok(dealt.get(name)!.length > 0 && dealt.get(name)!.every(isLong))
})

test('files of several groups are dealt out evenly, and none twice', async () => {
  const files = Array.from({ length: 7 }, (_, i) => `services/control/src/x/${i}.test.ts`)
  const dealt = dealOut([...files, 'services/control/src/x/y.alone.test.ts'])
  assert.deepEqual(
    ['control-1', 'control-2', 'control-3', 'control-4'].map((name) => dealt.get(name)!.length),
    [2, 2, 2, 1]
  )
  assert.throws(() => dealOut(['elsewhere/x.test.ts']), /no group has elsewhere/)
})
