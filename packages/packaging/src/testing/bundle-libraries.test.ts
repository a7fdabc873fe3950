import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { libraries } from './libraries.ts'

/** The package of an import, such as `@fastify/cors` or `typebox`. */
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0]

test('every import of a bundled library is bundled, so no program has two copies of its state', async () => {
  const imports = globSync('{services,packages}/*/src/**/*.ts', { cwd: workspaceFile('') }).flatMap((file) =>
    [
      ...readFileSync(workspaceFile(file), 'utf8').matchAll(
        /(?:import\(|^(?:import|export) (?!type )[^']* from )'([@a-z][^']*)'/gm
      )
    ].map(([, specifier]) => specifier!)
  )
  const bundled = new Set(Object.keys(libraries).map(packageOf))
  const missing = imports.filter((specifier) => bundled.has(packageOf(specifier)) && !(specifier in libraries))
  assert.deepEqual([...new Set(missing)], [])
  assert.deepEqual(
    Object.keys(libraries).filter((name) => !imports.includes(name)),
    []
  )
})
