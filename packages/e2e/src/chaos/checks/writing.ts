import { setTimeout as delay } from 'node:timers/promises'
import { accountName, accountShard } from '@tollgate/state/keyspace/names.ts'
import { readState } from '@tollgate/state/testing/account-state.ts'
import { Person } from '../../person.ts'
import type { Check } from '../fault.ts'
import { type ChaosSystem, startChaosSystem } from '../system/chaos-system.ts'
import { rawChat } from '../traffic/send-steadily.ts'

const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

/** A written record in the Redis protocol: field and version. See `put-records.lua`. */
const writtenRecord = /\r\nr(?::\w+)?\r\n\$\d+\r\n(\d+)\r\n/g

const clientOf = ({ link }: ChaosSystem, account: string) => link.nodeOf(accountShard(account)).client

const writes: readonly Write[] = [
  {
    name: 'create a key',
    async prepare(system) {
      const { person, account } = await personWithKey(system)
      const readRecords = async () =>
        (await clientOf(system, account).hkeys(accountName(account))).filter((name) => name.startsWith('r:'))
      const before = (await readRecords()).length
      return {
        make: () => person.createKey('second'),
        isSent: await laterWrite(system, account),
        hasArrived: async () => (await readRecords()).length > before
      }
    }
  },
  {
    name: 'rotate a key',
    async prepare(system) {
      const { person, account, id, isRefused } = await personWithKey(system)
      return {
        make: () => person.call('POST', `/api/keys/${id}/rotate`, {}),
        isSent: await laterWrite(system, account),
        hasArrived: isRefused
      }
    }
  },
  {
    name: 'revoke a key',
    async prepare(system) {
      const { person, account, id, isRefused } = await personWithKey(system)
      return {
        make: () => person.revokeKey(id),
        isSent: await laterWrite(system, account),
        hasArrived: isRefused
      }
    }
  },
  {
    name: 'change a plan',
    async prepare(system) {
      const { account } = await personWithKey(system)
      const operator = await new Person(system.system, 'operator').joinAsOperator()
      return {
        make: () =>
          operator.call('PATCH', `/api/admin/accounts/${account}`, {
            plan: { id: 'pro', ends_at: null },
            reason: 'chaos'
          }),
        isSent: await laterWrite(system, account),
        hasArrived: async () =>
          (await clientOf(system, account).hget(accountName(account), 'r'))?.includes('"id":"pro"') === true
      }
    }
  }
]

const promisedMs = 2000
const pollMs = 20
const timeoutMs = 30_000
/** Without load, the number of keys does not matter. */
const few = { keys: 100 }

interface Repair {
  write: string
  by: 'the other replica' | 'a restart'
  ms: number
}

/** Control is killed after it committed a change and before Redis has it. */
export const writing: Check = {
  name: 'writing',
  summary: 'control is killed between commit and Redis: create, rotate, revoke a key, change a plan',
  async run() {
    const system = await startChaosSystem(few)
    if (system === null) throw new Error('this needs redis-server (or valkey-server) and PostgreSQL')
    try {
      const repairs: Repair[] = []
      for (const write of writes) {
        repairs.push({ write: write.name, by: 'the other replica', ms: await repairByOther(system, write) })
        repairs.push({ write: write.name, by: 'a restart', ms: await repairByRestart(system, write) })
      }
      const line = ({ write, by, ms }: Repair) => `${write}, repaired by ${by}: after ${Math.round(ms)} ms`
      const broken = repairs.filter(({ ms }) => ms > promisedMs).map(line)
      return { seen: repairs.map(line), broken }
    } finally {
      await system.stop()
    }
  }
}

/** @returns time from the kill until gateways apply the change, ms */
async function repairByOther(system: ChaosSystem, write: Write): Promise<number> {
  const prepared = await write.prepare(system)
  await killWithin(system, prepared)
  const diedAt = performance.now()
  const ms = await untilArrived(prepared, diedAt)
  await system.controls[0]!.part.start()
  return ms
}

/** @returns time from the restart of the only replica until gateways apply the change, ms */
async function repairByRestart(system: ChaosSystem, write: Write): Promise<number> {
  const prepared = await write.prepare(system)
  const [first, ...others] = system.controls
  await Promise.all(others.map(({ part }) => part.kill('SIGKILL')))
  await killWithin(system, prepared)
  if (await prepared.hasArrived()) throw new Error(`${write.name}: the change arrived before control was killed`)
  await first!.part.start()
  const ms = await untilArrived(prepared, performance.now())
  await Promise.all(others.map(({ part }) => part.start()))
  return ms
}

/** Kills the first replica while the proxy holds its write to Redis. */
async function killWithin({ controls }: ChaosSystem, { make, isSent }: PreparedWrite): Promise<void> {
  const [{ redis, part }] = controls as [ChaosSystem['controls'][number]]
  const arrival = redis.hold(isSent)
  const made = make().catch(() => null)
  const isHeld = await Promise.race([arrival.then(() => true), made.then(() => false)])
  if (!isHeld) throw new Error('control answered without sending the change to Redis')
  await part.kill('SIGKILL')
  await made
}

async function untilArrived({ hasArrived }: PreparedWrite, from: number): Promise<number> {
  while (!(await hasArrived())) {
    if (performance.now() > from + timeoutMs) throw new Error(`the change did not arrive in ${timeoutMs / 1000} s`)
    await delay(pollMs)
  }
  return performance.now() - from
}

/** A change that control writes to the database first and to Redis second. */
interface PreparedWrite {
  /** Asks the first replica of control. The answer may never come, so callers ignore it. */
  make(): Promise<unknown>
  /** Whether these bytes carry the change to Redis. */
  isSent(sent: Buffer): boolean
  /** Whether gateways apply the change. */
  hasArrived(): Promise<boolean>
}

interface Write {
  name: string
  prepare(system: ChaosSystem): Promise<PreparedWrite>
}

/** A new person with a key that every gateway has served. */
async function personWithKey(system: ChaosSystem) {
  const { system: parts, gateways } = system
  const person = await new Person(parts, 'writer').join()
  const account = (await person.me()).body.user.id
  const { id, value: secret } = (await person.createKey('first')).body.key
  const askAll = async () =>
    Promise.all(gateways.map(({ url }) => rawChat(url, { secret, account }, question).then(({ outcome }) => outcome)))
  if ((await askAll()).some((outcome) => outcome !== '200')) throw new Error('a new key was refused')
  const isRefused = async () => (await askAll()).every((outcome) => outcome.startsWith('401'))
  return { person, account, id, isRefused }
}

/**
 * Detects a write of a later record than Redis has. The account's name is not enough: control also rewrites unchanged
 * records when it compares a changed shard, and it reads usage.
 */
async function laterWrite(system: ChaosSystem, account: string): Promise<(sent: Buffer) => boolean> {
  const state = await readState(clientOf(system, account), account)
  const latest = Math.max(state.account!.version, ...[...state.keys.values()].map(({ version }) => version))
  return (sent) =>
    sent.includes(accountName(account)) &&
    [...sent.toString('latin1').matchAll(writtenRecord)].some(([, later]) => Number(later) > latest)
}
