import { setTimeout as delay } from 'node:timers/promises'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { accountShard, accountShards, receiptsName } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import { encodeReceipt } from '@tollgate/state/receipts/receipt-text.ts'
import { noteReceipts } from '@tollgate/state/receipts/receipts.ts'
import { aReceipt } from '@tollgate/state/testing/one-account.ts'
import postgres from 'postgres'
import type { Bench } from '../bench.ts'
import { callers, rareModel, seedDatabase, seededDays, seedLedger, seedRequests } from '../control/seed-database.ts'
import { type ExecutedPlan, type RunningControl, recordPlans, startControl } from '../control/start-control.ts'
import { readCpuNanos } from '../measure/machine.ts'
import { median } from '../measure/statistics.ts'
import { formatNumber } from '../report/table.ts'
import type { Part } from './part.ts'

const keys = 1000
const timesEach = 21
const workers = 2
/** Receipts that control copies, and accounts that they belong to. */
const copiedReceipts = 100_000
const copiedAccounts = 1000
const receiptsPerCall = 200
const roomyBytes = 100_000_000

/**
 * As on a server with some memory; the rest is PostgreSQL's default. The log of changes is not needed while rows are
 * made.
 */
const settings = {
  shared_buffers: '2GB',
  maintenance_work_mem: '1GB',
  max_wal_size: '8GB',
  random_page_cost: '1.1',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off'
}

/**
 * Searches in a request log of 100 million requests, what the usage page reads, and how fast control copies receipts.
 */
export const requestLog: Part = {
  name: 'request-log',
  summary: 'searches in a request log of 100 M requests, half of them of one account, and copies of receipts',
  onlyIfNamed: true,
  async run(bench) {
    const running = await startControl(bench, settings)
    try {
      const { loggedRequests } = bench.timing
      await seedDatabase(running.sql, keys)
      const seeding = performance.now()
      const connections = Array.from({ length: workers }, () =>
        postgres(running.databaseUrl, { max: 1, onnotice: () => {} })
      )
      await seedRequests(connections, loggedRequests, bench.progress)
      await Promise.all(connections.map((connection) => connection.end()))
      const seededSeconds = Math.round((performance.now() - seeding) / 1000)
      bench.progress(`request log: ${formatNumber(loggedRequests, 0)} rows in ${seededSeconds} s`)
      await seedLedger(running.sql)
      const sizes = await readSizes(running)
      const searches = []
      for (const search of await searchesOf(running)) searches.push(await measureSearch(bench, running, search))
      const exported = await measureExport(running)
      const copied = await measureCopies(running)
      return {
        sections: [
          {
            title: `request log: ${formatNumber(loggedRequests, 0)} requests, half of them of one account`,
            table: {
              head: ['', 'first, ms', 'median, ms', 'maximum, ms', 'found', 'more'],
              rows: searches.map(({ name, ms, found, more }) => [
                name,
                ...[ms[0]!, median(ms), Math.max(...ms)].map((value) => formatNumber(value, 1)),
                formatNumber(found, 0),
                more ? 'yes' : 'no'
              ])
            },
            notes: [
              `In PostgreSQL: ${Object.entries(sizes)
                .map(([what, bytes]) => `${what} ${formatNumber(bytes / 1e9, 2)} GB`)
                .join(', ')}.`,
              `Export: ${formatNumber(exported.rowsPerSecond, 0)} requests/s as NDJSON.`,
              `Copied from Redis: ${formatNumber(copied.receiptsPerSecond, 0)} receipts/s by one replica, with ` +
                `${formatNumber(copied.controlMicros, 0)} µs of control and ${formatNumber(copied.postgresMicros, 0)} µs of PostgreSQL each.`,
              ...searches.flatMap(({ name, plans }) => [
                '',
                `${name}:`,
                ...plans.flatMap(({ statement, lines }) => [
                  `  ${statement.slice(0, 160)}`,
                  ...lines.map((line) => `    ${line}`)
                ])
              ])
            ]
          }
        ],
        figures: { loggedRequests, seededSeconds, sizes, searches, exported, copied }
      }
    } finally {
      await running.stop()
    }
  }
}

interface Search {
  readonly name: string
  readonly path: string
  readonly session: string
}

