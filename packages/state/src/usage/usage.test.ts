import assert from 'node:assert/strict'
import { zeroCounts } from '@tollgate/contracts/meters/meters.ts'
import { nothingCounted } from '@tollgate/contracts/requests/receipt.ts'
import { accountName, accountShard, uncopiedName, usageIndexName } from '../keyspace/names.ts'
import { RedisAwayError } from '../link/redis-link.ts'
import type { SettledRequest } from '../settlement/settlement-sums.ts'
import { settleOf } from '../testing/one-account.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { forgetUsage, listUsage, readHour, readUsage, type UsageSelection } from './usage.ts'

const accounts = Array.from({ length: 50 }, (_, number) => {
  return `6f0c1c2e-7f86-4f43-9d53-${String(number).padStart(12, '0')}`
})
const [first, second] = accounts as [string, string]

testOnEveryRedis('usage', async (t, link) => {
  const { client } = link
  let requests = 0

  const now = async () => Number((await client.time())[0])
  /** Settles a request that Redis has no hold of. @returns its cost, nanodollars */
  async function serve(account: string, changed: Partial<SettledRequest> = {}): Promise<number> {
    const request: SettledRequest = {
      id: `req_${++requests}`,
      key: 'key_1',
      model: 'small',
      upstream: '',
      budgets: '',
      at: await now(),
      heldNanos: 0,
      heldTokens: 0,
      tokensPerMinute: 1000,
      tokensRestMs: 0,
      ...nothingCounted,
      costNanos: 1000 + requests,
      promptTokens: 10,
      cachedTokens: 4,
      completionTokens: 5,
      reasoningTokens: 3,
      failed: false,
      estimated: false,
      ...changed
    }
    await settleOf(link, account, [request])
    return request.costNanos
  }
  async function list(selection: UsageSelection): Promise<string[]> {
    const names: string[] = []
    for await (const page of listUsage(link, selection)) names.push(...page)
    return [...new Set(names)].sort()
  }
  /** The rows of an account, by their names in the lists of its shard. */
  async function namesOf(account: string): Promise<string[]> {
    const fields = await client.hkeys(accountName(account))
    return fields.filter((field) => field.startsWith('u:')).map((field) => account + field.slice(1))
  }
  const nameOf = async (account: string) => (await namesOf(account))[0]!
  const read = async () => readUsage(link, await list('changed'))

  t.test('changed rows of all accounts are listed, and read as they were counted', async () => {
    assert.deepEqual(await list('changed'), [])
    await Promise.all(accounts.map((account) => serve(account)))
    const cost = await serve(first, { key: 'key_2', model: 'large', upstream: 'openai', failed: true, estimated: true })
    const { usages, missing, malformed } = await read()
    assert.deepEqual([usages.length, missing, malformed], [accounts.length + 1, [], []])
    const { name, run, born, ...usage } = usages.find(({ key }) => key === 'key_2')!
    assert.ok((await namesOf(first)).includes(name))
    assert.ok(run.endsWith(`.${born}`))
    assert.deepEqual(usage, {
      account: first,
      hour: await readHour(link),
      revision: 1,
      key: 'key_2',
      model: 'large',
      upstream: 'openai',
      ...zeroCounts,
      requests: 1,
      errors: 1,
      promptTokens: 10,
      cachedTokens: 4,
      completionTokens: 5,
      costNanos: cost,
      estimatedRequests: 1,
      estimatedNanos: cost,
      reasoningTokens: 3
    })
    await forgetUsage(link, { usages, missing }, false)
    assert.deepEqual(await list('changed'), [])
    assert.equal((await list('all')).length, accounts.length + 1)
    // A row that changes again is listed again.
    await serve(second)
    assert.deepEqual(await list('changed'), await namesOf(second))
    assert.equal((await read()).usages[0]!.revision, 2)
  })

  t.test('the name of a model may have any letters', async () => {
    await serve(first, { model: 'größe/模型' })
    const { usages } = await read()
    assert.deepEqual(
      usages.map(({ model }) => model),
      ['größe/模型']
    )
  })

  t.test('a row that changed after it was read is not forgotten', async () => {
    await serve(first)
    await serve(second)
    const old = await read()
    await serve(first)
    for (const areFinal of [false, true]) {
      await forgetUsage(link, old, areFinal)
      assert.deepEqual(await list('changed'), [await nameOf(first)])
      assert.deepEqual(await list('all'), [...(await namesOf(first)), ...(await namesOf(second))].sort())
    }
    assert.deepEqual(await namesOf(second), [])
  })

  t.test('a new row with the name of a lost row is not forgotten with the lost one', async () => {
    await serve(first)
    const old = await read()
    await client.flushall()
    await serve(first)
    const name = await nameOf(first)
    for (const areFinal of [false, true]) {
      await forgetUsage(link, old, areFinal)
      assert.deepEqual(await list('changed'), [name])
      assert.equal(await nameOf(first), name)
    }
    const fresh = await read()
    assert.equal(fresh.usages[0]!.revision, old.usages[0]!.revision)
    assert.notEqual(fresh.usages[0]!.run, old.usages[0]!.run)
  })

  t.test('a row is final two hours after its own hour, and later settlements go into another row', async () => {
    await serve(first)
    const at = (await now()) - 7200
    await serve(second, { at })
    assert.deepEqual(await list('final'), [])
    const shard = accountShard(second)
    const late = await nameOf(second)
    assert.match(late, /~\d+\|key_1\|small$/)
    // As if two hours had passed.
    await client.zadd(usageIndexName(shard), await readHour(link), late)
    assert.deepEqual(await list('final'), [late])
    await forgetUsage(link, await readUsage(link, await list('final')), true)
    assert.deepEqual([await list('final'), await namesOf(second)], [[], []])
    assert.equal(await client.exists(uncopiedName(shard), usageIndexName(shard)), 0)
    assert.equal((await list('all')).length, 1)
  })

  t.test('malformed rows are reported and stay; names without a row are forgotten', async () => {
    await serve(first)
    const good = await nameOf(first)
    const other = accounts.find((account) => account !== first && accountShard(account) === accountShard(first))!
    const bad = {
      type: good.replace(first, other),
      counter: `${good}y`,
      name: 'no usage row',
      missing: `${good}z`
    }
    await client.set(accountName(other), 'not a hash')
    await client.hset(accountName(first), `u${bad.counter.slice(first.length)}`, 'many')
    const uncopied = uncopiedName(accountShard(first))
    for (const name of Object.values(bad)) await client.hset(uncopied, name, '')
    const result = await read()
    assert.deepEqual(
      result.usages.map(({ name }) => name),
      [good]
    )
    assert.deepEqual(result.missing, [bad.missing])
    assert.deepEqual(result.malformed.map(({ name }) => name).sort(), [bad.type, bad.counter, bad.name].sort())
    await forgetUsage(link, result, false)
    assert.deepEqual(await list('changed'), [bad.type, bad.counter, bad.name].sort())
  })

  t.test('every call fails at once while Redis is away', async () => {
    const away = {
      ...link,
      run(): string {
        throw new RedisAwayError()
      }
    }
    const name = `${first}:490000:run|key_1|small`
    await assert.rejects(readUsage(away, [name]), RedisAwayError)
    await assert.rejects(readHour(away), RedisAwayError)
    await assert.rejects(listUsage(away, 'changed')[Symbol.asyncIterator]().next(), RedisAwayError)
    await assert.rejects(forgetUsage(away, { usages: [], missing: [name] }, false), RedisAwayError)
  })
})
