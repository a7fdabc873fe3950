import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AnnouncementResponse, AnnouncementsResponse } from '@tollgate/contracts/http/admin/announcements.ts'
import type { OperatorActsResponse } from '@tollgate/contracts/http/admin/audit.ts'
import { test } from 'tap'
import { codeOf, expectStatus } from '../testing/call-control.ts'
import { startControl } from '../testing/start-control.ts'

test('announcements', async (t) => {
  const control = await startControl()
  t.after(() => control.close())
  const { cookie } = await control.signUpOperator()
  const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    control.call(method, `/api/admin/announcements${path}`, { cookie, ...(body !== undefined && { body }) })
  const list = async () => ((await expectStatus(call('GET', ''), 200)).body as AnnouncementsResponse).announcements
  const acts = async () => {
    const { body } = await expectStatus(control.call('GET', '/api/admin/audit', { cookie }), 200)
    return (body as OperatorActsResponse).entries.map(({ action, subject, detail }) => [action, subject, detail.title])
  }

  await t.test('one is made, ended and deleted, and each act is in the operators’ log', async () => {
    const made = await expectStatus(call('POST', '', { level: 'degraded', title: 'Slow', text: 'We look.' }), 201)
    const { announcement } = made.body as AnnouncementResponse
    const { id, starts_at, ...rest } = announcement
    assert.deepEqual(rest, { level: 'degraded', title: 'Slow', text: 'We look.', ends_at: null, is_present: true })
    assert.ok(Math.abs(Date.parse(starts_at) - control.now().getTime()) < 60_000)
    assert.deepEqual(await list(), [announcement])
    control.passTime(1000)
    const ends_at = control.now().toISOString()
    const ended = { announcement: { ...announcement, text: 'It is fast again.', ends_at, is_present: false } }
    const answer = await expectStatus(call('PATCH', `/${id}`, { ends_at, text: 'It is fast again.' }), 200)
    assert.deepEqual(answer.body, ended)
    assert.deepEqual(await list(), [ended.announcement])
    await expectStatus(call('DELETE', `/${id}`), 200)
    assert.deepEqual(await list(), [])
    assert.deepEqual(await acts(), [
      ['announcement.deleted', id, 'Slow'],
      ['announcement.changed', id, 'Slow'],
      ['announcement.created', id, 'Slow']
    ])
  })

  await t.test('what cannot be announced is refused with the reason', async () => {
    const now = control.now().toISOString()
    for (const [body, message] of [
      [{ level: 'info', title: 'One', starts_at: now, ends_at: now }, /^ends_at: must be later than starts_at/],
      [{ level: 'info', title: 'One', starts_at: '1900-01-01T00:00:00Z' }, /^starts_at/],
      [{ level: 'info', title: ' ' }, /^title: must have a visible character/],
      [{ level: 'info', title: 'x'.repeat(121) }, /^title/],
      [{ level: 'info', title: 'One', text: 'x'.repeat(4001) }, /^text/],
      [{ level: 'bad', title: 'One' }, /^level/]
    ] as const) {
      const answer = await call('POST', '', body)
      assert.equal(codeOf(answer), 'invalid_request')
      assert.match((answer.body as { error: { message: string } }).error.message, message)
    }
    for (const id of [randomUUID(), 'x']) {
      assert.equal(codeOf(await call('PATCH', `/${id}`, { title: 'Two' })), 'not_found')
      assert.equal(codeOf(await call('DELETE', `/${id}`)), 'not_found')
    }
    assert.deepEqual(await list(), [])
  })
})