async function searchesOf(running: RunningControl): Promise<Search[]> {
  const [key] = await running.sql<[{ key: string }]>`select key from bench_examples where m = 1`
  const [one] = await running.sql<[{ id: string }]>`
    select id::text as id from requests where account_id = md5('user 0')::uuid and at < now() - interval '12 days' limit 1`
  const [owner] = await running.sql<
    [{ id: string }]
  >`select owner_id::text as id from accounts where id = md5('user 0')::uuid`
  const middle = new Date(Date.now() - (seededDays / 2) * 86_400_000).toISOString()
  const large = (name: string, query: string): Search => ({
    name: `large account, ${name}`,
    path: `/api/requests?${query}`,
    session: callers.large.session
  })
  const usage = (name: string, path: string, of: keyof typeof callers = 'large'): Search => ({
    name: `${of} account, usage ${name}`,
    path: `/api/usage${path}`,
    session: callers[of].session
  })
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const month = `from=${ago(seededDays)}&interval=day&top=10`
  const year = `from=${ago(364)}&interval=month&top=10`
  const search = [
    large('first page', 'limit=50'),
    large('first page before a time', `limit=50&to=${middle}`),
    large('one key', `limit=50&key=${key.key}`),
    large('a tenant’s three keys', 'limit=50&metadata.tenant=bench'),
    large('one key, errors', `limit=50&key=${key.key}&status=5xx`),
    large('errors by code', 'limit=50&code=upstream_error'),
    large('one model', 'limit=50&model=gpt-5'),
    large('dearest 5 %', 'limit=50&min_cost_usd=0.0855'),
    large('slowest 1 %', 'limit=50&min_duration_ms=30000'),
    large('a member’s keys', `limit=50&member=${owner.id}`),
    large('a member’s errors', `limit=50&member=${owner.id}&status=5xx`),
    ...['model', 'key', 'member', 'metadata.tenant'].flatMap((by) => [
      usage(`of a month by ${by}`, `?${month}&group_by=${by}`),
      usage(`of a year by ${by}`, `?${year}&group_by=${by}`),
      usage(`latency of a month by ${by}`, `/latency?${month}&group_by=${by}`)
    ]),
    usage('of a day by member', `?from=${ago(1)}&interval=hour&top=10&group_by=member`),
    usage('latency of a day by member', `/latency?from=${ago(1)}&interval=hour&top=10&group_by=member`),
    usage('of a month of one key', `?${month}&group_by=model&key=${key.key}`),
    usage('latency of a month of one key', `/latency?${month}&group_by=model&key=${key.key}`),
    usage('of this month', '/summary'),
    ...['key', 'member', 'metadata.tenant'].flatMap((by) => [
      usage(`of a month by ${by}`, `?${month}&group_by=${by}`, 'small'),
      usage(`of a year by ${by}`, `?${year}&group_by=${by}`, 'small'),
      usage(`latency of a month by ${by}`, `/latency?${month}&group_by=${by}`, 'small')
    ]),
    large('a model that nearly nobody uses', `limit=50&model=${rareModel}`),
    large('a model that nearly nobody uses, in the past', `limit=50&model=${rareModel}&to=${middle}`),
    large('nothing', 'limit=50&min_cost_usd=99'),
    { name: 'small account, first page', path: '/api/requests?limit=50', session: callers.small.session },
    { name: 'small account, nothing', path: '/api/requests?limit=50&min_cost_usd=99', session: callers.small.session },
    { name: 'one request by its id', path: `/api/requests/req_${one.id}`, session: callers.large.session }
  ]
  const second = (await get(running, search[1]!)) as { next_cursor: string }
  return [...search, large('second page in the past', `limit=50&to=${middle}&cursor=${second.next_cursor}`)]
}

const urlOf = (running: RunningControl, path: string) => `http://127.0.0.1:${running.port}${path}`

