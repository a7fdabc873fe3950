import assert from 'node:assert/strict'
import { test } from 'tap'
import { readArguments, UsageError } from './arguments.ts'

const choices = { parts: ['chat', 'stream'], targets: ['gateway', 'bare'] as const }

test('without arguments, all parts measure the gateway', async () => {
  assert.deepEqual(readArguments([], choices), {
    parts: [],
    target: 'gateway',
    json: null,
    profile: false,
    profileDir: null,
    patienceSeconds: 0,
    minutes: null,
    quick: false,
    rows: null,
    pairs: null,
    help: false
  })
})

test('parts and options can be given in any order', async () => {
  const read = readArguments(['stream', '--json', 'out.json', '--target=bare', 'chat', '--profile-dir', 'p'], choices)
  assert.deepEqual(read.parts, ['stream', 'chat'])
  assert.equal(read.json, 'out.json')
  assert.equal(read.target, 'bare')
  assert.equal(read.profileDir, 'p')
  assert.ok(read.profile)
  assert.equal(readArguments(['--minutes', '0.5'], choices).minutes, 0.5)
  assert.equal(readArguments(['--pairs', '2'], choices).pairs, 2)
})

test('the error names an unknown part, target or option', async () => {
  assert.throws(() => readArguments(['strem'], choices), new UsageError('unknown part "strem"; there are chat, stream'))
  assert.throws(() => readArguments(['--target', 'x'], choices), /unknown target "x"; there are gateway, bare/)
  assert.throws(() => readArguments(['--patience', 'long'], choices), /--patience is a number/)
  assert.throws(() => readArguments(['--minutes', '0'], choices), /--minutes is a number above 0/)
  assert.throws(() => readArguments(['--pairs', '0.5'], choices), /--pairs is a whole number above 0/)
  assert.throws(() => readArguments(['--jsn'], choices), UsageError)
})
