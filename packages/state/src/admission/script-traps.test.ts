import assert from 'node:assert/strict'
import { frequentCounters, zeroCounts } from '@tollgate/contracts/meters/meters.ts'
import { windowNumber } from '@tollgate/contracts/records/budget-windows.ts'
import { nothingCounted } from '@tollgate/contracts/requests/receipt.ts'
import { accountName } from '../keyspace/names.ts'
import { RedisRefusedError } from '../link/execute.ts'
import type { SettledRequest } from '../settlement/settlement-sums.ts'
import { type LedgerSpend, openSpends, seedSpend } from '../spend/spend.ts'
import { readState } from '../testing/account-state.ts'
import { type Asking, accounts, createWorld, keys, type LimitsWorld } from '../testing/limits-world.ts'
import { moveClock } from '../testing/moved-clock.ts'
import { aReceipt } from '../testing/one-account.ts'
import { readContent } from '../testing/redis-content.ts'
import { testOnEveryRedis } from '../testing/redis-servers.ts'
import { packNumbers, packText } from '../wire/packed.ts'
import type { AdmitAnswer } from './admit.ts'

const start = Date.UTC(2027, 4, 5, 12) * 1000
const account = accounts[0]
const month = 202705

const asking: Asking = {
  account,
  id: 'req_1',
  key: keys[0],
  model: 'a-model',
  bound: { promptPicos: 1000, promptTokens: 10, outputPicos: 1000, outputTokens: 1, wantedTokens: 10, minTokens: 1 },
  allowances: {
    keyBudgetNanos: 1e6,
    accountBudgetNanos: 1e6,
    adjusted: null,
    keyRequests: 100,
    keyRequestBurst: 20,
    requests: 100,
    requestBurst: 30,
    tokens: 10_000,
    tokenBurst: 2000,
    concurrentRequests: 10,
    requestNanos: 1e6,
    windows: [
      { field: 'bd:1', limit: 1e6 },
      { field: 'bw:2', limit: 1e6 }
    ]
  },
  holdMs: 1000,
  reaped: true
}

function settlementOf({ id, key, model }: Asking, admitted: AdmitAnswer): SettledRequest {
  assert.ok(admitted.outcome === 'admitted')
  return {
    id,
    key,
    model,
    upstream: 'openai',
    budgets: 'bd:1 bw:2',
    at: admitted.at,
    heldNanos: admitted.nanos,
    heldTokens: 20,
    tokensPerMinute: 10_000,
    tokensRestMs: admitted.tokensRestMs,
    ...nothingCounted,
    costNanos: 7,
    promptTokens: 6,
    cachedTokens: 2,
    completionTokens: 5,
    failed: false,
    estimated: false,
    receipt: aReceipt({ id })
  }
}

/** A call of a script that changes something, and the numbers of its numeric arguments, from 1. */
interface Call {
  name: string
  /** After their number, if that can vary. */
  keys: string[]
  args: Array<string | Packed>
  /** Numbers of the unpacked arguments. */
  numbers: number[]
  orNone?: number[]
  complete?: number[]
  /** The number of bytes of a packed argument that are complete by themselves. */
  endsAt?: number
}

/** The parts of a packed argument. */
type Packed = Array<number | string | { picos: number } | { micros: number } | { signed: number }>

const numberOf = (part: Exclude<Packed[number], string>): number =>
  typeof part === 'number' ? part : Object.values(part)[0]!

const bytesOf = (argument: string | Packed): Buffer =>
  typeof argument === 'string'
    ? Buffer.from(argument)
    : Buffer.from(
        argument.map((part) => (typeof part === 'string' ? part : packNumbers(numberOf(part)))).join(''),
        'latin1'
      )

