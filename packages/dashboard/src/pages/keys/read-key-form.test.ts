import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { dayOf } from '../../forms/read-number.ts'
import { changedSettings, type Key, type KeySettings, readKeyForm } from './read-key-form.ts'

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
      requests_per_minute: null,
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
      ['requests_per_minute', '60'],
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
    requests_per_minute: 60,
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
    ['requests_per_minute', [['requests_per_minute', '0b11']]],
    ['requests_per_minute', [['requests_per_minute', '1.5']]],
    ['requests_per_minute', [['requests_per_minute', '0']]],
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
  requests_per_minute: null,
  thresholds: [50, 100],
  models: ['b', 'a'],
  addresses: ['203.0.113.7', '203.0.113.8'],
  metadata: { tenant: 'acme', stage: 'live' }
} as unknown as Key
const typed: KeySettings = {
  label: 'Production',
  expires_at: '2026-05-01T10:20:30.000Z',
  monthly_budget_usd: 5,
  requests_per_minute: null,
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
  const others: KeySettings = {
    label: 'Other',
    expires_at: null,
    monthly_budget_usd: null,
    requests_per_minute: 1,
    thresholds: [],
    models: null,
    addresses: null,
    metadata: { tenant: 'acme' }
  }
  const names = Object.keys(others) as Array<keyof KeySettings>
  fc.assert(
    fc.property(fc.subarray(names), (changed) => {
      const sent = Object.fromEntries(changed.map((name) => [name, others[name]]))
      assert.deepEqual(changedSettings(present, { ...typed, ...sent }), sent)
    })
  )
})
