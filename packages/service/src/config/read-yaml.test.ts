import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'tap'
import { parseLargeYaml } from './read-yaml.ts'

/** A text of more than 10,000 characters. */
const large = (last: string) => `${'# comment\n'.repeat(1000)}list: [1, two, { three: 3.5 }]\n${last}`

test('a kept value is the parsed value, and belongs to exactly its text', async (t) => {
  const directory = t.testdir()
  for (const last of ['last: yes', 'last: 2026-11-28', 'last: null', 'last: ""']) {
    const first = parseLargeYaml(large(last), directory)
    assert.deepEqual(first, parseLargeYaml(large(last), undefined))
    assert.deepEqual(parseLargeYaml(large(last), directory), first)
  }
  assert.equal(readdirSync(directory).length, 4)
})

test('errors, small texts and values that JSON lacks are not kept', async (t) => {
  const directory = t.testdir()
  for (let round = 0; round < 2; round++) {
    assert.throws(() => parseLargeYaml(large('list: 1'), directory), AggregateError)
    assert.equal((parseLargeYaml(large('last: .inf'), directory) as { last: number }).last, Number.POSITIVE_INFINITY)
    assert.deepEqual(parseLargeYaml('a: 1', directory), { a: 1 })
  }
  assert.deepEqual(readdirSync(directory), [])
})

test('without a writable directory, texts are parsed', async () => {
  assert.deepEqual(parseLargeYaml(large('a: 1'), '/nonexistent'), parseLargeYaml(large('a: 1'), undefined))
})
