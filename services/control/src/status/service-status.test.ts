import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'tap'
import { announcements } from '../database/schema/announcements.ts'
import { openMigratedDatabase } from '../testing/databases.ts'
import type { MeasuredStatus } from './measured-status.ts'
import { describeDays } from './served-days.ts'
import { createServiceStatus } from './service-status.ts'

const measured: MeasuredStatus = {
  state: 'good',
  gateway: 'good',
  history: { first_day: '2027-01-01', measured_since: null, ...describeDays([]) },
  providers: [],
  models: []
}

test('planned maintenance, however much, does not hide a present outage', async () => {
  const database = await openMigratedDatabase()
  const now = new Date(Date.UTC(2027, 4, 5))
  const soon = new Date(now.getTime() + 3_600_000)
  const planned = Array.from({ length: 60 }, () => ({
    ...{ id: randomUUID(), level: 'maintenance' as const, title: 'Planned', text: '' },
    startsAt: soon,
    endsAt: null
  }))
  const outage = {
    id: randomUUID(),
    level: 'outage' as const,
    title: 'Away',
    text: '',
    startsAt: new Date(0),
    endsAt: null
  }
  await database.orm.insert(announcements).values([outage, ...planned])
  const status = createServiceStatus({
    orm: database.orm,
    reader: { read: async () => measured },
    clock: () => now,
    log: { warn: () => {} }
  })
  const { state, announcements: shown } = await status.read()
  assert.equal(state, 'down')
  assert.ok(shown.some(({ title }) => title === 'Away'))
  await database.close()
})

test('without PostgreSQL, the status has the announcements that were read last', async () => {
  const database = await openMigratedDatabase()
  let at = Date.UTC(2027, 4, 5)
  const warnings: unknown[] = []
  const status = createServiceStatus({
    orm: database.orm,
    reader: { read: async () => measured },
    clock: () => new Date(at),
    log: { warn: (...line: unknown[]) => void warnings.push(line) }
  })
  const row = {
    id: randomUUID(),
    level: 'degraded',
    title: 'Slow',
    text: '',
    startsAt: new Date(at),
    endsAt: null
  } as const
  await database.orm.insert(announcements).values(row)
  const read = async () => {
    const { state, announcements: shown } = await status.read()
    return [state, ...shown.map(({ title }) => title)]
  }
  assert.deepEqual(await read(), ['degraded', 'Slow'])
  await database.close()
  at += 5000
  assert.deepEqual(await read(), ['degraded', 'Slow'])
  assert.equal(warnings.length, 1)
})
