import assert from 'node:assert/strict'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { RedisAwayError } from '@tollgate/state/link/redis-link.ts'
import { removeProcess } from '@tollgate/state/processes/heartbeat.ts'
import { addServed, hourOf } from '@tollgate/state/served/served.ts'
import { noneServed } from '@tollgate/state/served/served-row.ts'
import { testOnEveryRedis } from '@tollgate/state/testing/redis-servers.ts'
import { repositoryCatalog } from '../testing/control-options.ts'
import { openMigratedDatabase } from '../testing/databases.ts'
import { noteGateway } from '../testing/note-gateway.ts'
import { storeServedHours } from './served-hours.ts'
import { createStatusReader } from './status-reader.ts'

const catalog = loadCatalogFile(repositoryCatalog)
const [first, second] = catalog.plans.free!.models as [string, string]
const minuteMs = 60_000

testOnEveryRedis('reading what gateways measured', async (t, link) => {
  const { orm, close } = await openMigratedDatabase()
  let isClosed = false
  t.after(() => (isClosed ? undefined : close()))
  let at = 500_000 * 60 * minuteMs
  const warnings: unknown[] = []
  const log = { warn: (...line: unknown[]) => void warnings.push(line) }
  const readerOf = (redis = link, leftOut: readonly string[] = []) =>
    createStatusReader({
      orm,
      redis,
      catalog,
      catalogPublisher: { leftOutModels: async () => new Set(leftOut) },
      clock: () => new Date(at),
      log
    })

  let sequence = 0
  /** 100 successes of a model, some hours ago. */
  const serve = (model: string, hoursAgo = 0) =>
    addServed(link, {
      hour: hourOf(at) - hoursAgo,
      reporter: 'one',
      sequence: ++sequence,
      rows: new Map([[model, { ...noneServed(), successes: 100 }]])
    })
  const uptimesOf = async (reader: ReturnType<typeof readerOf>) =>
    Object.fromEntries((await reader.read()).models.map(({ id, uptime }) => [id, uptime]))

  t.test('it has the models on sale that a gateway offers, and the last 24 hours', async () => {
    await serve(first, 23)
    await serve(second, 24)
    await serve('unknown')
    const { models, providers } = await readerOf(link).read()
    assert.deepEqual(
      [models.find(({ id }) => id === first)?.uptime, models.find(({ id }) => id === second)?.uptime],
      [1, null]
    )
    assert.equal(models.find(({ id }) => id === first)!.hours[0], 'good')
    assert.deepEqual(new Set(models.map(({ provider }) => provider)), new Set(providers.map(({ name }) => name)))
    assert.ok(!models.some(({ id }) => id === 'unknown'))
    assert.equal((await uptimesOf(readerOf(link, [first])))[first], undefined)
  })

  t.test('callers share a reading for a minute', async () => {
    await noteGateway(link)
    const reader = readerOf()
    assert.equal((await uptimesOf(reader))[first], null)
    await serve(first)
    at += minuteMs - 1
    assert.equal((await uptimesOf(reader))[first], null)
    at += 1
    assert.equal((await uptimesOf(reader))[first], 1)
  })

  t.test('without Redis everything is unknown, and it is asked again after five seconds', async () => {
    await serve(first)
    let isReady = false
    const reader = readerOf({ ...link, isReady: () => isReady })
    const { state, models } = await reader.read()
    assert.ok(state === 'unknown' && models.length > 0)
    assert.ok(models.every(({ uptime, hours }) => uptime === null && hours.every((hour) => hour === 'unknown')))
    isReady = true
    at += 5000
    assert.equal((await uptimesOf(reader))[first], 1)
    const failing = readerOf({
      ...link,
      nodeOf: () => {
        throw new RedisAwayError()
      }
    })
    assert.equal((await failing.read()).state, 'unknown')
    assert.equal(warnings.length, 1)
  })

  t.test('the service is down once no gateway has reported for a minute', async () => {
    await serve(first)
    const id = await noteGateway(link)
    const reader = readerOf()
    const states = async () => {
      const { state, gateway } = await reader.read()
      return [state, gateway]
    }
    assert.deepEqual(await states(), ['good', 'good'])
    await removeProcess(link, id)
    at += minuteMs
    assert.deepEqual(await states(), ['good', 'unknown'])
    at += minuteMs - 1
    assert.deepEqual(await states(), ['good', 'unknown'])
    at += 5000
    assert.deepEqual(await states(), ['down', 'down'])
    await noteGateway(link)
    at += 5000
    assert.deepEqual(await states(), ['good', 'good'])
  })

  t.test('days are what PostgreSQL keeps and Redis has, and without PostgreSQL those that were read last', async () => {
    const days = async (reader: ReturnType<typeof readerOf>) => (await reader.read()).history.day_uptimes
    const lastDays = async (reader: ReturnType<typeof readerOf>) => (await days(reader)).slice(-11)
    await storeServedHours(orm, new Map([[hourOf(at) - 240, new Map([[first, { successes: 90, failures: 10 }]])]]))
    await serve(first)
    const reader = readerOf()
    const known = [0.9, ...Array.from({ length: 9 }, () => null), 1]
    assert.deepEqual(await lastDays(reader), known)
    await close()
    isClosed = true
    warnings.length = 0
    at += 15 * minuteMs
    assert.deepEqual(await lastDays(reader), known)
    assert.deepEqual(
      (await lastDays(readerOf())).filter((uptime) => uptime !== null),
      [1]
    )
    assert.equal(warnings.length, 2)
  })
})