function callsOf(run: string, at: number): Call[] {
  const all = { ...zeroCounts, requests: 1, promptTokens: 6, cachedTokens: 2, completionTokens: 5, costNanos: 7 }
  const counts = Object.values<number>(all)
  const frequent = frequentCounters.map((counter) => all[counter])
  const settled = (id: string) => [
    id,
    String(at),
    'key_1',
    'a-model',
    'openai',
    'bd:1 bw:2',
    '11',
    '20',
    '10000',
    '120',
    ...counts.map(String),
    'a receipt'
  ]
  const argumentsEach = settled('').length
  const bursts = [{ micros: 60e6 }, { micros: 60e6 }, { micros: 60e6 }]
  const terms: Packed = [
    1,
    1,
    9e12,
    1000,
    9,
    1000,
    1000,
    9,
    60_000,
    9,
    1000,
    ...bursts,
    0,
    { signed: 0 },
    packText('k:key_1'),
    2,
    1e6,
    packText('bd:1'),
    1e6,
    packText('bw:2'),
    1
  ]
  const requestOf = (id: string): Packed => [
    { picos: 1000 },
    { picos: 1000 },
    ...[10, 1, 10, 1, packText(`h:${id}`), packText('a-model')]
  ]
  const holdOf = (id: string) => [-3, at * 1e6, packText(`h:${id}`)]
  // The last counter, the margin, may be below 0.
  const ofItem = [2, 7, 8, 9, 10, ...counts.slice(1).map((_count, index) => 11 + index)]
  return [
    {
      name: 'tgAdmit',
      keys: ['1', accountName(account)],
      args: [run, [...terms, ...requestOf('req_8'), ...requestOf('req_9')]],
      numbers: [],
      endsAt: bytesOf([...terms, ...requestOf('req_8')]).length
    },
    {
      name: 'tgSettleHeld',
      keys: ['1', accountName(account)],
      args: [
        run,
        '4096',
        [
          ...[2, 2, ...holdOf('req_1'), ...holdOf('req_2')],
          ...[
            at,
            11,
            ...frequent,
            packText('k:key_1'),
            packText('-openai|key_1|a-model'),
            packText('0 0 2 0 0 0 1 -3'),
            packText('bd:1 bw:2')
          ],
          ...[at, 11, ...frequent, packText('k:key_1'), packText('|key_1|another'), packText(''), packText('')]
        ],
        'a receipt\nanother one'
      ],
      numbers: [2],
      orNone: [2]
    },
    {
      name: 'tgSettle',
      keys: ['1', accountName(account)],
      args: [run, '', '4096', ...settled('req_1'), ...settled('req_2')],
      numbers: [...ofItem, ...ofItem.map((number) => number + argumentsEach)].map((number) => number + 3).concat(3),
      orNone: [3],
      complete: [3 + argumentsEach]
    },
    { name: 'tgCancel', keys: ['1', accountName(account)], args: [run, '4096', 'req_1'], numbers: [2], orNone: [2] },
    {
      name: 'tgReap',
      keys: ['1', accountName(account)],
      args: [run, String(at * 1000), String(at * 2000), '4096', 'req_1', 'req_2'],
      numbers: [2, 3, 4],
      orNone: [2, 4],
      complete: [4, 5]
    },
    {
      name: 'tgSeedSpend',
      keys: [accountName(account)],
      args: [String(month), `${month}|0`, '500', 'key_1', '400'],
      numbers: [1, 3, 5],
      complete: [3]
    },
    {
      name: 'tgCorrectBudgets',
      keys: [accountName(account)],
      args: ['bd:1', String(windowNumber('day', at * 1000)), '0', '500', '-3'],
      numbers: [2, 3]
    }
  ]
}

const tooLarge = '9007199254740994'
/** Texts that are no whole number; the last one is too large to be exact. */
const malformed = ['nan', '', 'abc', '1.5', '-1', 'inf', '-inf', '1e400', tooLarge]
const malformedNumbers = [Number.NaN, 1.5, -2, Infinity, -Infinity, Number(tooLarge)]