async function get(running: RunningControl, { name, path, session }: Search): Promise<unknown> {
  const answer = await fetch(urlOf(running, path), { headers: { cookie: `svc_session=${session}` } })
  const body: unknown = await answer.json()
  if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${JSON.stringify(body)}`)
  return body
}

interface MeasuredSearch extends Search {
  readonly ms: number[]
  readonly found: number
  readonly more: boolean
  readonly plans: ExecutedPlan[]
}

/** Measures one search after the other, from the client's side. The first one may read from the disk. */
async function measureSearch(bench: Bench, running: RunningControl, search: Search): Promise<MeasuredSearch> {
  const ms: number[] = []
  let body: { requests?: unknown[]; buckets?: unknown[]; next_cursor?: string | null } = {}
  for (let time = 0; time < timesEach; time++) {
    const started = performance.now()
    body = (await get(running, search)) as typeof body
    ms.push(performance.now() - started)
  }
  bench.progress(`request log: ${search.name}: ${formatNumber(median(ms), 1)} ms`)
  const plans = await recordPlans(running.sql, async () => void (await get(running, search)))
  const ofLog = plans.filter(({ statement }) => /\bfrom "(requests|ledger)"/.test(statement))
  return {
    ...search,
    ms,
    found: (body.requests ?? body.buckets)?.length ?? 1,
    more: body.next_cursor != null,
    plans: ofLog.map(withoutUnread)
  }
}

/** Leaves out the days that a plan never read. */
const withoutUnread = (plan: ExecutedPlan): ExecutedPlan => {
  const lines: string[] = []
  let hidden: number | null = null
  for (const line of plan.lines) {
    const indent = line.search(/\S/)
    if (hidden !== null && indent > hidden) continue
    hidden = line.includes('(never executed)') ? indent : null
    if (hidden === null) lines.push(line)
  }
  return { ...plan, lines }
}

async function readSizes({ sql }: RunningControl): Promise<Record<string, number>> {
  const rows = await sql<Array<{ what: string; bytes: number }>>`
    select case when i.relkind = 'r' then 'rows' else regexp_replace(i.relname, '^requests_[0-9_]+_(.*)_idx[0-9]*$|^requests_[0-9_]+_(.*)$', '\\1\\2') end as what,
      sum(pg_table_size(i.oid))::float8 as bytes
    from pg_inherits join pg_class c on c.oid = inhrelid
      join pg_class i on i.oid = c.oid or i.oid in (select indexrelid from pg_index where indrelid = c.oid)
    where inhparent = 'requests'::regclass
    group by 1 order by 2 desc`
  return Object.fromEntries(rows.map(({ what, bytes }) => [what, bytes]))
}

async function measureExport(running: RunningControl): Promise<{ rowsPerSecond: number }> {
  const to = new Date(Date.now() - 86_400_000).toISOString()
  const headers = { cookie: `svc_session=${callers.small.session}` }
  const started = performance.now()
  const answer = await fetch(urlOf(running, `/api/requests/export?to=${to}`), { headers })
  let lines = 0
  for await (const part of answer.body!) for (const byte of part as Uint8Array) if (byte === 10) lines++
  return { rowsPerSecond: lines / ((performance.now() - started) / 1000) }
}

interface Copied {
  readonly receiptsPerSecond: number
  readonly controlMicros: number
  readonly postgresMicros: number
}

/** Leaves receipts in Redis, and waits until control has copied all of them. */
async function measureCopies(running: RunningControl): Promise<Copied> {
  const link = connectServer(running.redisUrl, { name: 'bench', silenceTimeoutMs: 30_000, onError: () => {} })
  try {
    await link.ready()
    const accounts = Array.from({ length: copiedAccounts }, () => crypto.randomUUID())
    const backends = Object.values(await running.backends())
    const cpuOf = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + readCpuNanos(pid), 0)
    const before = { control: cpuOf([running.child.pid]), postgres: cpuOf(backends) }
    const texts = Map.groupBy(
      Array.from({ length: copiedReceipts }, (_, index) => newReceipt(accounts[index % copiedAccounts]!)),
      ({ account }) => accountShard(account)
    )
    const started = performance.now()
    for (const [shard, receipts] of texts) {
      for (let from = 0; from < receipts.length; from += receiptsPerCall) {
        const some = receipts.slice(from, from + receiptsPerCall).map(encodeReceipt)
        await noteReceipts(link, shard, some, roomyBytes)
      }
    }
    for (;;) {
      const lengths = await Promise.all(accountShards.map((shard) => link.client.xlen(receiptsName(shard))))
      if (lengths.every((length) => length === 0)) break
      await delay(10)
    }
    const seconds = (performance.now() - started) / 1000
    const micros = (after: number, earlier: number) => (after - earlier) / 1000 / copiedReceipts
    return {
      receiptsPerSecond: copiedReceipts / seconds,
      controlMicros: micros(cpuOf([running.child.pid]), before.control),
      postgresMicros: micros(cpuOf(backends), before.postgres)
    }
  } finally {
    await link.close()
  }
}

const newReceipt = (account: string): Receipt =>
  aReceipt({ id: `req_${crypto.randomUUID()}`, account, at: Math.floor(Date.now() / 1000) })
