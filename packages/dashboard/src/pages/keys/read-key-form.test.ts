import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { dayOf } from '../../forms/read-number.ts'
import { allBudgets, changedSettings, type Key, type KeySettings, newSettings, readKeyForm } from './read-key-form.ts'

const now = new Date('2026-05-05T12:00:00Z')

function form(fields: ReadonlyArray<readonly [string, string]>): FormData {
  const data = new FormData()
  for (const [name, value] of fields) data.append(name, value)
  return data
}

test('an empty field means no limit', async () => {
  assert.deepEqual(readKeyForm(form([['label', ' Production ']]), now, null), {
    ok: true,
    values: {
      label: 'Production',
      expires_at: null,
      monthly_budget_usd: null,
      more_budgets: [],
      requests_per_minute: null,
      tokens_per_minute: null,
      concurrent_requests: null,
      on_exhausted: null,
      thresholds: null,
      models: null,
      addresses: null,
      metadata: {}
    }
  })
})

test('every filled field is sent', async () => {
  const reading = readKeyForm(
    form([
      ['label', 'Tenant'],
      ['expires_at', '2026-06-01'],
      ['monthly_budget_usd', '12.5'],
      ['budget_row', '0'],
      ['budget_limit_0', '2'],
      ['budget_window_0', 'week'],
      ['requests_per_minute', '60'],
      ['tokens_per_minute', '40000'],
      ['concurrent_requests', '3'],
      ['on_exhausted', 'gpt-4o-mini'],
      ['warnings', 'own'],
      ['thresholds', '100, 50'],
      ['model_choice', 'some'],
      ['models', 'gpt-4o'],
      ['models', 'gpt-4o-mini'],
      ['addresses', ' 203.0.113.7\r\n\r\n2001:db8::/32\r\n203.0.113.7\r\n'],
      ['metadata_name', 'tenant'],
      ['metadata', 'acme'],
      ['metadata_name', ''],
      ['metadata', '']
    ]),
    now,
    null
  )
  assert.ok(reading.ok)
  assert.deepEqual(reading.values, {
    label: 'Tenant',
    expires_at: new Date('2026-06-01T23:59:59').toISOString(),
    monthly_budget_usd: 12.5,
    more_budgets: [{ window: 'week', limit_usd: 2, models: null }],
    requests_per_minute: 60,
    tokens_per_minute: 40_000,
    concurrent_requests: 3,
    on_exhausted: { model: 'gpt-4o-mini' },
    thresholds: [50, 100],
    models: ['gpt-4o', 'gpt-4o-mini'],
    addresses: ['203.0.113.7', '2001:db8::/32'],
    metadata: { tenant: 'acme' }
  })
})

test('a stored budget can be sent again, however small', async () => {
  for (const usd of [1e-9, 0.05, 12.5, 1_000_000]) {
    const fields = [
      ['label', 'x'],
      ['monthly_budget_usd', usd.toFixed(9)]
    ] as const
    const reading = readKeyForm(form(fields), now, null)
    assert.ok(reading.ok)
    assert.equal(reading.values.monthly_budget_usd, usd)
  }
})

test('a key without thresholds of its own has those of the account, and an empty list is no warnings', async () => {
  const thresholdsOf = (warnings: string) => {
    const fields = [['label', 'x'] as const, ['warnings', warnings] as const, ['thresholds', ''] as const]
    const reading = readKeyForm(form(fields), now, null)
    assert.ok(reading.ok)
    return reading.values.thresholds
  }
  assert.equal(thresholdsOf('account'), null)
  assert.deepEqual(thresholdsOf('own'), [])
})

test('each invalid field has a message', async () => {
  const bad: ReadonlyArray<readonly [field: string, fields: ReadonlyArray<readonly [string, string]>]> = [
    ['expires_at', [['expires_at', '2026-05-04']]],
    ['expires_at', [['expires_at', 'soon']]],
    ['monthly_budget_usd', [['monthly_budget_usd', '-1']]],
    ['monthly_budget_usd', [['monthly_budget_usd', 'a lot']]],
    ['monthly_budget_usd', [['monthly_budget_usd', '0x5']]],
    [
      'budget_limit_3',
      [
        ['budget_row', '3'],
        ['budget_limit_3', '']
      ]
    ],
    ['requests_per_minute', [['requests_per_minute', '0b11']]],
    ['requests_per_minute', [['requests_per_minute', '1.5']]],
    ['requests_per_minute', [['requests_per_minute', '0']]],
    ['tokens_per_minute', [['tokens_per_minute', '1000000001']]],
    ['concurrent_requests', [['concurrent_requests', '0']]],
    [
      'on_exhausted',
      [
        ['model_choice', 'some'],
        ['models', 'gpt-4o'],
        ['on_exhausted', 'gpt-4o-mini']
      ]
    ],
    [
      'thresholds',
      [
        ['warnings', 'own'],
        ['thresholds', '101']
      ]
    ],
    ['models', [['model_choice', 'some']]],
    ['addresses', [['addresses', '203.0.113.7\n203.0.113']]],
    ['addresses', [['addresses', Array.from({ length: 51 }, (_, n) => `203.0.113.${n}`).join('\n')]]],
    [
      'metadata',
      [
        ['metadata_name', 'a b'],
        ['metadata', 'x']
      ]
    ],
    [
      'metadata',
      [
        ['metadata_name', 'a'],
        ['metadata', 'x'],
        ['metadata_name', 'a'],
        ['metadata', 'y']
      ]
    ]
  ]
  for (const [field, fields] of bad) {
    const reading = readKeyForm(form([['label', 'x'], ...fields]), now, null)
    assert.ok(!reading.ok, JSON.stringify(fields))
    assert.deepEqual(Object.keys(reading.problems), [field])
  }
  const unnamed = readKeyForm(form([['label', '  ']]), now, null)
  assert.ok(!unnamed.ok)
  assert.deepEqual(Object.keys(unnamed.problems), ['label'])
})