testOnEveryRedis('scripts', async (t, anyLink, kind) => {
  const { client } = anyLink
  const clock = moveClock(anyLink)
  const call = ({ name, keys }: Call, args: Array<string | Buffer | Packed>): Promise<unknown> => {
    const encoded = args.map((argument) => (Buffer.isBuffer(argument) ? argument : bytesOf(argument)))
    return Reflect.apply(Reflect.get(client, name), client, [...keys, ...encoded])
  }

  async function seed({ link }: LimitsWorld, spend: LedgerSpend): Promise<void> {
    assert.deepEqual(await seedSpend(link, [spend], await openSpends(link, [spend.account], spend.month)), ['seeded'])
  }

  /** Two open holds, both overdue. */
  async function openHolds(): Promise<{ world: LimitsWorld; at: number }> {
    const world = await createWorld(clock, start)
    const first = await world.admit(asking)
    await world.admit({ ...asking, id: 'req_2' })
    await world.setTime(world.micros() + 2e6)
    assert.ok(first.outcome === 'admitted')
    return { world, at: first.at }
  }

  t.test('malformed numbers and missing arguments change nothing', async () => {
    const { world, at } = await openHolds()
    const before = await readContent(client)
    // The in-memory Redis takes a hundred times as long.
    const tried = kind === 'redis-server' ? malformed : malformed.slice(0, 2)
    for (const proper of callsOf(world.link.run(), at)) {
      for (const number of proper.numbers) {
        for (const text of tried) {
          if (text === '' && proper.orNone?.includes(number)) continue
          const args = proper.args.with(number - 1, text)
          await assert.rejects(call(proper, args), `${proper.name} took '${text}' as argument ${number}`)
        }
      }
      for (const [index, argument] of proper.args.entries()) {
        if (typeof argument === 'string') continue
        for (const [place, part] of argument.entries()) {
          if (typeof part === 'string') continue
          const isAmount = typeof part !== 'number' && 'picos' in part
          const isSigned = typeof part !== 'number' && 'signed' in part
          const isTime = typeof part !== 'number' && 'micros' in part
          for (const number of kind === 'redis-server' ? malformedNumbers : malformedNumbers.slice(0, 2)) {
            // Picodollars may be too large to be exact. Tokens to give back may be negative and fractions.
            if (isAmount && number === Number(tooLarge)) continue
            if (part === -3 && Number.isFinite(number)) continue
            if (isTime && number === 1.5) continue
            if (isSigned && Number.isInteger(number) && number < 0) continue
            const args = proper.args.with(index, argument.with(place, number))
            await assert.rejects(call(proper, args), `${proper.name} took ${number} as part ${place} of ${index}`)
          }
        }
        const bytes = bytesOf(argument)
        for (let size = 0; size < bytes.length; size += kind === 'redis-server' ? 1 : 50) {
          if (size === proper.endsAt) continue
          const args: Array<string | Buffer | Packed> = [...proper.args]
          args[index] = bytes.subarray(0, size)
          await assert.rejects(call(proper, args), `${proper.name} took ${size} bytes of argument ${index}`)
        }
      }
      for (let count = 0; count < proper.args.length; count++) {
        if (proper.complete?.includes(count)) continue
        await call(proper, proper.args.slice(0, count)).catch(() => undefined)
      }
      assert.deepEqual(await readContent(client), before, proper.name)
    }
    for (const proper of callsOf(world.link.run(), at)) {
      await call(proper, proper.args)
      assert.notDeepEqual(
        await readContent(client),
        before,
        `${proper.name} changed nothing, so the test proves nothing`
      )
    }
  })

  t.test('a malformed group changes nothing, and earlier groups stay changed', async () => {
    const { world, at } = await openHolds()
    const calls = callsOf(world.link.run(), at)
    const [admit, settle] = ['tgAdmit', 'tgSettleHeld'].map((name) => calls.find((call) => call.name === name)!)
    const [one, other] = accounts
    for (const [proper, first, changes] of [
      [admit!, 1, (ids: string[]) => ids.includes('req_8') && ids.includes('req_9')],
      [settle!, 2, (ids: string[]) => !ids.includes('req_1') && !ids.includes('req_2')]
    ] as const) {
      const [before, group, after] = [proper.args.slice(0, first), proper.args[first]!, proper.args.slice(first + 1)]
      const malformed = (group as Packed).with(0, 0.5)
      const keys = ['2', accountName(one), accountName(other)]
      const content = await readContent(client)
      await assert.rejects(call({ ...proper, keys }, [...before, malformed, group, ...after, ...after]))
      assert.deepEqual(await readContent(client), content)
      await assert.rejects(call({ ...proper, keys }, [...before, group, malformed, ...after, ...after]))
      assert.ok(changes([...(await readState(client, one)).holds.keys()]))
      assert.deepEqual((await readContent(client))[accountName(other)], content[accountName(other)])
    }
  })

  t.test('amounts near the largest exact number are written exactly', async () => {
    const world = await createWorld(clock, start)
    const max = Number.MAX_SAFE_INTEGER
    const settled = max - 20
    await seed(world, { account, month, settled, byKey: new Map([['key_1', settled]]) })
    const { allowances } = asking
    const large = { ...asking, allowances: { ...allowances, keyBudgetNanos: max, accountBudgetNanos: max } }
    world.model(account).settled.set('', settled).set('key_1', settled)
    const admitted = await world.admit(large)
    const { account: all, keys } = await readState(client, account)
    assert.deepEqual([all!.month, all!.settled, all!.reserved], [month, 9007199254740971, 11])
    assert.deepEqual([keys.get('key_1')!.settled, keys.get('key_1')!.reserved], [9007199254740971, 11])
    const refused = await world.admit({ ...large, id: 'req_2', bound: { ...asking.bound, minTokens: 10 } })
    assert.deepEqual(refused, {
      outcome: 'over-budget',
      scope: 'key',
      limit: max,
      settled,
      reserved: 11,
      needed: 11,
      window: month,
      budget: null
    })
    // A cost that is too large to be exact is over budget.
    const endless = { ...large, id: 'req_3', bound: { ...asking.bound, promptPicos: 2 ** 70 } }
    assert.equal((await world.admit(endless)).outcome, 'over-budget')
    await world.settle([{ account, requests: [settlementOf(asking, admitted)], tried: [] }])
    assert.equal((await readState(client, account)).account!.settled, 9007199254740978)
    const whole = { ...settlementOf(asking, admitted), id: 'req_3', costNanos: 9_007_199_254_000_000 }
    await seed(world, { account: accounts[1], month, settled: 0, byKey: new Map() })
    await world.settle([{ account: accounts[1], requests: [whole], tried: [] }])
    assert.equal((await readState(client, accounts[1])).account!.settled, 9007199254000000)
  })

  t.test('a clock that is set forward ends holds early, and settlements correct the charge', async () => {
    const world = await createWorld(clock, start)
    const admitted = await world.admit(asking)
    await world.setTime(start + 3600e6)
    assert.equal((await world.admit({ ...asking, id: 'req_2', reaped: false })).outcome, 'overdue')
    await world.reap(account, 10)
    assert.equal((await readState(client, account)).account!.settled, 11)
    // The clock is right again before the request ends.
    for (const micros of [start + 3600e6, start]) {
      await world.setTime(micros)
      assert.equal((await readState(client, account)).holds.size, 0)
    }
    await world.settle([{ account, requests: [settlementOf(asking, admitted)], tried: [] }])
    assert.equal((await readState(client, account)).account!.settled, 7)
  })

  t.test('a clock that is set back ends no hold of a running request', async () => {
    const world = await createWorld(clock, start)
    const admitted = await world.admit(asking)
    await world.setTime(start - 3600e6)
    await world.reap(account, 10)
    assert.equal((await readState(client, account)).holds.size, 1)
    await world.settle([{ account, requests: [settlementOf(asking, admitted)], tried: [] }])
    const { account: all, holds } = await readState(client, account)
    assert.deepEqual([all!.settled, all!.reserved, holds.size], [7, 0, 0])
  })

  if (kind !== 'redis-server') return
  t.test('at maxmemory nothing is admitted, and open requests are still settled, cancelled and reaped', async (t) => {
    const world = await createWorld(clock, start)
    const admitted = await world.admit(asking)
    for (const id of ['req_2', 'req_3']) await world.admit({ ...asking, id })
    await world.setTime(world.micros() + 2e6)
    t.teardown(async () => void (await client.config('SET', 'maxmemory', '0')))
    await client.config('SET', 'maxmemory', '1')
    await assert.rejects(world.admit({ ...asking, id: 'req_4' }), (error) => {
      assert.ok(error instanceof RedisRefusedError)
      return /OOM/.test(String(error.cause))
    })
    await world.compare()
    await world.settle([{ account, requests: [settlementOf(asking, admitted)], tried: [] }])
    await world.cancel(account, ['req_2'])
    await world.reap(account, 10)
    assert.equal(world.model(account).holds.size, 0)
    const kinds = new Map([...(await world.copyReceipts()).values()].map(({ id, kind }) => [id, kind]))
    assert.deepEqual(Object.fromEntries(kinds), { req_1: 'settled', req_3: 'reaped' })
    await seed(world, { account, month, settled: 1, byKey: new Map([['key_1', 1]]) })
    await world.compare()
    await client.config('SET', 'maxmemory', '0')
    assert.equal((await world.admit({ ...asking, id: 'req_4' })).outcome, 'admitted')
  })
})
