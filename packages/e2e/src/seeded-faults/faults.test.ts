import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { readPromises } from '../docs/promises.ts'
import { faults } from './faults.ts'

test('each seeded fault changes one place of the product', async () => {
  for (const { name, file, from, to } of faults) {
    const text = readFileSync(workspaceFile(file), 'utf8')
    assert.equal(text.split(from).length - 1, 1, `${name}: ${file}`)
    assert.notEqual(from, to, name)
    assert.doesNotMatch(file, /\/testing\/|\.test\.ts$/, name)
  }
})

test('each seeded fault breaks a promise that npm test proves', async () => {
  const proved = readPromises().flatMap(({ command, test }) => (command === 'npm test' ? test : []))
  assert.deepEqual(
    faults.flatMap(({ name, test }) => (proved.filter((one) => one === test).length === 1 ? [] : name)),
    []
  )
  assert.ok(faults.length >= 10)
  assert.equal(new Set(faults.map(({ name }) => name)).size, faults.length)
})
