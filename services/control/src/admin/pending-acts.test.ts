import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import type { OperatorActsResponse } from '@tollgate/contracts/http/admin/audit.ts'
import type { PendingAct } from '@tollgate/contracts/http/admin/pending-acts.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { pendingActs } from '../database/schema/audit.ts'
import { oldRows } from '../retention/old-rows.ts'
import { codeOf } from '../testing/call-control.ts'
import { serviceRoleKey } from '../testing/control-options.ts'
import { onDatabase } from '../testing/databases.ts'
import type { TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'

const reason = 'a test'
const month = new Date().toISOString().slice(0, 7)
const dayMs = 86_400_000

onDatabase('acts above an amount', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), confirmAboveNanos: 500e9 })
  t.after(() => control.close())
  const { call } = control
  const { orm } = control.database
  const [asker, second, third] = await Promise.all([1, 2, 3].map(() => control.signUpOperator()))
  const send = (by: TestUser, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
    call(method, `/api/admin${path}`, { cookie: by.cookie, ...(body !== undefined && { body }) })
  const adjustment = (usd: number, id = randomUUID()) => ({ id, amount_usd: usd, month, reason })
  const adjust = (id: string, body: object, by = asker!) => send(by, 'POST', `/accounts/${id}/adjustments`, body)
  const change = (id: string, body: object) => send(asker!, 'PATCH', `/accounts/${id}`, { reason, ...body })
  const decide = (what: 'confirm' | 'reject', by: TestUser, id: string) =>
    send(by, 'POST', `/pending-acts/${id}/${what}`, { reason: 'as agreed' })
  const pendingOf = ({ status, body }: { status: number; body: unknown }) => {
    assert.equal(status, 202)
    return (body as { pending: PendingAct }).pending
  }
  const open = async () =>
    ((await send(asker!, 'GET', '/pending-acts')).body as { pending: PendingAct[] }).pending.map(({ id }) => id)
  const read = async (id: string) =>
    ((await send(asker!, 'GET', `/accounts/${id}`)).body as { account: AdminAccount }).account
  const amounts = async (id: string) => (await read(id)).adjustments.map(({ amount_usd: usd }) => usd)
  const budget = async (id: string) => (await read(id)).limits.monthly_budget_usd.value
  const logOf = async (id: string) =>
    ((await send(asker!, 'GET', `/audit?account_id=${id}`)).body as OperatorActsResponse).entries.map((entry) => [
      entry.action,
      entry.actor_id
    ])

  await t.test('an adjustment is done when another operator confirms it, and not before', async () => {
    const user = await control.signUp()
    assert.equal((await adjust(user.id, adjustment(-500))).status, 200, 'the amount itself needs nobody else')
    const body = adjustment(-500.000000001)
    const pending = pendingOf(await adjust(user.id, body))
    assert.deepEqual([pending.account_email, pending.asked_by_email], [user.email, asker!.email])
    assert.deepEqual(pending.detail, { amount_usd: '-500.000000001', month })
    assert.equal(pendingOf(await adjust(user.id, body)).id, pending.id, 'a repeated call asks for nothing more')
    assert.deepEqual(await amounts(user.id), ['-500.00'])
    const told = { pending_act_id: pending.id, account_id: user.id, action: pending.action, ends_at: pending.ends_at }
    const notices = await queryRows(orm, sql`select data from events where type = 'act.pending' and account_id is null`)
    assert.deepEqual(notices, [{ data: told }], 'the operators are told once')
    assert.equal(codeOf(await decide('confirm', asker!, pending.id)), 'forbidden')
    assert.equal(codeOf(await decide('reject', asker!, pending.id)), 'forbidden')
    assert.deepEqual([await amounts(user.id), await open()], [['-500.00'], [pending.id]])

    assert.equal((await decide('confirm', second!, pending.id)).status, 200)
    assert.deepEqual([await amounts(user.id), await open()], [['-500.000000001', '-500.00'], []])
    assert.equal((await decide('confirm', second!, pending.id)).status, 200, 'a repeated call')
    assert.equal((await adjust(user.id, body)).status, 200, 'it is stored now')
    assert.equal(codeOf(await decide('confirm', third!, pending.id)), 'pending_act_closed')
    assert.equal(codeOf(await decide('reject', second!, pending.id)), 'pending_act_closed')
    assert.equal((await amounts(user.id)).length, 2)
    assert.deepEqual(await logOf(user.id), [
      ['account.adjusted', second!.id],
      ['act.confirmed', second!.id],
      ['act.asked', asker!.id],
      ['account.adjusted', asker!.id]
    ])
  })

  await t.test('of all who confirm and reject it at once, one succeeds', async () => {
    for (let round = 0; round < 2; round++) {
      const user = await control.signUp()
      const { id } = pendingOf(await adjust(user.id, adjustment(-900)))
      const answers = await Promise.all([
        decide('confirm', second!, id),
        decide('confirm', third!, id),
        decide('reject', third!, id),
        decide('confirm', second!, id)
      ])
      const isConfirmed = answers[0]!.status === 200 || answers[1]!.status === 200
      const succeeded = [answers[0]!, answers[1]!, answers[2]!].filter(({ status }) => status === 200)
      assert.equal(succeeded.length, 1)
      assert.equal(answers[3]!.status, answers[0]!.status)
      assert.deepEqual(await amounts(user.id), isConfirmed ? ['-900.00'] : [])
      assert.equal((await logOf(user.id)).filter(([action]) => action === 'account.adjusted').length, +isConfirmed)
    }
  })

  await t.test('a budget above the amount waits, wherever it comes from', async () => {
    const user = await control.signUp()
    const free = await budget(user.id)
    const limits = (usd: number, ends_at: string | null = null) => ({ limits: { monthly_budget_usd: usd, ends_at } })
    const enterprise = { plan: { id: 'enterprise', ends_at: null } }
    const soon = new Date(control.now().getTime() + 60_000).toISOString()
    for (const body of [limits(500.01), enterprise, { ...enterprise, ...limits(1, soon) }]) {
      pendingOf(await change(user.id, body))
      assert.equal(await budget(user.id), free)
    }
    assert.equal((await change(user.id, limits(500))).status, 200)
    assert.equal((await change(user.id, enterprise)).status, 200, 'the limits are lower, for ever')
    const { id } = pendingOf(await change(user.id, { limits: null }))
    assert.equal(await budget(user.id), 500)
    assert.equal((await decide('confirm', second!, id)).status, 200)
    assert.equal(await budget(user.id), control.catalog.plans.enterprise!.caps.monthlyNanos / 1e9)
    assert.equal((await change(user.id, { limits: null })).status, 200, 'it changes nothing')
  })

  await t.test('a rejected act is never done', async () => {
    const user = await control.signUp()
    const { id } = pendingOf(await adjust(user.id, adjustment(-900)))
    assert.equal((await decide('reject', second!, id)).status, 200)
    assert.equal((await decide('reject', second!, id)).status, 200, 'a repeated call')
    assert.equal(codeOf(await decide('confirm', second!, id)), 'pending_act_closed')
    assert.deepEqual(await amounts(user.id), [])
    assert.deepEqual(await logOf(user.id), [
      ['act.rejected', second!.id],
      ['act.asked', asker!.id]
    ])
  })

  await t.test(
    'who may confirm: another operator with the role, who confirmed, for an account that is not theirs',
    async () => {
      const user = await control.signUp()
      const { id } = pendingOf(await adjust(user.id, adjustment(-900)))
      for (const role of ['operator:support', 'operator:read']) {
        assert.equal(codeOf(await decide('confirm', await control.signUpOperator(role), id)), 'forbidden')
      }
      assert.equal(codeOf(await decide('confirm', user, id)), 'not_found')
      assert.equal(codeOf(await decide('confirm', second!, randomUUID())), 'not_found')
      const own = pendingOf(await adjust(third!.id, adjustment(-900)))
      assert.equal(codeOf(await decide('confirm', third!, own.id)), 'forbidden')
      control.passTime(10 * 60_000)
      assert.equal(codeOf(await decide('confirm', second!, id)), 'confirmation_required')
      assert.deepEqual([await amounts(user.id), await amounts(third!.id)], [[], []])
      for (const operator of [asker!, second!, third!]) operator.cookie = await control.signIn(operator)
    }
  )

  await t.test('everything is checked again at the confirmation', async () => {
    const user = await control.signUp()
    const ends_at = new Date(control.now().getTime() + 60_000).toISOString()
    const late = pendingOf(await change(user.id, { limits: { monthly_budget_usd: 900, ends_at } }))
    control.passTime(60_000)
    assert.equal(codeOf(await decide('confirm', second!, late.id)), 'invalid_request')

    const former = await control.signUpOperator()
    const { id } = pendingOf(await adjust(user.id, adjustment(-900), former))
    const identity = createClient(control.identity.url, serviceRoleKey, { auth: { persistSession: false } })
    await identity.auth.admin.updateUserById(former.id, { app_metadata: { role: 'operator:support' } })
    await control.signIn(former)
    assert.equal(codeOf(await decide('confirm', second!, id)), 'forbidden')
    assert.deepEqual([await amounts(user.id), (await open()).includes(id)], [[], true])
  })

  await t.test('after seven days it has ended, and is deleted', async () => {
    const user = await control.signUp()
    const { id } = pendingOf(await adjust(user.id, adjustment(-900)))
    control.passTime(7 * dayMs)
    for (const operator of [asker!, second!]) operator.cookie = await control.signIn(operator)
    assert.equal(codeOf(await decide('confirm', second!, id)), 'pending_act_closed')
    assert.deepEqual([await amounts(user.id), await open()], [[], []])
    const fresh = pendingOf(await adjust(user.id, adjustment(-900)))
    assert.ok((await oldRows.pendingActs.prune(control.database.orm, control.now())) > 0)
    assert.deepEqual(await control.database.orm.select({ id: pendingActs.id }).from(pendingActs), [{ id: fresh.id }])
  })
})
