import assert from 'node:assert/strict'
import { need } from '@tollgate/sandbox/need.ts'
import { findRedisServer } from '@tollgate/sandbox/redis/find-redis-server.ts'
import t from 'tap'
import { Person, withoutNotices } from './person.ts'
import { sharedSystem, type TestSystem } from './start-test-system.ts'
import { startHostClock } from './until-outcome.ts'

/** `stalled` sends two events and then nothing, `slow` goes on after its key is revoked. */
const markers = { stalled: '[sandbox+stall-after=2]', slow: '[sandbox+pace-ms=15]' }

let system: TestSystem
let ada: Person
t.before(async () => {
  system = await sharedSystem()
  ada = await new Person(system, 'ada').join('pro')
})

interface OpenStreams {
  readonly id: string
  /** Resolves with the rest of each stream, when all have ended. */
  readonly ended: Promise<string[]>
}

/** Opens a stream with a new key at each gateway, and reads its first event. */
async function openStreams(person: Person, how: keyof typeof markers): Promise<OpenStreams> {
  const { id, value } = (await person.createKey(how)).body.key
  const readers = system.addresses.gateways.map(async (gateway) => {
    const response = await fetch(`${gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'gpt-4o-mini',
        stream: true,
        messages: [{ role: 'user', content: `Say 100 words. ${markers[how]}` }]
      })
    })
    assert.equal(response.status, 200)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    await reader.read()
    return reader
  })
  return { id, ended: Promise.all((await Promise.all(readers)).map(restOf)) }
}

async function restOf(reader: ReadableStreamDefaultReader<string>): Promise<string> {
  let rest = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value
  return rest
}

/**
 * Asserts that both streams end with this error within a time after `answered`, on a clock that stands still while the
 * host does.
 */
async function assertCut(
  { ended }: OpenStreams,
  answered: Promise<unknown>,
  code: string,
  maxMs: number
): Promise<void> {
  assert.partialDeepStrictEqual(await answered, { status: 200 })
  const clock = startHostClock()
  for (const rest of await ended) assert.match(rest, new RegExp(`data: \\{"error":[^\\n]*"${code}"[^\\n]*\\n\\n$`))
  const ms = clock.ms()
  clock.stop()
  assert.ok(ms < maxMs, `the streams ended ${ms} ms after the answer`)
}

const revoke = ({ id }: OpenStreams) => ada.call('DELETE', `/api/keys/${id}?cut_streams=true`)

t.test('a revocation with cut_streams ends the streams at every gateway within a second', async () => {
  const streams = await openStreams(ada, 'stalled')
  await assertCut(streams, revoke(streams), 'revoked_api_key', 1000)
})

t.test('without cut_streams, the streams of a revoked key run to their end', async () => {
  const streams = await openStreams(ada, 'slow')
  assert.equal((await ada.revokeKey(streams.id)).status, 200)
  for (const rest of await streams.ended) assert.match(rest, /data: \[DONE\]\n\n$/)
})

t.test('a revoked key can be revoked again, to end its streams', async () => {
  const streams = await openStreams(ada, 'stalled')
  assert.equal((await ada.revokeKey(streams.id)).status, 200)
  await assertCut(streams, revoke(streams), 'revoked_api_key', 1000)
})

t.test('a rotation with cut_streams ends the streams with the old secret', async () => {
  const streams = await openStreams(ada, 'stalled')
  const rotated = ada.call('POST', `/api/keys/${streams.id}/rotate`, { cut_streams: true })
  await assertCut(streams, rotated, 'revoked_api_key', 1000)
})

t.test('when an operator suspends an account, its streams end at every gateway within a second', async () => {
  const grace = await new Person(system, 'grace').joinAsOperator()
  const bob = await new Person(system, 'bob').join('pro')
  const { id } = (await bob.call<{ account: { id: string } }>('GET', '/api/account')).body.account
  const streams = await openStreams(bob, 'stalled')
  const suspended = grace.call('POST', `/api/admin/accounts/${id}/suspend`, { reason: 'a test' })
  await assertCut(streams, suspended, 'account_suspended', 1000)
})

t.test('without pub/sub, streams end within five seconds', async (t) => {
  // js-redis-server cannot revoke permissions.
  if (!need(t, 'redis-server', findRedisServer(process.env))) return
  await withoutNotices(system, async () => {
    const streams = await openStreams(ada, 'stalled')
    await assertCut(streams, revoke(streams), 'revoked_api_key', 5000)
  })
})
