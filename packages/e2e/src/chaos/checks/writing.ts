import { setTimeout as delay } from 'node:timers/promises'
import { type ChaosSystem, startChaosSystem } from '../system/chaos-system.ts'
import type { Check } from './check.ts'
import { type PreparedWrite, type Write, writes } from './writes.ts'

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
  const held = redis.hold(isSent)
  const made = make().catch(() => null)
  const isHeld = await Promise.race([held.then(() => true), made.then(() => false)])
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