test('a key keeps its exact expiry while the day is unchanged, even in the past', async () => {
  const key = { expires_at: '2026-05-01T10:20:30.000Z' } as Key
  const fields = (day: string) =>
    form([
      ['label', 'x'],
      ['expires_at', day]
    ])
  const result = readKeyForm(fields(dayOf('2026-05-01T10:20:30.000Z')), now, key)
  assert.ok(result.ok)
  assert.equal(result.values.expires_at, '2026-05-01T10:20:30.000Z')
  assert.ok(!readKeyForm(fields('2026-05-02'), now, key).ok)
})

const present = {
  label: ' Production ',
  expires_at: '2026-05-01T10:20:30.000Z',
  monthly_budget_usd: 5,
  budgets: [
    { window: 'month', limit_usd: 5, models: null },
    { window: 'month', limit_usd: 2, models: ['b', 'a'] },
    { window: 'day', limit_usd: 1, models: null }
  ],
  requests_per_minute: null,
  tokens_per_minute: 40_000,
  concurrent_requests: 3,
  on_exhausted: { model: 'a' },
  thresholds: [50, 100],
  models: ['b', 'a'],
  addresses: ['203.0.113.7', '203.0.113.8'],
  metadata: { tenant: 'acme', stage: 'live' }
} as unknown as Key
const typed: KeySettings = {
  label: 'Production',
  expires_at: '2026-05-01T10:20:30.000Z',
  monthly_budget_usd: 5,
  more_budgets: [
    { window: 'day', limit_usd: 1, models: null },
    { window: 'month', limit_usd: 2, models: ['a', 'b'] }
  ],
  requests_per_minute: null,
  tokens_per_minute: 40_000,
  concurrent_requests: 3,
  on_exhausted: { model: 'a' },
  thresholds: [50, 100],
  models: ['a', 'b'],
  addresses: ['203.0.113.8', '203.0.113.7'],
  metadata: { stage: 'live', tenant: 'acme' }
}

test('an unchanged form sends nothing, whatever the order of its values', async () => {
  assert.deepEqual(changedSettings(present, typed), {})
})

test('an expired key can be renamed, because its expiry is not sent again', async () => {
  assert.deepEqual(changedSettings(present, { ...typed, label: 'Old' }), { label: 'Old' })
})

test('exactly the changed fields are sent', async () => {
  const others: Omit<KeySettings, 'more_budgets'> = {
    label: 'Other',
    expires_at: null,
    monthly_budget_usd: null,
    requests_per_minute: 1,
    tokens_per_minute: null,
    concurrent_requests: 4,
    on_exhausted: null,
    thresholds: [],
    models: null,
    addresses: null,
    metadata: { tenant: 'acme' }
  }
  const names = Object.keys(others) as Array<keyof typeof others>
  fc.assert(
    fc.property(fc.subarray(names), (changed) => {
      const sent = Object.fromEntries(changed.map((name) => [name, others[name]]))
      assert.deepEqual(changedSettings(present, { ...typed, ...sent }), sent)
    })
  )
})

test('a key without further budgets sends only the monthly one, and with them one list of all', async () => {
  const { more_budgets: more, monthly_budget_usd: monthly, ...others } = typed
  const ofMonth = { window: 'month', limit_usd: 5, models: null }
  assert.deepEqual(newSettings({ ...typed, more_budgets: [] }), { ...others, monthly_budget_usd: monthly })
  assert.deepEqual(newSettings(typed), { ...others, budgets: [ofMonth, ...more] })
  assert.deepEqual(newSettings({ ...typed, monthly_budget_usd: null }), { ...others, budgets: more })
  assert.deepEqual(allBudgets({ monthly_budget_usd: null, more_budgets: [] }), [])
})

test('changed further budgets are sent in one list with the monthly one, which is not sent twice', async () => {
  const day = { window: 'day', limit_usd: 3, models: null } as const
  const ofMonth = { window: 'month', limit_usd: 5, models: null } as const
  assert.deepEqual(changedSettings(present, { ...typed, more_budgets: [day] }), { budgets: [ofMonth, day] })
  assert.deepEqual(changedSettings(present, { ...typed, more_budgets: [] }), { budgets: [ofMonth] })
  assert.deepEqual(changedSettings(present, { ...typed, monthly_budget_usd: null, more_budgets: [day] }), {
    budgets: [day]
  })
  assert.deepEqual(changedSettings(present, { ...typed, monthly_budget_usd: null }), { monthly_budget_usd: null })
})

test('a key has at most twelve budgets, the monthly one included', async () => {
  const models = (id: number) => [`budget_models_${id}`, `m${id}`] as const
  const rows = Array.from({ length: 12 }, (_, id) => [
    ['budget_row', String(id)] as const,
    [`budget_limit_${id}`, '1'] as const,
    [`budget_choice_${id}`, 'some'] as const,
    models(id)
  ])
  const label = ['label', 'x'] as const
  assert.ok(readKeyForm(form([label, ...rows.flat()]), now, null).ok)
  const over = readKeyForm(form([label, ['monthly_budget_usd', '1'], ...rows.flat()]), now, null)
  assert.ok(!over.ok)
  assert.deepEqual(Object.keys(over.problems), ['budgets'])
})
