import assert from 'node:assert/strict'
import { hash, randomBytes, randomUUID } from 'node:crypto'
import { accountShard, claimName } from '../keyspace/names.ts'
import { RedisAwayError } from '../link/redis-link.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { claimRequest, dropClaim, keepAnswer, keptMs, leaseMs, type RepeatableRequest } from './idempotency.ts'

const requestOf = (account: string, key: string, body = 'body'): RepeatableRequest => ({
  account,
  shard: accountShard(account),
  digest: hash('sha256', key, 'base64url'),
  fingerprint: hash('sha256', body, 'base64url')
})
const budget = { shardBytes: 2_000_000, accountBytes: 1_000_000 }
const [first, second] = [randomUUID(), randomUUID()]
const rememberedMs = 1_500_000

testOnEveryRedis('claims', async (t, link, kind) => {
  const { client } = link
  const nameOf = ({ account, digest }: RepeatableRequest) => claimName(account, digest)

  t.test('one caller runs a request, and others wait for it', async () => {
    const request = requestOf('ada', 'key')
    assert.deepEqual(await claimRequest(link, request, first, rememberedMs), { outcome: 'claimed' })
    assert.deepEqual(await claimRequest(link, request, second, rememberedMs), { outcome: 'running' })
    assert.deepEqual(await claimRequest(link, requestOf('ada', 'key', 'other'), second, rememberedMs), {
      outcome: 'other'
    })
    assert.deepEqual(await claimRequest(link, requestOf('bob', 'key', 'other'), second, rememberedMs), {
      outcome: 'claimed'
    })
    await dropClaim(link, request, second)
    assert.deepEqual(
      await claimRequest(link, request, second, rememberedMs),
      { outcome: 'running' },
      'only its holder drops a claim'
    )
    await dropClaim(link, request, first)
    assert.deepEqual(await claimRequest(link, request, second, rememberedMs), { outcome: 'claimed' })
  })

  t.test('nobody else runs a request whose holder is silent, until its claim is forgotten', async () => {
    const request = requestOf('ada', 'key')
    const claim = async (token: string, waitMs: number) =>
      (await claimRequest(link, request, token, rememberedMs, waitMs)).outcome
    await claim(first, leaseMs)
    await client.pexpire(nameOf(request), 1000)
    assert.equal(await claim(second, leaseMs), 'running')
    assert.ok((await client.pttl(nameOf(request))) <= 1000, 'only the holder renews its claim')
    assert.equal(await claim(first, 0), 'claimed')
    assert.ok((await client.pttl(nameOf(request))) > rememberedMs - 60_000)
    assert.equal(await claim(second, leaseMs), 'lost')
    assert.equal(await claim(first, leaseMs), 'claimed', 'its holder is back')
    assert.equal(await claim(second, leaseMs), 'running')
    assert.equal(await claim(first, 0), 'claimed')
    await keepAnswer(link, request, first, Buffer.from('answer'), budget)
    assert.equal(await claim(second, leaseMs), 'kept', 'the answer comes late')
  })

  t.test('an answer of any bytes comes back unchanged, and ends after ten minutes', async () => {
    const request = requestOf('ada', 'key')
    const answer = kind === 'redis-server' ? randomBytes(262_144) : Buffer.from('{"text":"ü€😀\\n"}\r\n'.repeat(1000))
    await claimRequest(link, request, first, rememberedMs)
    assert.deepEqual(await keepAnswer(link, request, first, answer, budget), { outcome: 'kept', evicted: 0 })
    assert.deepEqual(await claimRequest(link, request, second, rememberedMs), { outcome: 'kept', answer })
    assert.deepEqual(await claimRequest(link, requestOf('ada', 'key', 'other'), second, rememberedMs), {
      outcome: 'other'
    })
    const left = await client.pttl(nameOf(request))
    assert.ok(left > keptMs - 60_000 && left <= keptMs)
    for (const name of await client.keys('*')) assert.ok((await client.pttl(name)) > 0, `${name} ends`)
  })

  t.test('only the holder of a claim keeps an answer, and nobody replaces one', async () => {
    const request = requestOf('ada', 'key')
    await claimRequest(link, request, first, rememberedMs)
    assert.equal((await keepAnswer(link, request, second, Buffer.from('x'), budget)).outcome, 'other')
    await keepAnswer(link, request, first, Buffer.from('answer'), budget)
    assert.equal((await keepAnswer(link, request, first, Buffer.from('x'), budget)).outcome, 'other')
    await dropClaim(link, request, first)
    assert.deepEqual(await claimRequest(link, request, second, rememberedMs), {
      outcome: 'kept',
      answer: Buffer.from('answer')
    })
  })

  t.test('an answer that arrives after the end of its claim is kept, if nobody runs the request again', async () => {
    const request = requestOf('ada', 'key')
    assert.equal((await keepAnswer(link, request, first, Buffer.from('answer'), budget)).outcome, 'kept')
    assert.equal((await claimRequest(link, request, second, rememberedMs)).outcome, 'kept')
  })

  t.test('repeats of a request whose answer is not kept learn it', async () => {
    const request = requestOf('ada', 'key')
    await claimRequest(link, request, first, rememberedMs)
    assert.equal((await keepAnswer(link, request, first, null, budget)).outcome, 'lost')
    assert.deepEqual(await claimRequest(link, request, second, rememberedMs), { outcome: 'lost' })
    const large = requestOf('ada', 'large')
    const tooLarge = Buffer.alloc(budget.accountBytes)
    assert.equal((await keepAnswer(link, large, first, tooLarge, budget)).outcome, 'lost')
    assert.deepEqual(await claimRequest(link, large, second, rememberedMs), { outcome: 'lost' })
  })

  t.test('the newest answers stay, and one account cannot displace those of another', async () => {
    const bobs = accountBeside('ada')
    const answer = Buffer.alloc(100_000, 'x')
    const keep = async (account: string, number: number) =>
      keepAnswer(link, requestOf(account, `${number}`), first, answer, budget)
    await keep(bobs, 0)
    for (let n = 0; n < 30; n++) assert.equal((await keep('ada', n)).outcome, 'kept')
    const outcomes = async (account: string, count: number) => {
      const list: string[] = []
      for (let n = 0; n < count; n++)
        list.push((await claimRequest(link, requestOf(account, `${n}`), second, rememberedMs)).outcome)
      return list
    }
    const results = await outcomes('ada', 30)
    // 1,000,000 bytes have room for seven answers of 125,640 bytes, and for marks.
    assert.deepEqual(results.slice(-7), Array(7).fill('kept'))
    assert.deepEqual(results.slice(0, -7), Array(23).fill('lost'), 'no repeat runs again')
    assert.deepEqual(await outcomes(bobs, 1), ['kept'])
  })

  if (kind === 'redis-server')
    t.test('Redis uses no more memory than the budget, for answers of any length', async () => {
      const memory = async () => {
        const names = await client.keys('*')
        const used = await Promise.all(names.map((name) => client.memory('USAGE', name, 'SAMPLES', 0)))
        return used.reduce<number>((sum, bytes) => sum + bytes!, 0)
      }
      for (const length of [1, 500, 40_000, 140_000, 262_144]) {
        await client.flushall()
        const answer = Buffer.alloc(length, 'x')
        let evicted = 0
        for (let n = 0; evicted < 20 && n < 4000; n++)
          evicted += (await keepAnswer(link, requestOf('ada', `${n}`), first, answer, budget)).evicted
        assert.ok(evicted >= 20)
        const used = await memory()
        assert.ok(used <= budget.accountBytes, `${length}: ${used}`)
      }
    })

  t.test('every call fails at once while Redis is away', async () => {
    const away = {
      ...link,
      nodeOf: () => {
        throw new RedisAwayError()
      }
    }
    const request = requestOf('ada', 'key')
    // Each throws at once or rejects.
    for (const ask of [
      async () => claimRequest(away, request, first, rememberedMs),
      async () => keepAnswer(away, request, first, null, budget),
      async () => dropClaim(away, request, first)
    ])
      await assert.rejects(ask, RedisAwayError)
  })
})

function accountBeside(account: string): string {
  for (let n = 0; ; n++) if (accountShard(`acct_${n}`) === accountShard(account)) return `acct_${n}`
}
