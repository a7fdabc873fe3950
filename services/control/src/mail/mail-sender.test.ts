import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { asc, eq, sql } from 'drizzle-orm'
import { databaseClock, type SharedTime } from '../clocks/clock.ts'
import { accounts } from '../database/schema/accounts.ts'
import { mails } from '../database/schema/mails.ts'
import { users } from '../database/schema/users.ts'
import { type NewEvent, recordEvents } from '../events/record-event.ts'
import { recordChange } from '../projection/record-change.ts'
import { onDatabase, openMigratedDatabase } from '../testing/databases.ts'
import { createMailSender, type MailOutcome } from './mail-sender.ts'
import type { Delivery, Mail } from './mailer.ts'
import { maxMailsPerDay, maxSignInMailsPerDay, queueMail } from './queue-mail.ts'
import { addressRecipient, setMuted, userRecipient } from './recipients.ts'

const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const brand = { name: 'Acme AI', logoUrl: null, color: '#2f5bea', supportUrl: null, legalUrl: null, salesUrl: null }

onDatabase('queued mails', async (t, newDatabase) => {
  const database = await openMigratedDatabase(await newDatabase(), 4)
  t.after(() => database.close())
  const { orm } = database
  let time = Date.parse('2026-11-20T12:00:00Z')
  const clock = () => new Date(time)
  const sharedTime: SharedTime = () => sql`${clock().toISOString()}::timestamptz`
  const passMinutes = (minutes: number) => {
    time += minutes * 60_000
  }

  async function signUp(isOperator = false): Promise<{ id: string; email: string }> {
    const user = { id: randomUUID(), email: `${randomUUID()}@example.com` }
    await orm.insert(users).values({ ...user, name: 'Ada', isOperator, syncedAt: clock() })
    await orm.transaction(async (tx) => {
      const version = await recordChange(tx, ['a00'])
      await tx
        .insert(accounts)
        .values({ id: user.id, ownerId: user.id, plan: 'free', shard: 'a00', version, createdAt: clock() })
    })
    return user
  }
  /** A replica of control, with a mail server that answers as told. */
  function startReplica(operatorMail: string[] = [], time: SharedTime = sharedTime) {
    const sent: Mail[] = []
    const outcomes: MailOutcome[] = []
    let answer: (mail: Mail) => Promise<Delivery> = async () => ({ outcome: 'sent' })
    const mailer = {
      deliver: async (mail: Mail) => {
        const delivery = await answer(mail)
        if (delivery.outcome === 'sent') sent.push(mail)
        return delivery
      },
      stop: () => {}
    }
    const options = {
      orm,
      mailer,
      brand,
      publicUrl: 'https://app.example.com',
      operatorMail,
      sharedTime: time,
      log: quiet
    }
    const sender = createMailSender({ ...options, onMail: (outcome) => void outcomes.push(outcome) })
    const answerWith = (next: typeof answer) => {
      answer = next
    }
    return { sent, outcomes, sender, answerWith }
  }
  const record = (events: NewEvent[]) => orm.transaction((tx) => recordEvents(tx, events))
  const threshold = (accountId: string, percent: number): NewEvent => ({
    type: 'budget.threshold',
    accountId,
    at: clock(),
    data: { scope: 'account', key: null, month: '2026-11', percent, budget_usd: '100.00', spent_usd: `${percent}.00` }
  })
  const rowsOf = (accountId: string) =>
    orm.select().from(mails).where(eq(mails.accountId, accountId)).orderBy(asc(mails.createdAt))

  await t.test('notices of one kind that come together are one mail, with the highest threshold', async () => {
    const { id, email } = await signUp()
    const { sent, sender } = startReplica()
    await record([threshold(id, 50), threshold(id, 80)])
    await record([threshold(id, 100)])
    await sender.runOnce()
    assert.equal(sent.length, 0)
    passMinutes(1)
    await sender.runOnce()
    await sender.runOnce()
    assert.deepEqual(
      sent.map(({ to, subject }) => [to, subject]),
      [[email, 'Your monthly budget is used up']]
    )
    const [mail] = sent
    for (const part of ['$100.00', 'https://app.example.com/dashboard/billing', 'Acme AI']) {
      assert.ok(mail!.text.includes(part) && mail!.html.includes(part), part)
    }
    assert.match(mail!.unsubscribeUrl!, /^https:\/\/app\.example\.com\/api\/unsubscribe\?token=[\w-]{43}$/)
    assert.ok(!`${mail!.text}${mail!.html}`.includes('Tollgate'))
  })

  await t.test('a mail about budgets with a window names each once, with the name that a member has now', async () => {
    const { id } = await signUp()
    const { sent, sender } = startReplica()
    const windowed = (percent: number): NewEvent => ({
      type: 'budget.window_threshold',
      accountId: id,
      at: clock(),
      data: {
        ...{ scope: 'member', key: null, member_id: id, window: 'day', models: ['small'], percent },
        ...{ budget_usd: '2.00', spent_usd: '2.00', resets_at: '2026-11-21T00:00:00.000Z' }
      }
    })
    await record([windowed(80), windowed(100)])
    passMinutes(1)
    await sender.runOnce()
    assert.equal(sent[0]!.subject, 'The daily budget of “Ada” for small is used up')
    assert.match(sent[0]!.text, /21 November 2026.*We refuse requests for small that no longer fit/s)
    await record([windowed(80), threshold(id, 80)])
    passMinutes(1)
    await sender.runOnce()
    assert.match(
      sent[1]!.text,
      /80 % of your budget.*80 % of the daily budget of “Ada” for small \(\$2\.00 of \$2\.00\)/s
    )
    const forecast: NewEvent = {
      type: 'budget.window_forecast',
      accountId: id,
      at: clock(),
      data: {
        ...{ scope: 'account', key: null, member_id: null, window: 'lifetime', models: null },
        ...{ budget_usd: '9.00', spent_usd: '5.00', used_up_at: '2026-11-24T06:00:00.000Z', resets_at: null }
      }
    }
    await record([forecast])
    passMinutes(1)
    await sender.runOnce()
    assert.equal(sent[2]!.subject, 'The lifetime budget of your account will probably not last')
    assert.match(sent[2]!.text, /24 November 2026.*When it is used up, we refuse further requests\./s)
    await record([forecast, windowed(80)])
    passMinutes(1)
    await sender.runOnce()
    assert.equal(sent[3]!.subject, '2 budgets need your attention')
  })

  await t.test('a mail of a replica whose clock is minutes ahead is sent at once, by PostgreSQL’s clock', async () => {
    const { id, email } = await signUp()
    const at = new Date(Date.now() + 300_000)
    await record([{ type: 'account.suspended', accountId: id, data: { reason: 'operator' }, at }])
    const { sent, sender } = startReplica([], databaseClock)
    await sender.runOnce()
    assert.deepEqual(
      sent.map(({ to }) => to),
      [email]
    )
  })

  await t.test('if a replica dies during an attempt, another one sends the same mail after the lease', async () => {
    const { id } = await signUp()
    await record([threshold(id, 80)])
    passMinutes(1)
    const [dying, other] = [startReplica(), startReplica()]
    const under = Promise.withResolvers<Mail>()
    const death = Promise.withResolvers<Delivery>()
    dying.answerWith((mail) => {
      under.resolve(mail)
      return death.promise
    })
    const dead = dying.sender.runOnce()
    const first = await under.promise
    passMinutes(1)
    await other.sender.runOnce()
    assert.equal(other.sent.length, 0)
    passMinutes(2)
    await other.sender.runOnce()
    assert.deepEqual([other.sent.length, other.sent[0]?.id], [1, first.id])
    // What the first one still writes changes nothing.
    death.resolve({ outcome: 'later', failure: 'ECONNECTION' })
    await dead
    assert.partialDeepStrictEqual(await rowsOf(id), [{ state: 'sent', attempts: 2 }])
  })

  await t.test(
    'a mail is tried for a day and a half, with growing pauses; a refused one is not tried again',
    async () => {
      const { id } = await signUp()
      const replica = startReplica()
      const tries: number[] = []
      replica.answerWith(async () => {
        tries.push(time)
        return { outcome: 'later', failure: '451' }
      })
      await record([threshold(id, 80)])
      const begin = time
      while (time < begin + 60 * 3_600_000) {
        passMinutes(5)
        await replica.sender.runOnce()
      }
      const hours = (tries.at(-1)! - tries[0]!) / 3_600_000
      assert.ok(tries.length === 9 && hours > 24 && hours < 48, `${tries.length} tries in ${hours} h`)
      assert.partialDeepStrictEqual(await rowsOf(id), [{ state: 'failed', failure: '451' }])
      replica.answerWith(async () => ({ outcome: 'refused', failure: '550' }))
      await record([threshold(id, 100)])
      passMinutes(1)
      await replica.sender.runOnce()
      assert.deepEqual(replica.outcomes, ['failed', 'failed'])
    }
  )

  await t.test('a switched off kind, and mails to deleted users, are skipped; required kinds are not', async () => {
    const [muting, deleted] = [await signUp(), await signUp()]
    await setMuted(orm, userRecipient(muting.id), 'budget', true, clock())
    await setMuted(orm, userRecipient(muting.id), 'account', true, clock())
    await orm.update(users).set({ deletionStartedAt: clock() }).where(eq(users.id, deleted.id))
    const failed: NewEvent = { type: 'payment.failed', accountId: muting.id, data: { invoice_id: null }, at: clock() }
    const own = (accountId: string): NewEvent => ({
      type: 'account.suspended',
      accountId,
      data: { reason: 'team' },
      at: clock()
    })
    await record([threshold(muting.id, 80), threshold(deleted.id, 80), failed, own(muting.id)])
    passMinutes(1)
    const { sent, outcomes, sender } = startReplica()
    await sender.runOnce()
    assert.deepEqual(
      sent.map(({ to, subject, unsubscribeUrl }) => [to, subject, unsubscribeUrl]),
      [[muting.email, 'Your payment failed', null]]
    )
    assert.deepEqual(outcomes.toSorted(), ['sent', 'skipped', 'skipped'])
  })

  await t.test('mails for operators go to each address, or to each operator', async () => {
    const operator = await signUp(true)
    const failing = (upstream: string): NewEvent => ({
      type: 'provider.failing',
      accountId: null,
      at: clock(),
      data: { upstream, since: clock().toISOString(), requests: 9, failed: 9 }
    })
    await setMuted(orm, addressRecipient('night@example.com'), 'providers', true, clock())
    for (const [to, expected] of [
      [['ops@example.com', 'OPS@example.com', 'night@example.com'], ['ops@example.com']],
      [[], [operator.email]]
    ] as const) {
      await record([failing('openai'), failing('openai')])
      passMinutes(1)
      const { sent, sender } = startReplica([...to])
      for (let round = 0; round < 2; round++) await sender.runOnce()
      assert.deepEqual(
        sent.map((mail) => [mail.to, mail.subject]),
        expected.map((address) => [address, 'The provider openai keeps failing'])
      )
    }
  })

  await t.test('a thousand keys are one mail, which names some and counts the rest', async () => {
    const { id } = await signUp()
    const expiring = Array.from({ length: 1000 }, (_, number): NewEvent => {
      const key = { id: `key_${number}`, label: `tenant\r\n<b>${number}`, scope: 'inference' as const, metadata: {} }
      return { type: 'key.expiring', accountId: id, at: clock(), data: { key, expires_at: '2026-11-30T12:00:00.000Z' } }
    })
    await record(expiring)
    passMinutes(2)
    const { sent, sender } = startReplica()
    await sender.runOnce()
    const [mail, ...others] = sent
    assert.deepEqual([mail!.subject, others], ['1000 of your API keys soon stop working', []])
    assert.match(mail!.text, /^- “tenant <b>0” expires on 30 November 2026, 12:00 UTC$/m)
    assert.match(mail!.text, /^- and 980 more$/m)
    assert.ok(!mail!.html.includes('<b>'))
  })

  await t.test('one account gets 20 mails of a kind in 24 hours; what comes later is one mail after them', async () => {
    const { id } = await signUp()
    const { sent, sender } = startReplica()
    for (let at = 0; at < maxMailsPerDay + 5; at++) {
      await record([threshold(id, 50)])
      passMinutes(1)
      await sender.runOnce()
    }
    assert.equal(sent.length, maxMailsPerDay)
    passMinutes(24 * 60)
    await sender.runOnce()
    assert.equal(sent.length, maxMailsPerDay + 1)
    assert.equal((await rowsOf(id)).at(-1)!.count, 5)
  })

  await t.test(
    'mails of sign-ins, which anybody can cause, do not delay what else happens to the account',
    async () => {
      const { id } = await signUp()
      const { sent, sender } = startReplica()
      const tell = async (notice: { type: string; data: object }, maxPerDay?: number) => {
        const notices = [{ ...notice, at: clock().toISOString() }]
        await orm.transaction((tx) =>
          queueMail(tx, { accountId: id, kind: 'account', notices, at: clock(), maxPerDay })
        )
        passMinutes(1)
        await sender.runOnce()
      }
      const signedIn = { type: 'sign_in.new_browser', data: { browser: 'Firefox', address: '203.0.113.9' } }
      for (let at = 0; at < maxSignInMailsPerDay + 2; at++) await tell(signedIn, maxSignInMailsPerDay)
      assert.equal(sent.length, maxSignInMailsPerDay)
      await tell({ type: 'account.suspended', data: { reason: 'operator' } })
      assert.equal(sent.length, maxSignInMailsPerDay + 1)
      assert.match(sent.at(-1)!.text, /suspended/)
    }
  )

  await t.test('without a mail server, mails are dropped and not sent later', async () => {
    const { id } = await signUp()
    await orm.transaction((tx) => queueMail(tx, { accountId: id, kind: 'budget', notices: [], at: clock() }))
    passMinutes(1)
    const options = { orm, brand, publicUrl: 'https://app.example.com', operatorMail: [], sharedTime, log: quiet }
    await createMailSender({ ...options, mailer: null }).runOnce()
    assert.partialDeepStrictEqual(await rowsOf(id), [{ state: 'skipped' }])
  })
})
