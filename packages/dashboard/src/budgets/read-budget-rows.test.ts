import assert from 'node:assert/strict'
import { test } from 'tap'
import { personWhoLeft, readBudgetRows } from './read-budget-rows.ts'

interface Typed {
  readonly limit: string
  readonly window?: string
  readonly models?: readonly string[]
  readonly member?: string
}

/** @param rows by the ids of their places */
function form(rows: Readonly<Record<string, Typed>>): FormData {
  const data = new FormData()
  for (const [id, { limit, window = 'day', models, member }] of Object.entries(rows)) {
    data.append('budget_row', id)
    data.append(`budget_limit_${id}`, limit)
    data.append(`budget_window_${id}`, window)
    data.append(`budget_choice_${id}`, models === undefined ? 'all' : 'some')
    for (const model of models ?? []) data.append(`budget_models_${id}`, model)
    if (member !== undefined) data.append(`budget_member_${id}`, member)
  }
  return data
}

test('each row is a budget, in the order of the form', async () => {
  const { budgets, problems } = readBudgetRows(
    form({
      2: { limit: ' $5 ' },
      7: { limit: '0', window: 'lifetime', models: ['b', 'a'], member: '' },
      9: { limit: '0.000000001', window: 'month', member: 'ada' }
    })
  )
  assert.deepEqual(problems, {})
  assert.deepEqual(budgets, [
    { window: 'day', limit_usd: 5, models: null, member_id: null },
    { window: 'lifetime', limit_usd: 0, models: ['a', 'b'], member_id: null },
    { window: 'month', limit_usd: 1e-9, models: null, member_id: 'ada' }
  ])
})

test('a form without rows has no budgets', async () => {
  assert.deepEqual(readBudgetRows(form({})), { budgets: [], problems: {} })
})

test('a problem is at the field of its row', async () => {
  const wrong: ReadonlyArray<readonly [field: string, row: Typed]> = [
    ['budget_limit_1', { limit: '' }],
    ['budget_limit_1', { limit: '-1' }],
    ['budget_limit_1', { limit: '1000001' }],
    ['budget_limit_1', { limit: 'much' }],
    ['budget_models_1', { limit: '1', models: [] }],
    ['budget_models_1', { limit: '1', models: Array.from({ length: 51 }, (_, at) => `m${at}`) }],
    ['budget_window_1', { limit: '1', window: 'month' }],
    ['budget_window_1', { limit: '1', window: 'week', models: ['b', 'a'] }],
    ['budget_member_1', { limit: '1', member: personWhoLeft }]
  ]
  for (const [field, row] of wrong) {
    const { problems } = readBudgetRows(form({ 0: { limit: '1', window: 'week', models: ['a', 'b'] }, 1: row }))
    assert.deepEqual(Object.keys(problems), [field], JSON.stringify(row))
  }
})

test('two people can have the same budget, and a model can have a monthly one', async () => {
  const { problems } = readBudgetRows(
    form({
      0: { limit: '1', window: 'month', member: 'ada' },
      1: { limit: '1', window: 'month', member: 'bob' },
      2: { limit: '1', window: 'month', models: ['a'], member: '' }
    })
  )
  assert.deepEqual(problems, {})
})
