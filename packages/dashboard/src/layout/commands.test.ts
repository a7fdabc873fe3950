import assert from 'node:assert/strict'
import { test } from 'tap'
import { type Command, findCommands, requestIdIn } from './commands.ts'

const command = (text: string, more: Partial<Command> = {}): Command => ({
  id: text,
  text,
  icon: null as unknown as Command['icon'],
  run: () => null,
  ...more
})
const groups = [
  { title: 'Pages', items: [command('Overview'), command('Audit log'), command('Keys')] },
  { title: 'Keys', items: [command('Production', { hint: 'tg_Qm3x…' }), command('Staging')] },
  { title: 'Actions', items: [command('Use the dark theme', { words: 'night mode' })] }
]
const textsFor = (typed: string) => findCommands(groups, typed).flatMap(({ items }) => items.map(({ text }) => text))

test('commands are found by the beginnings of their words, by their hint, and by other words', async () => {
  for (const [typed, texts] of [
    ['key', ['Keys']],
    [' LOG ', ['Audit log']],
    ['au lo', ['Audit log']],
    ['tg_qm', ['Production']],
    ['view', ['Overview']],
    ['dark night', ['Use the dark theme']],
    ['o', ['Overview']],
    ['nothing', []]
  ] as const) {
    assert.deepEqual(textsFor(typed), texts, typed)
  }
  assert.equal(textsFor('').length, 6)
})

test('groups without a match are left out', async () => {
  assert.deepEqual(
    findCommands(groups, 'stag').map(({ title }) => title),
    ['Keys']
  )
})

test('the id of a request is found alone and in a pasted line, and ids of keys and names of models are none', async () => {
  const id = 'req_0199c1f2-7f3b-7c1e-9d55-0a5e8c7f1b22'
  for (const typed of [` ${id} `, id.toUpperCase(), `x-request-id: ${id}`]) assert.equal(requestIdIn(typed), id, typed)
  for (const typed of [
    '',
    'production',
    'key_000000000000000000000000',
    'claude-3-5-sonnet-20241022',
    id.slice(0, -1)
  ]) {
    assert.equal(requestIdIn(typed), null, typed)
  }
})
