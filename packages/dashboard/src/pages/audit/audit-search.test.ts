import assert from 'node:assert/strict'
import { test } from 'tap'
import { actionOptions, auditExportPath, readAuditFilters } from './audit-search.ts'
import { describedActions } from './describe-entry.ts'

test('the filters of an address become those of the API, and values of another form are left out', async () => {
  assert.deepEqual(
    readAuditFilters({
      q: ' ci ',
      action: 'key',
      actor: 'service',
      subject: 'key_1',
      from: '2026-11-01',
      to: '2026-11-30'
    }),
    {
      q: 'ci',
      action: 'key',
      actor: 'service',
      subject: 'key_1',
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-12-01T00:00:00.000Z'
    }
  )
  assert.deepEqual(readAuditFilters({ q: ' ', action: 'A key', actor: 'ada', from: 'today', to: '2026-13-01' }), {})
})

test('an export has the filters of the page', async () => {
  assert.equal(
    auditExportPath({ q: 'a b', action: 'key.created' }, 'csv'),
    '/api/audit/export?q=a+b&action=key.created&format=csv'
  )
})

test('every described action can be chosen', async () => {
  const values = actionOptions.flatMap((one) => ('options' in one ? one.options : [one])).map(([value]) => value)
  for (const [action] of describedActions) assert.ok(values.includes(action), action)
  assert.equal(new Set(values).size, values.length)
})
