import assert from 'node:assert/strict'
import { test } from 'tap'
import { groupChanges, summarize } from './comparison.ts'

const change = (path: string, accounts: number) => ({
  path,
  accounts,
  kind: 'changed' as const,
  from: '1',
  to: '2',
  meaning: 'It changes.'
})

test('changes are grouped by section, plans first, and those for most accounts come first', async () => {
  const groups = groupChanges([
    change('models.gpt-4.1-mini.prices.output', 3),
    change('media', 0),
    change('plans.free.models', 2),
    change('models.o3.prices.input', 9)
  ])
  assert.deepEqual(
    groups.map(({ title, changes }) => [title, changes.map(({ path }) => path)]),
    [
      ['Plans', ['plans.free.models']],
      ['Models', ['models.o3.prices.input', 'models.gpt-4.1-mini.prices.output']],
      ['media', ['media']]
    ]
  )
})

test('a comparison is summarized in one sentence', async () => {
  assert.equal(summarize({ changes: 0, problems: 0, warnings: 0 }), 'Nothing changes.')
  assert.equal(summarize({ changes: 1, problems: 0, warnings: 2 }), '1 change, 2 warnings.')
  assert.equal(summarize({ changes: 4, problems: 1, warnings: 2 }), 'It cannot be applied: 1 problem.')
})
