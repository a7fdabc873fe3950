import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import { test } from 'tap'
import { Agent, request } from 'undici'
import { Children } from './children.ts'
import { countsBetween, openRedisCounters } from './load/redis-counters.ts'
import { readWrites } from './measure/machine.ts'
import { askProbe, probeFlags } from './measure/probe.ts'
import { startSide } from './side.ts'
import { gateway } from './targets/gateway.ts'
import { createUpstream } from './upstream/server.ts'

const requests = 300

/** Of one request that shares its turn with no other. */
const limits = {
  /** Admission and settlement. */
  scripts: 2,
  /** What these two call. */
  commands: 9,
  bytesToRedis: 1280,
  /** To the upstream and to the client, and two to Redis. */
  writes: 4,
  /** One of Node's server, and one of ioredis for each script. */
  timers: 3,
  immediates: 7,
  /** Five for the request; the others for each batch. */
  promises: 20
}
/** Timers, heartbeats and the log, which come with time. */
const background = 0.1

/** One after the other, so that no two share a turn of the event loop. */
async function send(agent: Agent, port: number, apiKey: string, count: number): Promise<void> {
  const url = `http://127.0.0.1:${port}/v1/chat/completions`
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` }
  const messages = [{ role: 'user', content: 'Hello' }]
  const body = JSON.stringify({ model: 'bench-model', max_tokens: 256, messages })
  for (let sent = 0; sent < count; sent++) {
    const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent })
    await answer.body.dump()
    assert.equal(answer.statusCode, 200)
  }
}

test('what a request costs is counted, and does not grow', async (t) => {
  if (!need(t, 'redis-server', findRedisServer(process.env))) return
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-counts-'))
  const children = new Children()
  const agent = new Agent({ connections: 1 })
  const upstream = createUpstream(() => ({ chunks: 1, paceMs: 0 })).listen(await freePort(), '127.0.0.1')
  await once(upstream, 'listening')
  const { port: upstreamPort } = upstream.address() as AddressInfo
  const socketPath = join(folder, 'probe.sock')
  const context = { children, upstreamPort, core: null, nodeFlags: probeFlags(socketPath) }
  const side = await startSide(gateway, context, { inspect: false })
  t.teardown(async () => {
    await side.stop()
    await agent.close()
    await children.stopAll()
    upstream.close()
    rmSync(folder, { recursive: true })
  })
  const { port } = side.plainPlan()
  const counters = await openRedisCounters(side.redisUrl!)
  t.teardown(() => counters.close())
  const read = async () => ({
    writes: readWrites(side.child.pid),
    timers: await askProbe(socketPath, 'timers'),
    immediates: await askProbe(socketPath, 'immediates'),
    promises: await askProbe(socketPath, 'promises'),
    redis: await counters.read()
  })
  await send(agent, port, side.apiKeys[0]!, 50)
  await askProbe(socketPath, 'count')
  const before = await read()
  await send(agent, port, side.apiKeys[0]!, requests)
  const after = await read()

  const each = (figure: 'writes' | 'timers' | 'immediates' | 'promises') => (after[figure] - before[figure]) / requests
  const redis = countsBetween(before.redis, after.redis)
  const { evalsha = 0, ...within } = redis.calls
  const counts = {
    scripts: evalsha / requests,
    commands: Object.values(within).reduce((sum, calls) => sum + calls, 0) / requests,
    bytesToRedis: redis.bytesIn / requests,
    writes: each('writes'),
    timers: each('timers'),
    immediates: each('immediates'),
    promises: each('promises')
  }
  t.comment(
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count.toFixed(2)}`)
      .join(', ')
  )
  for (const [name, most] of Object.entries(limits)) {
    const count = counts[name as keyof typeof counts]
    assert.ok(count <= most * (1 + background), `${name}: ${count}, not ${most}`)
  }
})
