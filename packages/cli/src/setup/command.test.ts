import assert from 'node:assert/strict'
import { test } from 'tap'
import { parseCommand, UsageError } from './command.mjs'

test('a script gets all following arguments, including options', async () => {
  assert.deepEqual(parseCommand(['a/b.ts']), { kind: 'script', script: 'a/b.ts', args: [] })
  assert.deepEqual(parseCommand(['a/b.ts', '--bin', 'x']), { kind: 'script', script: 'a/b.ts', args: ['--bin', 'x'] })
})

test('a tool gets all following arguments', async () => {
  assert.deepEqual(parseCommand(['--bin', 'tap']), { kind: 'bin', name: 'tap', args: [] })
  assert.deepEqual(parseCommand(['--bin', 'tap', '--bail', 'x.test.ts']), {
    kind: 'bin',
    name: 'tap',
    args: ['--bail', 'x.test.ts']
  })
})

test('no command, an unknown option and a path instead of a tool are refused', async () => {
  for (const argv of [[], ['--tap'], ['--bin'], ['--bin', '../evil'], ['--bin', '']]) {
    assert.throws(() => parseCommand(argv), UsageError, argv.join(' '))
  }
})
