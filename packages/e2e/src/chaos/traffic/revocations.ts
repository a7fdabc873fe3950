import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../../person.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { rawChat, sendSteadily } from './send-steadily.ts'

const perSecond = 2

const requestEveryMs = 300
const retryMs = 250
const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

/** A revocation. Times come from `performance.now`. */
export interface Revocation {
  key: string
  secret: string
  account: string
  /** When control answered `{ok:true}`; null if it never did. */
  okAt: number | null
  /** From then to the start of the last accepted request, ms; 0 if none was accepted. */
  acceptedForMs: number
  /** The different answers to the revocation, in order. */
  answers: string[]
}

export interface Revocations {
  /** Revokes a prepared key, retrying until `{ok:true}`, while every gateway is asked with it. */
  revokeOne(): void
  /** Resolves when the requests with all revoked keys have ended. */
  finished(): Promise<readonly Revocation[]>
  /** Gives up revocations that have not got `{ok:true}`. */
  stop(): void
}

/**
 * Prepares keys to revoke during a fault.
 *
 * @param count how many keys to create now and use once at every gateway
 * @param watchedMs how long gateways are asked with a key after its confirmed revocation
 */
export async function prepareRevocations(system: ChaosSystem, count: number, watchedMs: number): Promise<Revocations> {
  const { people, gateways } = system
  const account = await accountOf(people[0]!)
  const keys = await Promise.all(
    Array.from({ length: count }, async () => {
      const { status, body } = await people[0]!.createKey('to revoke')
      if (status !== 201) throw new Error(`a key could not be created: ${status}`)
      return { id: body.key.id, secret: body.key.value, account }
    })
  )
  for (const gateway of gateways) {
    const first = await Promise.all(keys.map((key) => rawChat(gateway.url, key, question)))
    const failed = first.find(({ outcome }) => outcome !== '200')
    if (failed !== undefined) throw new Error(`a new key was refused: ${failed.outcome}`)
  }
  const watching: Array<Promise<Revocation>> = []
  const stopping = new AbortController()

  async function revoke({ id, secret }: { id: string; secret: string }, number: number): Promise<Revocation> {
    const revocation: Revocation = { key: id, secret, account, okAt: null, acceptedForMs: 0, answers: [] }
    let lastAccepted = Number.NEGATIVE_INFINITY
    let isWatched = true
    const watch = Promise.all(
      gateways.map(async ({ url }) => {
        while (isWatched) {
          const { sentAt, outcome } = await rawChat(url, { secret, account }, question)
          if (outcome === '200') lastAccepted = Math.max(lastAccepted, sentAt)
          await delay(requestEveryMs)
        }
      })
    )
    for (let attempt = number; revocation.okAt === null && !stopping.signal.aborted; attempt++) {
      const answer = await revokeBy(people[attempt % people.length]!, id)
      if (revocation.answers.at(-1) !== answer) revocation.answers.push(answer)
      if (answer === '200') revocation.okAt = performance.now()
      else await delay(retryMs)
    }
    if (revocation.okAt !== null) await delay(watchedMs)
    isWatched = false
    await watch
    if (revocation.okAt !== null) revocation.acceptedForMs = Math.max(0, lastAccepted - revocation.okAt)
    return revocation
  }

  return {
    revokeOne() {
      const key = keys.pop()
      if (key !== undefined) watching.push(revoke(key, watching.length))
    },
    finished: () => Promise.all(watching),
    stop: () => stopping.abort()
  }
}

/** @returns `200`, status and code of a failure, or `broken` */
async function revokeBy(person: Person, key: string): Promise<string> {
  try {
    const { status, body } = await person.revokeKey(key)
    return 'error' in body ? `${status} ${body.error.code}` : String(status)
  } catch {
    return 'broken'
  }
}

async function accountOf(person: Person): Promise<string> {
  const { body } = await person.me()
  return body.user.id
}

export interface Creations {
  /** Secrets of acknowledged keys. None may be lost. */
  readonly created: readonly string[]
  /** Outcome → number of creations. */
  readonly outcomes: ReadonlyMap<string, number>
  stop(): Promise<void>
}

/** Creates keys continuously, through each replica of control in turn. */
export function startCreations({ people }: ChaosSystem): Creations {
  const created: string[] = []
  const outcomes = new Map<string, number>()
  const loop = sendSteadily(perSecond, async (number) => {
    const outcome = await people[number % people.length]!.createKey('created during a fault').then(
      ({ status, body }) => {
        if (status === 201) created.push(body.key.value)
        return 'error' in body ? `${status} ${(body.error as { code: string }).code}` : String(status)
      },
      () => 'broken'
    )
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  })
  return { created, outcomes, stop: loop.stop }
}
