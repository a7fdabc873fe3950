import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import type { Findings } from '../measure/measured.ts'
import { type Change, changes, expiresWithinMs, type PreparedChange } from '../traffic/restricting-changes.ts'

const cutForMs = 4000
const promisedMs = 5000
const timeoutMs = 30_000
const pollMs = 100

interface Pending {
  name: string
  change: PreparedChange
}

/** Whether gateways apply a change. */
const isInForce = async (change: PreparedChange): Promise<boolean> => {
  const outcomes = await change.ask()
  const isNew = outcomes.some((outcome) => outcome.startsWith(change.new))
  return isNew && (change.new.startsWith('429') || !outcomes.includes(change.old))
}

/** Makes a change while control cannot reach Redis. Control must not confirm it while gateways serve the old state. */
async function changeDuringCut({ name, change }: Pending, { broken }: Findings): Promise<string> {
  const { status, body } = await change.make()
  await delay(expiresWithinMs + 500)
  const code = (body as { error?: { code: string } }).error?.code ?? null
  const answer = code === null ? String(status) : `${status} ${code}`
  const { pending } = change
  if (status === 200) {
    if (!(await isInForce(change))) broken.push(`${name}: answered 200 while gateways serve the old state`)
  } else if (status !== pending.status || code !== pending.code) {
    broken.push(`${name}: answered ${answer}, not ${pending.status}${pending.code === null ? '' : ` ${pending.code}`}`)
  } else if (status === 202) {
    const { key } = body as { key?: { value?: string; in_force?: boolean } }
    if (key?.value === undefined || key.in_force !== false) broken.push(`${name}: ${answer} without the new secret`)
  } else if (status === 503) {
    const isReported = await change.isReportedInForce()
    if (isReported === true) broken.push(`${name}: reported as in force, but Redis does not have it`)
  }
  return answer
}

/** Waits until a change is in force, and repeats the call. @returns how long it took, ms */
async function followUp({ name, change }: Pending, from: number, { broken }: Findings): Promise<number> {
  while (!(await isInForce(change))) {
    if (performance.now() > from + timeoutMs) {
      broken.push(`${name}: not in force after ${timeoutMs / 1000} s`)
      return timeoutMs
    }
    await delay(pollMs)
  }
  const ms = Math.round(performance.now() - from)
  if (ms > promisedMs) broken.push(`${name}: in force ${ms} ms after the cut`)
  // Another replica may have projected the change. The asked replica must reach Redis itself to know.
  if (!(await untilPromised(from, async () => (await change.isReportedInForce()) !== false))) {
    broken.push(`${name}: in force, but not reported so`)
  }
  if (!change.repeats && !(await untilPromised(from, async () => (await change.make()).status === 200))) {
    broken.push(`${name}: in force, but the repeated call did not get 200`)
  }
  return ms
}

/** Waits for a condition until the promised time. @returns whether it became true */
async function untilPromised(from: number, holds: () => Promise<boolean>): Promise<boolean> {
  while (!(await holds())) {
    if (performance.now() > from + promisedMs) return false
    await delay(pollMs)
  }
  return true
}

/** Control confirms a restricting change only when it is in force. */
export const controlCut: Fault = {
  name: 'control-cut-changes',
  summary: `control is cut off from Redis for ${cutForMs / 1000} s, and asked for each restricting change`,
  allowed: { retriesSucceed: true },
  async inject(system, _loseData, findings) {
    const prepare = async ({ name, prepare: begin }: Change) => ({ name, change: await begin(system) })
    const pending = await Promise.all(changes.map(prepare))
    for (const { redis } of system.controls) redis.cut()
    const [answers] = await Promise.all([
      Promise.all(pending.map((one) => changeDuringCut(one, findings))),
      delay(cutForMs)
    ])
    for (const { redis } of system.controls) redis.restore()
    const from = performance.now()
    const times = await Promise.all(pending.map((one) => followUp(one, from, findings)))
    for (const [index, { name }] of pending.entries()) {
      findings.seen.push(`${name.padEnd(32)} ${answers[index]}, in force ${times[index]} ms after the cut`)
    }
  }
}
