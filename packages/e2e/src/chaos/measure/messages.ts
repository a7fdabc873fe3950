import type { MailpitList } from '@tollgate/sandbox/mailbox/mail-store.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { NoticedAccount } from '../traffic/noticed-accounts.ts'

/** Things that must come: how many were expected, how many are missing, and how many came again. */
export interface Counted {
  expected: number
  missing: number
  repeated: number
}

/** Notices, mails and webhooks during a fault. */
export interface MessagesMeasured {
  /** Thresholds of budgets, and changes of keys. */
  notices: Counted
  mails: Counted
  /** Every event of an account with an endpoint. */
  webhooks: Counted
  /** Messages that name an event which does not exist, or have another body than the same message before. */
  wrongWebhooks: number
  /** Messages with a signature that the library refused. They are sent again. */
  refusedWebhooks: number
}

/** What was there before. */
export interface MessagesReading {
  events: ReadonlySet<string>
  keyEvents: Counted
  refusedWebhooks: number
}

export async function readMessages(system: ChaosSystem): Promise<MessagesReading> {
  const events = await system.sql<Array<{ id: string }>>`select id::text from events`
  return {
    events: new Set(events.map(({ id }) => id)),
    keyEvents: await countKeyEvents(system),
    refusedWebhooks: system.receiver.refused
  }
}

/** Measures after everybody was told. @param before a reading before the fault */
export async function measureMessages(
  system: ChaosSystem,
  noticed: readonly NoticedAccount[],
  before: MessagesReading
): Promise<MessagesMeasured> {
  const thresholds = await Promise.all(noticed.map((account) => measureThresholds(system, account)))
  const mails = await Promise.all(
    noticed.map(async ({ id, email }, index) =>
      measureMails((await listMails(system, email)).count, await readSentMails(system, id), thresholds[index]!.told)
    )
  )
  const keyEvents = await countKeyEvents(system)
  keyEvents.expected -= before.keyEvents.expected
  return {
    notices: addAll([...thresholds.map(({ counted }) => counted), keyEvents]),
    mails: addAll(mails),
    ...(await measureWebhooks(system, before.events)),
    refusedWebhooks: system.receiver.refused - before.refusedWebhooks
  }
}

interface Thresholds {
  counted: Counted
  /** The number of notices. */
  told: number
}

/**
 * All budgets are used up. So an account with one threshold has one notice in a month. Of several thresholds, the last
 * one is told, and none twice.
 */
async function measureThresholds({ sql }: ChaosSystem, { id, percent, scope }: NoticedAccount): Promise<Thresholds> {
  const rows = await sql<Array<{ month: string; percent: number }>>`
    select data->>'month' as month, (data->>'percent')::int as percent from events
    where account_id = ${id} and type = 'budget.threshold' and data->>'scope' = ${scope}`
  const different = new Set(rows.map((row) => `${row.month} ${row.percent}`))
  const isTold = rows.some((row) => row.percent === (percent ?? 100))
  return {
    counted: { expected: Math.max(1, different.size), missing: isTold ? 0 : 1, repeated: rows.length - different.size },
    told: different.size
  }
}

interface SentMails {
  /** About budgets. */
  mails: number
  /** How many notices these tell. */
  notices: number
  /** About other things: a key of a used-up budget refuses requests. */
  others: number
}

async function readSentMails({ sql }: ChaosSystem, account: string): Promise<SentMails> {
  const [row] = await sql<[SentMails]>`
    select count(*) filter (where kind = 'budget')::int as mails,
      coalesce(sum(count) filter (where kind = 'budget'), 0)::int as notices,
      count(*) filter (where kind <> 'budget')::int as others
    from mails
    where account_id = ${account} and state = 'sent'`
  return row
}

/**
 * Each notice is told by a mail; notices of several thresholds, and of both months at the end of a month, may share
 * one.
 *
 * @param came how many mails are in the mailbox
 */
function measureMails(came: number, { mails, notices, others }: SentMails, told: number): Counted {
  // More mails than notices repeat one.
  const expected = Math.max(1, Math.min(mails, told)) + others
  return {
    expected,
    missing: Math.max(0, expected - came) + Math.max(0, told - notices),
    repeated: Math.max(0, came - expected)
  }
}

/** Each key of the person has exactly one event of its creation, and each revoked key one of its revocation. */
async function countKeyEvents({ sql, accountOfPeople }: ChaosSystem): Promise<Counted> {
  const [row] = await sql<[Counted]>`
    with recorded as (
      select type, data->'key'->>'id' as key, count(*) as count from events
      where account_id = ${accountOfPeople} and type in ('key.created', 'key.revoked') group by 1, 2
    ), wanted as (
      select id as key, 'key.created' as type from keys where account_id = ${accountOfPeople}
      union all
      select id, 'key.revoked' from keys where account_id = ${accountOfPeople} and status = 'revoked'
    )
    select count(*)::int as expected, (count(*) filter (where count is null))::int as missing,
      coalesce(sum(count - 1), 0)::int as repeated
    from wanted left join recorded using (key, type)`
  return row
}

async function measureWebhooks(
  { sql, receiver }: ChaosSystem,
  before: ReadonlySet<string>
): Promise<Pick<MessagesMeasured, 'webhooks' | 'wrongWebhooks'>> {
  const rows = await sql<Array<{ endpoint: string; event: string }>>`
    select webhook_endpoints.id::text as endpoint, events.id::text as event
    from webhook_endpoints join events using (account_id)`
  const expected = rows.filter(({ event }) => !before.has(event))
  const bodies = Map.groupBy(receiver.messages, ({ endpoint, id }) => `${endpoint} ${id}`)
  const received = expected.map(({ endpoint, event }) => bodies.get(`${endpoint} ${event}`) ?? [])
  const rowKeys = new Set(rows.map(({ endpoint, event }) => `${endpoint} ${event}`))
  const isWrong = ([message, some]: [string, typeof receiver.messages]) =>
    !rowKeys.has(message) || some.some(({ body }) => body !== some[0]!.body)
  return {
    webhooks: {
      expected: expected.length,
      missing: received.filter((some) => some.length === 0).length,
      repeated: received.reduce((sum, some) => sum + Math.max(0, some.length - 1), 0)
    },
    wrongWebhooks: [...bodies].filter(isWrong).length
  }
}

const addAll = (all: readonly Counted[]): Counted =>
  all.reduce(
    (sum, one) => ({
      expected: sum.expected + one.expected,
      missing: sum.missing + one.missing,
      repeated: sum.repeated + one.repeated
    }),
    { expected: 0, missing: 0, repeated: 0 }
  )

/** Lists mails of the mailbox. @param address only those to it; null for all */
export async function listMails(
  { system }: Pick<ChaosSystem, 'system'>,
  address: string | null = null
): Promise<MailpitList> {
  const path = address === null ? 'messages?limit=1' : `search?limit=200&query=${encodeURIComponent(`to:"${address}"`)}`
  const response = await fetch(`${system.addresses.mailbox}/api/v1/${path}`)
  return (await response.json()) as MailpitList
}
