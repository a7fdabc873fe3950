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
const found = (typed: string) => findCommands(groups, typed).flatMap(({ items }) => items.map(({ text }) => text))

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
    assert.deepEqual(found(typed), texts, typed)
  }
  assert.equal(found('').length, 6)
})

test('groups without a match are left out', async () => {
  assert.deepEqual(
    findCommands(groups, 'stag').map(({ title }) => title),
    ['Keys']
  )
})

test('a long text with a digit and without spaces may be the id of a request', async () => {
  assert.equal(requestIdIn(' 0199c1f2-7f3b-7c1e-9d55-0a5e8c7f1b22 '), '0199c1f2-7f3b-7c1e-9d55-0a5e8c7f1b22')
  for (const typed of ['', 'production', 'two words 1234567890', 'internationalization']) {
    assert.equal(requestIdIn(typed), null, typed)
  }
})
