import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import type { Findings } from '../measure/measurement.ts'
import { type Change, changes, expiresWithinMs, type PreparedChange } from '../traffic/changes.ts'

const cutForMs = 4000
const promisedMs = 5000
const limitMs = 30_000
const lookEveryMs = 100

type Pending = { name: string; change: PreparedChange }

/** Whether gateways go by a change. */
const isInForce = async (change: PreparedChange): Promise<boolean> => {
  const outcomes = await change.ask()
  const isNew = outcomes.some((outcome) => outcome.startsWith(change.new))
  return isNew && (change.new.startsWith('429') || !outcomes.includes(change.old))
}

/** Asks for a change while control is cut off: it must not be told done while gateways serve the state before it. */
async function makeCut({ name, change }: Pending, { broken }: Findings): Promise<string> {
  const { status, body } = await change.make()
  await delay(expiresWithinMs + 500)
  const code = (body as { error?: { code: string } }).error?.code ?? null
  const answer = code === null ? String(status) : `${status} ${code}`
  const { pending } = change
  if (status === 200) {
    if (!(await isInForce(change))) broken.push(`${name}: answered 200, and gateways serve the state before it`)
  } else if (status !== pending.status || code !== pending.code) {
    broken.push(`${name}: answered ${answer}, not ${pending.status}${pending.code === null ? '' : ` ${pending.code}`}`)
  } else if (status === 202) {
    const { key } = body as { key?: { value?: string; in_force?: boolean } }
    if (key?.value === undefined || key.in_force !== false) broken.push(`${name}: ${answer} without the new value`)
  } else if (status === 503) {
    const isSaid = await change.isSaidInForce()
    if (isSaid === true) broken.push(`${name}: said to be in force, and Redis does not have it`)
  }
  return answer
}

/** Waits until a change is in force, and asks for it again. @returns how long it took, ms */
async function followUp({ name, change }: Pending, from: number, { broken }: Findings): Promise<number> {
  while (!(await isInForce(change))) {
    if (performance.now() > from + limitMs) {
      broken.push(`${name}: not in force in ${limitMs / 1000} s`)
      return limitMs
    }
    await delay(lookEveryMs)
  }
  const ms = Math.round(performance.now() - from)
  if (ms > promisedMs) broken.push(`${name}: in force ${ms} ms after the cut`)
  // Another replica may have brought it: the one that is asked must reach Redis itself to know.
  if (!(await untilPromised(from, async () => (await change.isSaidInForce()) !== false))) {
    broken.push(`${name}: not said to be in force, and it is`)
  }
  if (!change.repeats && !(await untilPromised(from, async () => (await change.make()).status === 200))) {
    broken.push(`${name}: not answered 200 when it was in force and asked for again`)
  }
  return ms
}

/** @returns whether something holds, by the time at which all must be well again */
async function untilPromised(from: number, holds: () => Promise<boolean>): Promise<boolean> {
  while (!(await holds())) {
    if (performance.now() > from + promisedMs) return false
    await delay(lookEveryMs)
  }
  return true
}

/** What takes something away is told done when it is. */
export const controlCut: Fault = {
  name: 'control-cut-changes',
  summary: `control is cut off from Redis for ${cutForMs / 1000} s, and asked for each change that takes something away`,
  allowed: { bridged: true },
  async inflict(system, _forgotten, findings) {
    const prepare = async ({ name, prepare: begin }: Change) => ({ name, change: await begin(system) })
    const pending = await Promise.all(changes.map(prepare))
    for (const { redis } of system.controls) redis.cut()
    const [answers] = await Promise.all([Promise.all(pending.map((one) => makeCut(one, findings))), delay(cutForMs)])
    for (const { redis } of system.controls) redis.restore()
    const from = performance.now()
    const times = await Promise.all(pending.map((one) => followUp(one, from, findings)))
    for (const [index, { name }] of pending.entries()) {
      findings.seen.push(`${name.padEnd(32)} ${answers[index]}, in force ${times[index]} ms after the cut`)
    }
  }
}
