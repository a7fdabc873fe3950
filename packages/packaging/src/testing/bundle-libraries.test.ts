import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { libraries } from './libraries.ts'

test('every import of a bundled library is bundled, so no program has two copies of its state', async () => {
  const imports = globSync('{services,packages}/*/src/**/*.ts', { cwd: workspaceFile('') }).flatMap((file) =>
    [...readFileSync(workspaceFile(file), 'utf8').matchAll(/ from '((?:tap|typebox|stripe)(?:\/[^']*)?)'/g)].map(
      ([, specifier]) => specifier!
    )
  )
  assert.deepEqual([...new Set(imports)].sort(), [...libraries].sort())
})
