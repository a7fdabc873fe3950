import assert from 'node:assert/strict'
import { accountEvents, type EventType } from '@tollgate/contracts/events/event-types.ts'
import { eq } from 'drizzle-orm'
import { Value } from 'typebox/value'
import { startBilling } from '../billing/testing/start-billing.ts'
import { events } from '../database/schema/notices.ts'
import { expectStatus } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { recordEvent, recordEvents } from './record-event.ts'

onDatabase('changes record events', async (t, newDatabase) => {
  const billing = await startBilling({ databaseUrl: await newDatabase() })
  t.after(billing.close)
  const { control, happens, buy } = billing
  const { call, database } = control
  const { orm } = database

  /** Types and data of the account's events since the last call. Each has the shape of its type. */
  async function since(accountId: string): Promise<[EventType, Record<string, unknown>][]> {
    const rows = await orm.delete(events).where(eq(events.accountId, accountId)).returning()
    for (const { type, data } of rows) {
      const problems = [...Value.Errors(accountEvents[type as keyof typeof accountEvents], data)]
      assert.deepEqual(problems, [], type)
    }
    return rows.map(({ type, data }) => [type, data as Record<string, unknown>])
  }
  const create = async (cookie: string, body: object) => {
    const answer = await expectStatus(call('POST', '/api/keys', { cookie, body }), 201)
    return (answer.body as { key: { id: string; value: string } }).key
  }

  await t.test('of keys: a creation, rotations and one revocation each', async () => {
    const { id: accountId, cookie } = await control.signUp({ plan: 'pro' })
    await since(accountId)
    const { id, value } = await create(cookie, { label: 'one', metadata: { tenant: '7' } })
    const key = { id, label: 'one', scope: 'inference', metadata: { tenant: '7' } }
    const rotate = (body: object) => expectStatus(call('POST', `/api/keys/${id}/rotate`, { cookie, body }), 200)
    await rotate({})
    await rotate({ grace_seconds: 60 })
    for (const query of ['', '', '?cut_streams=true']) {
      await expectStatus(call('DELETE', `/api/keys/${id}${query}`, { cookie }), 200)
    }
    const changes = await since(accountId)
    const until = changes[2]![1].old_secret_until
    assert.ok(Math.abs(Date.parse(String(until)) - Date.now() - 60_000) < 30_000, String(until))
    assert.deepEqual(changes, [
      ['key.created', { key }],
      ['key.rotated', { key, old_secret_until: null }],
      ['key.rotated', { key, old_secret_until: until }],
      ['key.revoked', { key }]
    ])
    assert.ok(!JSON.stringify(changes).includes(value))
  })

  await t.test('of keys that an operator revokes; a deleted user leaves none', async () => {
    const { id: accountId, cookie } = await control.signUp({ plan: 'pro' })
    const operator = await control.signUpOperator()
    const { value } = await create(cookie, { label: 'leaked' })
    await create(cookie, { label: 'two' })
    await since(accountId)
    const body = { value, reason: 'found in a repository' }
    await expectStatus(call('POST', '/api/admin/keys/revoke', { ...operator, body }), 200)
    const told = (await since(accountId)).map(([type, { key, note }]) => [type, (key as { label: string }).label, note])
    assert.deepEqual(told, [['key.revoked', 'leaked', 'found in a repository']])
    await expectStatus(call('DELETE', '/api/auth/me', { cookie }), 200)
    assert.deepEqual(await since(accountId), [])
  })

  await t.test('of plans: each time another one is in force', async () => {
    const user = await control.signUp()
    const operator = await control.signUpOperator()
    await since(user.id)
    const override = (plan: object | null) =>
      expectStatus(
        call('PATCH', `/api/admin/accounts/${user.id}`, { ...operator, body: { plan, reason: 'a trial' } }),
        200
      )
    const ends = new Date(Date.now() + 3_600_000).toISOString()
    await override({ id: 'team', ends_at: ends })
    await override({ id: 'team', ends_at: null })
    await control.setPlan(user.id, 'pro')
    await control.signIn(user)
    await override(null)
    await override({ id: 'team', ends_at: ends })
    control.passTime(3_700_000)
    await control.overrideEnder.runOnce()
    assert.deepEqual(await since(user.id), [
      ['plan.changed', { from: 'free', to: 'team' }],
      ['plan.changed', { from: 'team', to: 'pro' }],
      ['plan.changed', { from: 'pro', to: 'team' }]
    ])
  })

  await t.test('of a suspension and its end, once each', async () => {
    const { id } = await control.signUp()
    const operator = await control.signUpOperator()
    await since(id)
    for (const path of ['suspend', 'suspend', 'resume', 'resume']) {
      const body = { reason: 'an unpaid bill' }
      await expectStatus(call('POST', `/api/admin/accounts/${id}/${path}`, { ...operator, body }), 200)
    }
    assert.deepEqual(await since(id), [
      ['account.suspended', { reason: 'operator', note: 'an unpaid bill' }],
      ['account.resumed', { reason: 'operator' }]
    ])
  })

  await t.test('of a payment that failed, once a period, in whatever order its events come', async () => {
    const user = await control.signUp()
    const subscription = await happens(() => buy(user))
    await since(user.id)
    const before = billing.payments.controls.events().length
    billing.payments.controls.setStatus(subscription, 'past_due')
    const [cause] = billing.eventsSince(before)
    const customer = (cause!.data.object as { customer: string }).customer
    const failed = (id: string) => ({
      ...cause!,
      id,
      type: 'invoice.payment_failed',
      data: { object: { id: 'in_7', object: 'invoice', customer } }
    })
    for (const event of [failed('evt_first'), cause!, failed('evt_retry')]) {
      await expectStatus(billing.deliver(event as typeof cause & object), 200)
    }
    assert.deepEqual(await since(user.id), [['payment.failed', { invoice_id: 'in_7' }]])
  })

  await t.test('an event with a known `once` is not recorded again, alone or among others', async () => {
    const at = new Date()
    const of = (once: string) =>
      ({ type: 'plan.changed', accountId: crypto.randomUUID(), data: { from: null, to: 'pro' }, at, once }) as const
    const first = await orm.transaction((tx) => recordEvent(tx, of('one')))
    assert.equal(first?.once, 'one')
    assert.equal(await orm.transaction((tx) => recordEvent(tx, of('one'))), null)
    const rest = await orm.transaction((tx) => recordEvents(tx, [of('one'), of('two')]))
    assert.deepEqual(
      rest.map(({ once }) => once),
      ['two']
    )
  })
})
