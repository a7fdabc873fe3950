import { setTimeout as delay } from 'node:timers/promises'
import { accountShards, receiptsName } from '@tollgate/state/keyspace/names.ts'
import { executeAll } from '@tollgate/state/link/execute.ts'
import type { Fault } from '../fault.ts'
import type { Findings } from '../measure/measured.ts'
import { listMails } from '../measure/messages.ts'
import type { ChaosSystem, ControlReplica } from '../system/chaos-system.ts'
import { type Change, changes, expiresWithinMs, type PreparedChange } from '../traffic/restricting-changes.ts'

/** Processes of the services are killed or suspended. */
export const processFaults: readonly Fault[] = [
  {
    name: 'control-kill',
    summary: 'all replicas of control are killed (SIGKILL), and started again after 2 minutes',
    allowed: { retriesSucceed: true },
    async inject({ controls }) {
      await Promise.all(controls.map(({ part }) => part.kill('SIGKILL')))
      await delay(120_000)
      await Promise.all(controls.map(({ part }) => part.start()))
    }
  },
  {
    name: 'control-kill-one',
    summary: 'one replica of control is killed (SIGKILL), and started again after 10 s',
    allowed: { retriesSucceed: true },
    async inject({ controls }) {
      const [{ part }] = controls as [(typeof controls)[number]]
      await part.kill('SIGKILL')
      await delay(10_000)
      await part.start()
    }
  },
  {
    name: 'gateway-kill',
    summary: 'a gateway is killed (SIGKILL) in the middle of streams, and started again after 2 s',
    // Clients reach it before it is ready. A load balancer that checks `/readyz` would wait.
    allowed: { gatewaysDie: true, refusals: ['broken', '503 state_unavailable'] },
    async inject({ gateways }) {
      const [{ part }] = gateways as [(typeof gateways)[number]]
      await part.kill('SIGKILL')
      await delay(2000)
      await part.start()
    }
  },
  {
    name: 'gateway-stop',
    summary: 'a gateway is suspended (SIGSTOP) for 10 s',
    allowed: { refusals: ['503 state_unavailable'] },
    async inject({ gateways }) {
      const [{ part }] = gateways as [(typeof gateways)[number]]
      await part.kill('SIGSTOP')
      await delay(10_000)
      await part.kill('SIGCONT')
    }
  }
]

const sendingPollMs = 25
const sendingTimeoutMs = 60_000

/** Of the mail server's answers: longer than it takes to notice a mail and to kill its sender. */
const answerDelayMs = 500

/**
 * Each replica of control dies once: while it sends messages, and after it stored receipts, before Redis forgets them.
 */
export const controlKilledSending: Fault = {
  name: 'control-kill-sending',
  summary:
    'control is killed while mails and webhooks wait for answers; then after it stored receipts, before Redis forgets them',
  // A replica sends four mails at once.
  allowed: { retriesSucceed: true, mailsRepeated: 4 },
  async inject(system, _loseData, { seen }) {
    const [first, second] = system.controls as [ControlReplica, ControlReplica]
    // Each one is alone, so that all work is its own.
    await second.part.stop()
    seen.push(`killed while it sent             ${await killSending(system, first)}`)
    await second.part.start()
    seen.push(`killed while it copied           ${await killCopying(system, second)}`)
    await Promise.all([first.part.start(), second.part.start()])
  }
}

const cutForMs = 4000
const promisedMs = 5000
const timeoutMs = 30_000
const pollMs = 100

/** Whether gateways apply a change. */
const isInForce = async (change: PreparedChange): Promise<boolean> => {
  const outcomes = await change.ask()
  const isNew = outcomes.some((outcome) => outcome.startsWith(change.new))
  return isNew && (change.new.startsWith('429') || !outcomes.includes(change.old))
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

interface Pending {
  name: string
  change: PreparedChange
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

/** Kills a replica when the mail server has a mail and the receiver has webhooks, before both have answered. */
async function killSending(system: ChaosSystem, { part }: ControlReplica): Promise<string> {
  const { sql, mail, receiver } = system
  const mailsBefore = (await listMails(system)).total
  mail.shape({ delayMs: answerDelayMs })
  await until('mail is being sent', async () => {
    await sql`update spend_checks set due_at = clock_timestamp() where kind = 'budget' and lease_ends_at is null`
    await sql`update mails set due_at = created_at where state = 'collecting'`
    return (await sql`select from mails where state = 'sending' limit 1`).length > 0
  })
  const answer = receiver.holdAnswers()
  await until('webhook waits for its answer', async () => receiver.waiting > 0)
  await until('mail has arrived', async () => (await listMails(system)).total > mailsBefore)
  await part.kill('SIGKILL')
  const [mails, webhooks] = [(await listMails(system)).total - mailsBefore, receiver.waiting]
  mail.restore()
  answer()
  return `${mails} mails and ${webhooks} webhooks had arrived`
}

/** Kills a replica when it has stored receipts, before it tells Redis. */
async function killCopying({ sql, link }: ChaosSystem, { part, redis }: ControlReplica): Promise<string> {
  const waiting = async () => {
    const lengths = await executeAll(
      link,
      accountShards,
      (shard) => shard,
      (pipeline, shard) => pipeline.xlen(receiptsName(shard))
    )
    return lengths.reduce<number>((sum, length) => sum + Number(length), 0)
  }
  // Its first round needs locks of its own.
  await until('round of copying ends', async () => (await waiting()) === 0)
  const isStoring = async () =>
    (
      await sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into "requests"%'`
    ).length > 0
  await sql.begin(async (tx) => {
    await tx`lock table requests in share mode`
    await until('replica stores receipts', isStoring)
    redis.drop()
  })
  await until('receipts are stored', async () => !(await isStoring()))
  // The commit follows its statements at once.
  await delay(200)
  await part.kill('SIGKILL')
  redis.restore()
  return `${await waiting()} entries of receipts were still in Redis`
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + sendingTimeoutMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`in ${sendingTimeoutMs / 1000} s, no ${what}`)
    await delay(sendingPollMs)
  }
}
