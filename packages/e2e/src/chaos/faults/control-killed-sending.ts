import { setTimeout as delay } from 'node:timers/promises'
import { accountShards, receiptsName } from '@tollgate/state/keyspace/names.ts'
import { executeAll } from '@tollgate/state/link/execute.ts'
import type { Fault } from '../fault.ts'
import { listMails } from '../measure/list-mails.ts'
import type { ChaosSystem, ControlReplica } from '../system/chaos-system.ts'

const pollMs = 25
const timeoutMs = 60_000
/** Of the mail server's answers: longer than it takes to notice a mail and to kill its sender. */
const answerDelayMs = 500

/** Each replica of control dies once: while it sends messages, and after it stored receipts, before Redis forgets them. */
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
  const deadline = performance.now() + timeoutMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`in ${timeoutMs / 1000} s, no ${what}`)
    await delay(pollMs)
  }
}
