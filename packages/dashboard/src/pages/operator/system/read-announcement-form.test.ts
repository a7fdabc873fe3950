import assert from 'node:assert/strict'
import { test } from 'tap'
import { readAnnouncementForm } from './read-announcement-form.ts'

const formOf = (changed: Record<string, string> = {}): FormData => {
  const data = new FormData()
  const fields = { level: 'maintenance', title: ' Works ', text: '', starts_at: '', ends_at: '', ...changed }
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}

test('without times, an announcement starts now and stays', async () => {
  const values = { level: 'maintenance', title: 'Works', text: '', ends_at: null }
  assert.deepEqual(readAnnouncementForm(formOf(), 'utc'), { ok: true, values })
})

test('times are read in the zone in which the page shows times', async () => {
  const times = { starts_at: '2099-01-02T03:04', ends_at: '2099-01-02T05:00' }
  const inUtc = readAnnouncementForm(formOf(times), 'utc')
  assert.ok(inUtc.ok)
  assert.deepEqual(
    [inUtc.values.starts_at, inUtc.values.ends_at],
    ['2099-01-02T03:04:00.000Z', '2099-01-02T05:00:00.000Z']
  )
  const own = readAnnouncementForm(formOf(times), 'own')
  assert.ok(own.ok)
  assert.equal(own.values.starts_at, new Date(2099, 0, 2, 3, 4).toISOString())
})

test('a missing title and an end before the start are named', async () => {
  const past = readAnnouncementForm(formOf({ title: ' ', ends_at: '2020-01-01T00:00' }), 'utc')
  assert.deepEqual(past, {
    ok: false,
    problems: { title: 'Enter a title.', ends_at: 'Choose a time after the start.' }
  })
})
