import { randomBytes, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { readSealKey, seal } from '@tollgate/control/secrets/seal.ts'
import { startReceiver, verify } from '@tollgate/control/webhooks/testing/start-receiver.ts'
import type { Sql } from 'postgres'

/** A message that was verified by the library of Standard Webhooks. */
export interface VerifiedMessage {
  readonly endpoint: string
  /** The id of the event. */
  readonly id: string
  readonly body: string
  /** When it arrived, ms since the epoch. */
  readonly atMs: number
}

/** Answers wrongly, late or never. @returns whether it accepts the message, by its status */
export type Misbehaviour = (response: ServerResponse) => boolean | Promise<boolean>

/** A receiver of webhooks for many endpoints. It answers 204 to messages that it can verify, and 400 to others. */
export interface WebhookReceiver {
  readonly messages: readonly VerifiedMessage[]
  /** How many messages it could not verify. */
  readonly refused: number
  /** The URL of an endpoint, before its id is known. */
  readonly url: string
  /** Has messages to an endpoint's URL verified. */
  expect(url: string, endpoint: string, secret: string): void
  /** Has an endpoint's URL answered in another way from now on. @param how null: as all others */
  misbehave(url: string, how: Misbehaviour | null): void
  /** How many messages wait for an answer. */
  readonly waiting: number
  /** Keeps it from answering. @returns a function that lets it answer again */
  holdAnswers(): () => void
  /** Takes this long for each answer from now on. */
  answerAfter(ms: number): void
  close(): Promise<void>
}

/**
 * @param aheadSeconds how far its clock is ahead of this machine's, since it refuses messages whose time is minutes
 *   away
 */
export async function startWebhookReceiver(aheadSeconds: () => number): Promise<WebhookReceiver> {
  const receiver = await startReceiver()
  const endpoints = new Map<string, { endpoint: string; secret: string }>()
  const misbehaviours = new Map<string, Misbehaviour>()
  const messages: VerifiedMessage[] = []
  let [refused, waiting, delayMs] = [0, 0, 0]
  let answers = Promise.resolve()
  receiver.answer(async (response, message) => {
    const registration = endpoints.get(message.path)
    const atMs = Date.now()
    let status = 204
    try {
      const { endpoint, secret } = registration!
      withClock(aheadSeconds(), () => verify(secret, message))
      const misbehave = misbehaviours.get(message.path)
      const accepts = misbehave === undefined || (await misbehave(response))
      if (accepts) messages.push({ endpoint, id: message.id, body: message.body, atMs })
      if (misbehave !== undefined) return
    } catch {
      refused++
      status = 400
    }
    waiting++
    await Promise.all([answers, delay(delayMs)])
    waiting--
    response.writeHead(status).end()
  })
  return {
    messages,
    get refused() {
      return refused
    },
    get waiting() {
      return waiting
    },
    get url() {
      return `${receiver.url}/${randomUUID()}`
    },
    expect: (url, endpoint, secret) => void endpoints.set(new URL(url).pathname, { endpoint, secret }),
    misbehave(url, how) {
      const { pathname } = new URL(url)
      if (how === null) misbehaviours.delete(pathname)
      else misbehaviours.set(pathname, how)
    },
    holdAnswers() {
      const { promise, resolve } = Promise.withResolvers<void>()
      answers = promise
      return resolve
    },
    answerAfter(ms) {
      delayMs = ms
    },
    close: () => receiver.close()
  }
}

/** Runs something that asks for the time at once. */
function withClock(aheadSeconds: number, run: () => void): void {
  const { now } = Date
  Date.now = () => now() + aheadSeconds * 1000
  try {
    run()
  } finally {
    Date.now = now
  }
}

/**
 * Adds an endpoint for all events to each account, as control does.
 *
 * @param secretsKey control's `SECRETS_KEY`
 * @returns the ids and URLs of the endpoints
 */
export async function seedEndpoints(
  sql: Sql,
  { receiver, secretsKey, accounts }: { receiver: WebhookReceiver; secretsKey: string; accounts: readonly string[] }
): Promise<Array<{ id: string; url: string }>> {
  const keys = [readSealKey(secretsKey)!]
  const rows = accounts.map((account) => {
    const [id, url, secret] = [randomUUID(), receiver.url, `whsec_${randomBytes(32).toString('base64')}`]
    receiver.expect(url, id, secret)
    return {
      id,
      account_id: account,
      url,
      description: 'chaos',
      secret: seal(keys, id, secret),
      created_at: new Date()
    }
  })
  await sql`insert into webhook_endpoints ${sql(rows)}`
  return rows.map(({ id, url }) => ({ id, url }))
}
