import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { isInstallationCurrent, recordInstallation } from './set-up.mjs'

function workspace(t: Test): string {
  return t.testdir({
    'package.json': '{}',
    'pnpm-lock.yaml': 'lockfileVersion: 9',
    'pnpm-workspace.yaml': 'packages: []',
    packages: { a: { 'package.json': '{}', 'a.ts': '' }, notes: {} },
    services: { b: { 'package.json': '{}' } }
  })
}

test('a new clone is not set up until its installation is recorded', async (t) => {
  const root = workspace(t)
  assert.equal(isInstallationCurrent(root), false)
  recordInstallation(root)
  assert.equal(isInstallationCurrent(root), true)
})

for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'packages/a/package.json']) {
  test(`a change of ${file} requires a new installation`, async (t) => {
    const root = workspace(t)
    recordInstallation(root)
    appendFileSync(join(root, file), ' ')
    assert.equal(isInstallationCurrent(root), false)
  })
}

test('a new package and a removed package ask for a new installation', async (t) => {
  const root = workspace(t)
  recordInstallation(root)
  mkdirSync(join(root, 'services/c'))
  writeFileSync(join(root, 'services/c/package.json'), '{}')
  assert.equal(isInstallationCurrent(root), false)
  rmSync(join(root, 'services/c'), { recursive: true })
  assert.equal(isInstallationCurrent(root), true)
  rmSync(join(root, 'packages/a'), { recursive: true })
  assert.equal(isInstallationCurrent(root), false)
})

test('a change of a source file requires no new installation', async (t) => {
  const root = workspace(t)
  recordInstallation(root)
  appendFileSync(join(root, 'packages/a/a.ts'), 'export {}')
  assert.equal(isInstallationCurrent(root), true)
})

test('removing node_modules requires a new installation', async (t) => {
  const root = workspace(t)
  recordInstallation(root)
  rmSync(join(root, 'node_modules'), { recursive: true })
  assert.equal(isInstallationCurrent(root), false)
})
