import assert from 'node:assert/strict'
import { operatorEvents } from '@tollgate/contracts/events/event-types.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { noteProcess } from '@tollgate/state/processes/heartbeat.ts'
import { eq, isNull } from 'drizzle-orm'
import { Value } from 'typebox/value'
import { keys } from '../database/schema/keys.ts'
import { events, failingUpstreams, noticeSweeps } from '../database/schema/notices.ts'
import { recordEvent } from '../events/record-event.ts'
import { expectStatus } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { type FailedOver, groupFailovers, noteFailovers, recordFailovers } from './failovers.ts'
import { sweepKeys } from './sweep-keys.ts'
import { watchUpstreams } from './watch-upstreams.ts'

type Bell = {
  events: Array<{ id: string; type: string; seen: boolean; data: Record<string, unknown> }>
  unread: number
  next_cursor: string | null
}
const hourMs = 3_600_000

onDatabase('notices', async (t, newDatabase) => {
  const control = await startControl({
    databaseUrl: await newDatabase(),
    brand: { name: 'Acme <AI>', color: '#ffcc00', supportUrl: 'https://acme.test/help' }
  })
  t.after(() => control.close())
  const { call, database, mailSender, identity } = control
  const { orm } = database
  const bell = async (cookie: string, path = '/api/events') =>
    (await expectStatus(call('GET', path, { cookie }), 200)).body as Bell
  const threshold = (accountId: string, percent: number, at = control.now()) =>
    orm.transaction((tx) =>
      recordEvent(tx, {
        type: 'budget.threshold',
        accountId,
        at,
        data: { scope: 'account', key: null, month: '2026-11', percent, budget_usd: '100.00', spent_usd: '81.00' }
      })
    )

  await t.test(
    'a mail arrives in the operator’s brand, and its link switches that kind off without a session',
    async () => {
      const user = await control.signUp()
      const newerThan = await latestMail(identity.mailboxUrl, user.email)
      await threshold(user.id, 80)
      control.passTime(60_000)
      await mailSender.runOnce()
      const mail = await latestMail(identity.mailboxUrl, user.email, { newerThan })
      assert.equal(mail.Subject, 'You have used 80 % of your monthly budget')
      assert.ok(mail.HTML.includes('Acme &#60;AI&#62;') && mail.HTML.includes('background:#ffcc00;color:#111111'))
      assert.equal(linkIn(mail).href, 'http://localhost:3000/dashboard/usage')
      const link = /Stop these mails: (\S+)/.exec(mail.Text)![1]!
      const { pathname, search } = new URL(link)
      const path = pathname + search

      const isOn = async () => {
        const { body } = await call('GET', '/api/account/notifications', { cookie: user.cookie })
        const { mails } = (body as { notifications: { mails: Array<{ kind: string; on: boolean }> } }).notifications
        return mails.find(({ kind }) => kind === 'budget')!.on
      }
      const page = await fetch(control.url + path)
      assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
      assert.match(await page.text(), /<form method="post">/)
      assert.equal(await isOn(), true)
      for (const unknown of ['', '?token=', `?token=${'x'.repeat(43)}`, '?token=a&token=b']) {
        for (const method of ['GET', 'POST']) {
          assert.equal((await fetch(`${control.url}/api/unsubscribe${unknown}`, { method })).status, 404)
        }
      }
      // As a mail program does it, from its own button.
      for (const _time of [1, 2]) {
        const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
        const answer = await fetch(control.url + path, { method: 'POST', body })
        assert.equal(answer.status, 200)
        assert.match(await answer.text(), /You get no more mails about budgets/)
      }
      assert.equal(await isOn(), false)
      await threshold(user.id, 100)
      control.passTime(60_000)
      await mailSender.runOnce()
      assert.equal((await latestMail(identity.mailboxUrl, user.email)).ID, mail.ID)
      assert.ok(!control.logged.some((line) => line.includes(search)))
    }
  )

  await t.test('the bell lists events newest first, counts what is new, and remembers what was seen', async () => {
    const [user, other] = [await control.signUp({ plan: 'pro' }), await control.signUp()]
    await orm.delete(events)
    const at = Date.parse('2026-11-20T12:00:00Z')
    for (const percent of [50, 80, 100]) await threshold(user.id, percent, new Date(at + percent))
    await threshold(other.id, 50)
    await expectStatus(call('POST', '/api/keys', { cookie: user.cookie, body: { label: 'a key' } }), 201)
    const all = await bell(user.cookie)
    assert.deepEqual(
      all.events.map(({ type, seen, data }) => [type, data.percent, seen]),
      [
        ['key.created', undefined, false],
        ['budget.threshold', 100, false],
        ['budget.threshold', 80, false],
        ['budget.threshold', 50, false]
      ]
    )
    assert.equal(all.unread, 3)
    const first = await bell(user.cookie, '/api/events?limit=3')
    const rest = await bell(user.cookie, `/api/events?limit=3&cursor=${first.next_cursor}`)
    assert.deepEqual([...first.events, ...rest.events], all.events)
    assert.equal(rest.next_cursor, null)
    const mark = (id: string, cookie = user.cookie) => call('POST', '/api/events/seen', { cookie, body: { id } })
    assert.deepEqual((await mark(all.events[2]!.id)).body, { unread: 1 })
    assert.deepEqual((await mark(all.events[3]!.id)).body, { unread: 1 })
    assert.deepEqual(
      (await bell(user.cookie)).events.map(({ seen }) => seen),
      [false, false, true, true]
    )
    assert.deepEqual((await mark(all.events[0]!.id)).body, { unread: 0 })
    assert.equal((await mark(all.events[0]!.id, other.cookie)).status, 404)
    assert.equal((await call('GET', '/api/events?cursor=x', { cookie: user.cookie })).status, 400)
    assert.equal((await call('GET', '/api/events')).status, 401)
    assert.equal((await call('GET', '/api/admin/events', { cookie: user.cookie })).status, 404)
  })

  await t.test(
    'settings: required mails stay on, operators have kinds of their own, and bad ones are refused',
    async () => {
      const [user, operator] = [await control.signUp(), await control.signUpOperator()]
      const patch = (body: object, { cookie } = user) => call('PATCH', '/api/account/notifications', { cookie, body })
      const changed = await expectStatus(
        patch({ mails: { keys: false }, thresholds: [90, 10], key_thresholds: [] }),
        200
      )
      assert.partialDeepStrictEqual(changed.body, {
        notifications: {
          mails: [
            { kind: 'budget', on: true, required: false },
            { kind: 'keys', on: false, required: false },
            { kind: 'webhooks', on: true },
            { kind: 'account', on: true, required: true }
          ],
          thresholds: [10, 90],
          key_thresholds: []
        }
      })
      const restored = await expectStatus(patch({ thresholds: null }), 200)
      assert.partialDeepStrictEqual(restored.body, { notifications: { thresholds: [50, 80, 100], key_thresholds: [] } })
      for (const bad of [
        {},
        { mails: { account: false } },
        { mails: { spend: false } },
        { thresholds: [0] },
        { other: 1 }
      ]) {
        assert.equal((await patch(bad)).status, 400, JSON.stringify(bad))
      }
      assert.equal((await patch({ mails: { spend: false } }, operator)).status, 200)
    }
  )

  await t.test(
    'keys are told of seven days and one day before they expire, and an old secret an hour before',
    async () => {
      const user = await control.signUp({ plan: 'pro' })
      const { cookie } = user
      const now = Date.parse('2027-03-01T00:00:00Z')
      const create = async (label: string) => {
        const answer = await expectStatus(call('POST', '/api/keys', { cookie, body: { label } }), 201)
        return (answer.body as { key: { id: string } }).key.id
      }
      const at = (hours: number) => new Date(now + hours * hourMs)
      await orm
        .insert(noticeSweeps)
        .values(['expires_7d', 'expires_1d', 'grace_1h'].map((name) => ({ name, until: at(0) })))
      const set = async (label: string, times: { expiresAt?: Date; previousUntil?: Date }) => {
        const previous = times.previousUntil === undefined ? {} : { previousDigest: label }
        await orm
          .update(keys)
          .set({ ...times, ...previous })
          .where(eq(keys.id, await create(label)))
      }
      await set('far', { expiresAt: at(400) })
      await set('week', { expiresAt: at(168.5) })
      await set('day', { expiresAt: at(24.5) })
      // Its owner just chose so little time.
      await set('short', { expiresAt: at(3) })
      await set('rotated', { previousUntil: at(1.5) })
      await orm.delete(events)
      const told = async (hours: number) => {
        await Promise.all([sweepKeys(orm, at(hours)), sweepKeys(orm, at(hours))])
        const rows = await orm.delete(events).where(eq(events.accountId, user.id)).returning()
        return rows.map(({ type, data }) => `${type} ${(data as { key: { label: string } }).key.label}`).toSorted()
      }
      assert.deepEqual(await told(0.1), [])
      assert.deepEqual(await told(1), ['key.expiring day', 'key.expiring week', 'key.grace_ending rotated'])
      assert.deepEqual(await told(2), [])
      // After an outage of four days, a key is told once, and only what is still ahead.
      assert.deepEqual(await told(160), ['key.expiring week'])
      assert.deepEqual(await told(161), [])
    }
  )

  await t.test('operators hear once of a provider that keeps failing, and of failovers by minute', async () => {
    const operator = await control.signUpOperator()
    await orm.delete(events)
    const begin = Date.parse('2027-03-01T00:00:00Z')
    const minute = (minutes: number) => new Date(begin + minutes * 60_000)
    // Two replicas. It recovers for a moment, and later for long.
    for (const [at, isFailing] of [
      ...[0, 1, 2, 4, 5].map((at) => [at, true] as const),
      ...([
        [6, false],
        [7, true],
        [8, true],
        [20, false],
        [30, true],
        [31, true],
        [33.5, true]
      ] as const)
    ]) {
      const failing = isFailing ? ['openai'] : []
      await Promise.all([watchUpstreams(orm, failing, minute(at)), watchUpstreams(orm, failing, minute(at))])
    }
    const at = begin / 1000 + 61
    const failed = { upstream: 'openai', code: 'upstream_error', status: 500, startedMs: 0, durationMs: 9 }
    const receipt: FailedOver = {
      kind: 'settled',
      at,
      model: 'm',
      upstream: 'azure',
      failedAttempts: [failed],
      code: null
    }
    const groups = groupFailovers([
      ...[receipt, { ...receipt, at: at + 10 }, { ...receipt, failedAttempts: [] }, { ...receipt, upstream: 'openai' }],
      ...[
        { ...receipt, code: 'upstream_error' },
        { ...receipt, kind: 'reaped' as const },
        { ...receipt, upstream: null }
      ]
    ])
    for (const _page of [1, 2]) await orm.transaction((tx) => noteFailovers(tx, groups))
    await recordFailovers(orm, minute(2.9))
    assert.equal(await orm.$count(events, eq(events.type, 'request.failed_over')), 0)
    await Promise.all([recordFailovers(orm, minute(3)), recordFailovers(orm, minute(3))])
    const rows = await orm.select().from(events).where(isNull(events.accountId)).orderBy(events.at)
    for (const { type, data } of rows) {
      assert.deepEqual([...Value.Errors(operatorEvents[type as keyof typeof operatorEvents], data)], [], type)
    }
    const listed = await bell(operator.cookie, '/api/admin/events')
    assert.deepEqual(
      listed.events.map(({ type, data }) => [type, data.since ?? data.minute, data.requests]),
      [
        ['provider.failing', minute(30).toISOString(), 0],
        ['provider.failing', minute(0).toISOString(), 0],
        ['request.failed_over', minute(1).toISOString(), 4]
      ]
    )
    const body = { id: listed.events[0]!.id }
    assert.deepEqual((await call('POST', '/api/admin/events/seen', { ...operator, body })).body, { unread: 0 })
  })

  await t.test('the sweeper reads the breakers of running gateways', async () => {
    const report = { kind: 'gateway', host: 'h', version: '1', startedAt: 0, errors: {} } as const
    const upstreams = (breaker: 'open' | 'closed') => [
      { name: 'groq', breaker, speaks: [] },
      { name: 'mistral', breaker: 'closed' as const, speaks: [] }
    ]
    await noteProcess(control.redis, { ...report, id: 'one', upstreams: upstreams('open') })
    await noteProcess(control.redis, { ...report, id: 'two', upstreams: upstreams('closed') })
    await control.noticeSweeper.runOnce()
    const rows = await orm.select({ upstream: failingUpstreams.upstream }).from(failingUpstreams)
    assert.deepEqual(
      rows.map(({ upstream }) => upstream).filter((upstream) => upstream !== 'openai'),
      ['groq']
    )
  })

  await t.test('a deleted user leaves no events, mails or settings', async () => {
    const user = await control.signUp()
    await threshold(user.id, 80)
    const exported = await expectStatus(call('GET', '/api/account/export', { cookie: user.cookie }), 200)
    assert.partialDeepStrictEqual(exported.body, {
      events: [{ type: 'budget.threshold', data: { percent: 80 } }],
      mails: [{ kind: 'budget', sent_at: null, notices: [{ type: 'budget.threshold' }] }],
      muted_mails: []
    })
    await expectStatus(call('DELETE', '/api/auth/me', { cookie: user.cookie }), 200)
    assert.equal(await orm.$count(events, eq(events.accountId, user.id)), 0)
  })
})
