import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Sql } from 'postgres'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { type SeededAccount, seedAccounts } from '../system/seed.ts'
import { seedEndpoints } from '../system/webhook-receiver.ts'
import { sendSteadily } from '../traffic/send-steadily.ts'
import type { AlertFault } from './alert-fault.ts'

const wrongWebhooks = 6
const webhookPauseMs = 2000
/** More than are reported until the alert fires. */
const reportedUsers = 2000
const reportsPerSecond = 10
const slowAnswerMs = 3000
/** More than both replicas send until the alert fires. */
const lateMessages = 200

/** Faults of PostgreSQL and of the providers of users and payments. */
export const controlAlertFaults: readonly AlertFault[] = [
  {
    summary: 'control is cut off from PostgreSQL',
    raises: ['DatabaseDown'],
    mayRaise: ['LoopFailing', 'LedgerLag', 'RequestLogLag', 'ProjectionLag', 'ControlDown', 'NoControl'],
    async inject({ controls }) {
      for (const { database } of controls) database.cut()
      return () => {
        for (const { database } of controls) database.restore()
      }
    }
  },
  {
    summary: 'PostgreSQL refuses all writes',
    raises: ['LoopFailing', 'LedgerLag', 'RequestLogLag'],
    mayRaise: ['QueueGrowing'],
    async inject(system) {
      await setReadOnly(system, 'on')
      return () => setReadOnly(system, 'off')
    }
  },
  {
    summary: 'the identity provider is suspended while it reports more and more users',
    raises: ['QueueGrowing'],
    mayRaise: ['LoopFailing'],
    async inject({ system, sql }) {
      const accounts = await seedAccounts(sql, { count: reportedUsers, keysEach: 0 })
      const identity = system.part('identity')
      await identity.kill('SIGSTOP')
      const reports = reportSteadily(sql, accounts)
      return async () => {
        await reports.stop()
        await identity.kill('SIGCONT')
      }
    }
  },
  {
    summary: 'the webhook secret of the payment provider is wrong',
    raises: ['WebhooksRefused'],
    async inject({ controls }) {
      for (let number = 0; number < wrongWebhooks; number++) {
        const { status } = await fetch(`${controls[0]!.url}/api/billing/webhook`, {
          method: 'POST',
          headers: { 'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` },
          body: '{}'
        })
        if (status !== 400) throw new Error(`a webhook with a wrong signature got ${status}`)
        await delay(webhookPauseMs)
      }
      return () => undefined
    }
  },
  {
    summary: 'the payment provider refuses the key of a replica of control',
    raises: ['ProviderRefusesKey'],
    mayRaise: ['ControlDown'],
    async inject({ controls }, settings) {
      const restartWith = async (isRefused: boolean) => {
        settings.refuseKey(isRefused)
        await controls[1]!.part.restart()
      }
      await restartWith(true)
      return () => restartWith(false)
    }
  },
  {
    summary: 'the OTLP collector answers 503',
    raises: ['ReceiptsNotExported'],
    mayRaise: ['LoopFailing'],
    async inject({ sql }, settings) {
      settings.useCollector(false)
      // Thresholds are not shortened, so the receipts are an hour old.
      await sql`
        insert into request_exports (stored_at, count, receipts)
        values (now() - interval '1 hour', 0, ${gzipSync('[]')})`
      return () => settings.useCollector(true)
    }
  },
  {
    summary: 'control is cut off from the mail server while a mail waits',
    raises: ['MailsStuck'],
    async inject({ mail, sql }) {
      mail.cut()
      await queueMail(sql)
      return async () => {
        mail.restore()
        // The pause until its next try may be minutes long.
        await sql`update mails set due_at = now() where ended_at is null`
      }
    }
  },
  {
    summary: `a receiver takes ${slowAnswerMs / 1000} s for each of ${lateMessages} webhooks`,
    raises: ['WebhooksLate'],
    mayRaise: ['QueueGrowing'],
    async inject({ sql, receiver, system, accounts }) {
      receiver.answerAfter(slowAnswerMs)
      const { id } = accounts[0]!
      const [endpoint] = await seedEndpoints(sql, { receiver, secretsKey: system.secrets.secretsKey, accounts: [id] })
      await queueWebhooks(sql, { account: id, endpoint: endpoint!.id })
      return () => receiver.answerAfter(0)
    }
  },
  {
    summary: 'the database lacks the last migration',
    raises: ['MigrationsPending'],
    async inject({ sql }) {
      const [last] = await sql`delete from migrations where id = (select max(id) from migrations) returning *`
      return () => sql`insert into migrations ${sql(last!)}`
    }
  }
]

/** Queues a mail to an operator. */
async function queueMail(sql: Sql): Promise<void> {
  const month = new Date().toISOString().slice(0, 7)
  const data = { scope: 'account', key: null, month, percent: 50, budget_usd: '10.00', spent_usd: '5.00' }
  const notices = [{ type: 'budget.threshold', data, at: new Date().toISOString() }]
  await sql`
    insert into mails (id, recipient, kind, notices, count, state, due_at, created_at)
    values (gen_random_uuid(), 'address:waiting@tollgate.test', 'budget', ${sql.json(notices)}, 1, 'collecting', now(), now())`
}

/** Queues events that are an hour old, because thresholds are not shortened. */
async function queueWebhooks(sql: Sql, { account, endpoint }: { account: string; endpoint: string }): Promise<void> {
  const data = { key: { id: 'key_late', label: 'late', scope: 'inference', metadata: {} } }
  await sql`
    with recorded as (
      insert into events (id, account_id, type, data, at)
      select gen_random_uuid(), ${account}, 'key.created', ${sql.json(data)}, now() - interval '1 hour'
      from generate_series(1, ${lateMessages}::int) returning id, at
    )
    insert into webhook_deliveries (endpoint_id, event_id, status, due_at, created_at)
    select ${endpoint}, id, 'pending', at, at from recorded`
}

async function setReadOnly({ sql }: ChaosSystem, value: 'on' | 'off'): Promise<void> {
  await sql.unsafe(`alter system set default_transaction_read_only = ${value}`)
  await sql`select pg_reload_conf()`
}

/** Reports the owners of accounts as changed, ten a second. The provider does not know them, so control suspends them later. */
function reportSteadily(sql: Sql, accounts: readonly SeededAccount[]): { stop(): Promise<void> } {
  return sendSteadily(reportsPerSecond, async (number) => {
    const account = accounts[number]
    if (account === undefined) return
    await sql`
      insert into users (id, email, name, synced_at, due_at) values (${account.id}, 'due@tollgate.test', '', now(), now())
      on conflict do nothing`
  })
}
