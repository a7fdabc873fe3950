import assert from 'node:assert/strict'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { findIds, type IdOwner, rememberIds, type StoredId } from '@tollgate/state/stored-ids/stored-ids.ts'
import { ask, clientApis, hangUpAfter, hangUpAt, reportsFailure, send } from './ask.ts'
import type { Fleet } from './fleet.ts'
import type { Kind } from './kinds/kind.ts'
import { chooseKind, kinds } from './kinds/kinds.ts'
import type { Key } from './records.ts'

const clients = 24

/** How a request ended for its client. */
type Ending = 'served' | 'failed' | 'hung up'

/** A request with its own key, so that its charge can be told apart. */
export interface Sent {
  kind: Kind
  key: string
  account: string
  model: string
  ending: Ending
}

/** When a client hangs up. */
interface Patience {
  parts: number
  ms: number
}

/** Sends requests of all kinds, each kind at least once, to gateways at random. */
export async function sendKinds(
  { records, urls }: Fleet,
  accounts: readonly string[],
  count: number,
  random: () => number
): Promise<Sent[]> {
  const sent: Sent[] = []
  const waiting: Array<() => Promise<Sent[]>> = []
  const someUrl = () => urls[Math.floor(random() * urls.length)]!
  let chosen = 0
  for (const account of accounts) {
    // The keys of every other account have limits of counts, which must not change a charge.
    const limits = accounts.indexOf(account) % 2 === 0 ? {} : { tokensPerMinute: 1e9, concurrentRequests: 1000 }
    const keys = await records.addKeys(account, Math.ceil(count / accounts.length), limits)
    for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
      const kind = kinds[chosen++] ?? chooseKind(random())
      const patience = { parts: 1 + Math.floor(random() * 20), ms: Math.floor(random() * 150) }
      const body = markedBody(kind, key, random)
      const own = key
      const opener = kind.continues ? keys.pop() : undefined
      if (opener === undefined) {
        const [url, other] = [someUrl(), someUrl()]
        waiting.push(async () => [await sendOne([url, other], own, body, kind, patience)])
      } else {
        const [first, second] = [someUrl(), someUrl()]
        const openingBody = markedBody(kind, opener, random)
        waiting.push(() => converse(records.link, [first, second], [opener, own], [openingBody, body], kind))
      }
    }
  }
  // Mixes the keys of all accounts.
  waiting.sort(() => random() - 0.5)
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) sent.push(...(await next()))
    })
  )
  return sent
}

/** The key of the request that sent a body to the model server; an empty text if the body does not tell. */
export function senderOf(body: Buffer | null): string {
  const { user, metadata, prompt_cache_key } = JSON.parse(body?.toString() ?? '{}') as {
    user?: string
    metadata?: { user_id?: string }
    prompt_cache_key?: string
  }
  return user ?? metadata?.user_id ?? prompt_cache_key ?? ''
}

function markedBody(kind: Kind, { id }: Key, random: () => number): Record<string, unknown> {
  const body = kind.body(random)
  if (kind.isFree) return body
  if (kind.api === 'messages') return { ...body, metadata: { user_id: id } }
  return kind.api === 'compact' ? { ...body, prompt_cache_key: id } : { ...body, user: id }
}

async function sendOne(
  [url, other]: readonly [string, string],
  key: Key,
  body: Record<string, unknown>,
  kind: Kind,
  patience: Patience
): Promise<Sent> {
  const ending = kind.repeats
    ? await repeat([url, other], key, body, kind, patience)
    : await endingOf(url, key.secret, body, kind, patience)
  return { kind, key: key.id, account: key.account, model: String(body.model), ending }
}

async function endingOf(
  url: string,
  secret: string,
  body: Record<string, unknown>,
  { api, path, reading }: Kind,
  { parts, ms }: Patience
): Promise<Ending> {
  const { firstWord, finish, end } = clientApis[api]
  if (reading === 'hangs up before the answer') {
    const signal = AbortSignal.timeout(ms)
    const answer = await ask(url, secret, body, { api, path, signal }).catch((error: Error) => error)
    return answer instanceof Error ? 'hung up' : answer.status === 200 ? 'served' : 'failed'
  }
  if (reading !== 'whole') {
    const response = await send(url, secret, body, { api, path })
    assert.equal(response.status, 200)
    const marker = reading === 'hangs up at a word' ? firstWord : finish
    const text = await (reading === 'hangs up at random' ? hangUpAfter(response, parts) : hangUpAt(response, marker))
    return reportsFailure(text) ? 'failed' : 'hung up'
  }
  const answer = await ask(url, secret, body, { api, path }).catch((error: Error) => error)
  // The connection broke.
  if (answer instanceof Error || answer.status !== 200) return 'failed'
  return body.stream !== true || end.test(answer.text) ? 'served' : 'failed'
}

/**
 * Sends a request with an `Idempotency-Key`: twice at once, or until its client hangs up. Then repeats it at both
 * gateways, and checks that all answers are the same.
 */
async function repeat(
  urls: readonly [string, string],
  { id, secret }: Key,
  body: Record<string, unknown>,
  { api, reading }: Kind,
  { ms }: Patience
): Promise<Ending> {
  const send = (url: string, signal?: AbortSignal) =>
    ask(url, secret, body, { api, idempotencyKey: id, ...(signal !== undefined && { signal }) })
  const first =
    reading === 'whole'
      ? await Promise.all(urls.map((url) => send(url)))
      : await send(urls[0], AbortSignal.timeout(ms)).then(
          (answer) => [answer],
          () => []
        )
  const answers = [...first]
  for (const url of urls) answers.push(await send(url))
  for (const { status, text } of answers) assert.deepEqual([status, text], [200, answers[0]!.text])
  assert.equal(answers.at(-1)!.headers.get('idempotency-replayed'), 'true')
  return 'served'
}

/**
 * Gives a stored response to another key: each key has one charge, so that it can be compared, but a response belongs
 * to one key.
 */
async function giveStored(link: RedisLink, id: string, from: IdOwner, to: IdOwner): Promise<void> {
  let stored: StoredId | null = null
  while (stored === null) [stored = null] = await findIds(link, from, [id])
  await rememberIds(link, to, [stored])
}

/** Asks for a stored response, reads it from another gateway for free, and continues it there. */
async function converse(
  link: RedisLink,
  [first, second]: readonly [string, string],
  [opener, key]: readonly [Key, Key],
  [opening, body]: readonly [Record<string, unknown>, Record<string, unknown>],
  kind: Kind
): Promise<Sent[]> {
  const { api } = kind
  const { account } = key
  const model = String(body.model)
  const answer = await ask(first, opener.secret, opening, { api: 'responses' })
  const [, id] = /"id":\s*"(resp_\w+)"/.exec(answer.text) ?? []
  await giveStored(link, id!, { account, key: opener.id }, { account, key: key.id })
  const read = await fetch(`${second}/v1/responses/${id}`, { headers: { authorization: `Bearer ${key.secret}` } })
  assert.partialDeepStrictEqual(await read.json(), { id }, kind.name)
  const continued = await ask(second, key.secret, { ...body, previous_response_id: id }, { api })
  return [
    { kind, key: opener.id, account, model, ending: answer.status === 200 ? 'served' : 'failed' },
    { kind, key: key.id, account, model, ending: continued.status === 200 ? 'served' : 'failed' }
  ]
}
