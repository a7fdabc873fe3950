import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import fc from 'fast-check'
import { accountShard, claimName } from '../keyspace/names.ts'
import { ClaimsModel } from '../testing/claims-model.ts'
import { moveClock } from '../testing/moved-clock.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { claimRequest, dropClaim, keepAnswer, type RepeatableRequest } from './idempotency.ts'

const accounts = ['ada', ...accountsBeside('ada', 2)]
const digestOf = (text: string) => hash('sha256', text, 'base64url')
const budget = { shardBytes: 9000, accountBytes: 5000 }
const [waitMs, rememberedMs, keptMs] = [15_000, 700_000, 600_000]
const start = Date.UTC(2027, 4, 5, 12)

/** Accounts of the same shard. */
function accountsBeside(account: string, count: number): string[] {
  const names: string[] = []
  for (let n = 0; names.length < count; n++)
    if (accountShard(`acct_${n}`) === accountShard(account)) names.push(`acct_${n}`)
  return names
}

const request = fc.record({
  account: fc.constantFrom(...accounts),
  key: fc.nat({ max: 5 }),
  body: fc.oneof({ weight: 5, arbitrary: fc.constant('same') }, { weight: 1, arbitrary: fc.constant('other') }),
  token: fc.constantFrom('a', 'b').map((letter) => letter.repeat(36))
})
type Asked = typeof request extends fc.Arbitrary<infer One> ? One : never
const actions = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), request }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('keep' as const),
        request,
        length: fc.option(fc.integer({ min: 1, max: 4500 }), { nil: null })
      })
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), request }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('pass' as const),
        ms: fc.oneof(fc.nat({ max: 20_000 }), fc.nat({ max: 700_000 }))
      })
    }
  ),
  { minLength: 20, maxLength: 80, size: 'max' }
)

testOnEveryRedis('claims of repeated requests', async (t, real, kind) => {
  const clock = moveClock(real)
  const toRepeatable = ({ account, key, body }: Asked): RepeatableRequest => ({
    account,
    shard: accountShard(account),
    digest: digestOf(`key ${key}`),
    fingerprint: digestOf(body)
  })

  t.test('claims, answers and evictions are those of a plain model, in any order and at any time', async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (all) => {
        await real.client.flushall()
        const model = new ClaimsModel(budget, keptMs)
        let now = start
        await clock.set(now * 1000)
        for (const action of all) {
          if (action.do === 'pass') {
            now += action.ms
            await clock.set(now * 1000)
            // Redis ends them by its own clock.
            const ended = model.pass(now)
            if (ended.length > 0) await real.client.del(...ended)
            continue
          }
          const { account, token } = action.request
          const repeatable = toRepeatable(action.request)
          const { fingerprint, digest } = repeatable
          const name = claimName(account, digest)
          if (action.do === 'claim')
            assert.deepEqual(
              await claimRequest(clock.link, repeatable, token, rememberedMs, waitMs),
              model.claim(name, fingerprint, token, now, { waitMs, rememberedMs })
            )
          else if (action.do === 'drop') {
            await dropClaim(clock.link, repeatable, token)
            model.drop(name, fingerprint, token)
          } else {
            const answer = action.length === null ? null : 'x'.repeat(action.length)
            const bytes = answer === null ? null : Buffer.from(answer)
            assert.deepEqual(
              await keepAnswer(clock.link, repeatable, token, bytes, budget, keptMs),
              model.keep(account, name, fingerprint, token, answer, now)
            )
          }
          const sums = await real.client.hgetall(`idem-bytes:{${accountShard('ada')}}`)
          const totals = accounts.map((one) => Number(sums[one] ?? 0))
          assert.deepEqual(
            totals,
            accounts.map((one) => model.bytesOf(one))
          )
          const all = totals.reduce((sum, bytes) => sum + bytes, 0)
          assert.equal(Number(sums[''] ?? 0), all)
          assert.ok(all <= budget.shardBytes && totals.every((bytes) => bytes <= budget.accountBytes))
        }
      }),
      kind === 'redis-server' ? propertyRuns(12, 60) : propertyRuns(8, 15)
    )
  })
})
