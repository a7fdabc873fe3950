import assert from 'node:assert/strict'
import type { ProcessReport } from '@tollgate/contracts/records/process-report.ts'
import { processesName } from '../keyspace/names.ts'
import { readRedisTime } from '../link/redis-link.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import {
  createHeartbeat,
  isRequestLogOn,
  liveUpstreams,
  noteProcess,
  type ProcessFacts,
  readProcesses,
  removeProcess
} from './heartbeat.ts'

const gateway: ProcessReport = {
  kind: 'gateway',
  id: 'gateway-1',
  host: 'host',
  version: '1.2.3',
  startedAt: 1000,
  upstreams: [{ name: 'openai', breaker: 'closed', speaks: ['chat'] }],
  catalogVersion: 7,
  errors: { model_unavailable: { count: 2, lastAt: 2000 } }
}

testOnEveryRedis('running processes', async (t, link) => {
  const { client } = link
  /** As if the process had last reported some time ago. */
  async function age(id: string, ms: number): Promise<void> {
    const value = (await client.hget(processesName, id))!
    await client.hset(processesName, id, `${Number.parseInt(value, 10) - ms}${value.slice(value.indexOf('|'))}`)
  }
  const ids = async () => (await readProcesses(link)).map(({ id }) => id)

  t.test('a process is known with its last report, by the clock of Redis, until it ends', async () => {
    assert.deepEqual(await readProcesses(link), [])
    const before = Math.floor(await readRedisTime(link))
    await noteProcess(link, gateway)
    await noteProcess(link, { ...gateway, catalogVersion: 8 })
    const [seen, ...others] = await readProcesses(link)
    const { seenAt, ...report } = seen!
    assert.deepEqual(others, [])
    assert.deepEqual(report, { ...gateway, catalogVersion: 8 })
    assert.ok(seenAt >= before && seenAt <= (await readRedisTime(link)))
    await removeProcess(link, gateway.id)
    assert.deepEqual(await readProcesses(link), [])
  })

  t.test('a silent process does not count as running, and is forgotten after an hour', async () => {
    for (const id of ['live', 'silent', 'gone']) await noteProcess(link, { ...gateway, id })
    await age('silent', 16_000)
    await age('gone', 3_601_000)
    assert.deepEqual(await ids(), ['live'])
    assert.deepEqual((await client.hkeys(processesName)).toSorted(), ['live', 'silent'])
    await noteProcess(link, { ...gateway, id: 'silent' })
    assert.deepEqual((await ids()).toSorted(), ['live', 'silent'])
  })

  t.test('an entry that this release cannot read is skipped', async () => {
    await noteProcess(link, gateway)
    await client.hset(processesName, 'later', `${Math.floor(await readRedisTime(link))}|{"kind":"worker","id":"later"}`)
    await client.hset(processesName, 'broken', 'nonsense')
    assert.deepEqual(await ids(), ['gateway-1'])
    assert.deepEqual((await client.hkeys(processesName)).toSorted(), ['gateway-1', 'later'])
  })

  t.test('the live upstreams are those of all running gateways; null if no gateway is known', async () => {
    assert.equal(await liveUpstreams(link), null)
    await noteProcess(link, {
      kind: 'control',
      id: 'c',
      host: 'h',
      version: '1',
      startedAt: 1,
      errors: {},
      webhooks: []
    })
    assert.equal(await liveUpstreams(link), null)
    await noteProcess(link, {
      ...gateway,
      leftOutUpstreams: ['azure', 'groq'],
      chargesListPrices: true,
      checksAddresses: true,
      countsBudgets: true
    })
    await noteProcess(link, { ...gateway, id: 'other', upstreams: [{ name: 'azure', breaker: 'open', speaks: [] }] })
    assert.deepEqual(await liveUpstreams(link), {
      served: new Set(['openai', 'azure']),
      leftOut: new Set(['groq']),
      withoutListPrices: 1,
      withoutAddresses: 1,
      withoutBudgets: 1
    })
    await age('other', 16_000)
    assert.deepEqual(await liveUpstreams(link), {
      served: new Set(['openai']),
      leftOut: new Set(['azure', 'groq']),
      withoutListPrices: 0,
      withoutAddresses: 0,
      withoutBudgets: 0
    })
    assert.equal(await liveUpstreams({ ...link, isReady: () => false }), null)
    assert.equal(await isRequestLogOn(link), true)
    await noteProcess(link, { ...gateway, isWithoutRequestLog: true })
    assert.equal(await isRequestLogOn(link), false)
    assert.equal(await isRequestLogOn({ ...link, isReady: () => false }), true, 'not known')
  })

  t.test('a heartbeat reports the present state, and nothing while Redis is away', async () => {
    let isAway = false
    const failures: Error[] = []
    let facts: ProcessFacts = { kind: 'gateway', version: '1', upstreams: [], catalogVersion: null, errors: {} }
    const own = { ...link, isReady: () => !isAway }
    const heartbeat = createHeartbeat(
      own,
      () => facts,
      (error) => void failures.push(error),
      3_600_000
    )
    heartbeat.start()
    await heartbeat.beat()
    facts = { ...facts, catalogVersion: 3 }
    isAway = true
    await heartbeat.beat()
    const [first] = await readProcesses(link)
    assert.equal(first!.catalogVersion, null)
    isAway = false
    await heartbeat.beat()
    const [second] = await readProcesses(link)
    assert.equal(second!.catalogVersion, 3)
    assert.deepEqual([second!.id, second!.startedAt], [first!.id, first!.startedAt])
    await client.del(processesName)
    await client.set(processesName, 'another type')
    await heartbeat.beat()
    await heartbeat.beat()
    assert.equal(failures.length, 1, 'once per outage')
    assert.doesNotMatch(JSON.stringify(failures[0]), /catalogVersion/)
    await client.del(processesName)
    await heartbeat.beat()
    await heartbeat.stop()
    assert.deepEqual(await readProcesses(link), [])
    await heartbeat.beat()
    assert.deepEqual(await readProcesses(link), [])
  })
})
