import { setTimeout as delay } from 'node:timers/promises'
import { Person } from '../../person.ts'
import type { Fault } from '../fault.ts'
import { describe } from '../measure/broken-promises.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { Conditions } from '../system/servers.ts'
import { rawChat } from '../traffic/send-steadily.ts'

/** Few keys, so that the fault can use each key once before. The first use of a key takes memory in Redis. */
const conditions: Conditions = { keys: 200 }
const leftBytes = 150_000
const lastsMs = 30_000
const workers = 3
/** Pause after a refusal. */
const retryMs = 50
const question = { model: 'steady', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

/** One account changes its keys as fast as it can while Redis has little memory left. */
export const keyChurn: Fault = {
  name: 'key-churn-full',
  summary: `an account creates, rotates and revokes keys as fast as control allows, with ${leftBytes / 1000} kB of maxmemory left`,
  conditions,
  allowed: { retriesSucceed: true },
  async inject(system, _loseData, { seen, broken }) {
    const { redis, controls } = system
    const person = await new Person(system.system, 'churner').join()
    await useAll(system)
    await redis.ask(async (client) => {
      const maxBytes = used(await client.info('memory')) + leftBytes
      await client.config('SET', 'maxmemory', String(maxBytes))
    })
    const churn = new Churn(controls.map(({ url }) => person.through(url)))
    await churn.run(lastsMs)
    const grown = await redis.ask(async (client) => used(await client.info('memory')))
    await redis.ask((client) => client.config('SET', 'maxmemory', '0'))
    seen.push(`cycles of create, rotate, revoke ${churn.cycles} (answers: ${describe(churn.answers)})`)
    seen.push(`memory of Redis afterwards       ${grown} bytes`)
    if (!churn.isLimited) broken.push(`no limit on key changes of one account: ${churn.cycles} cycles`)
    if (churn.unexplained > 0) broken.push(`${churn.unexplained} of the 429 answers have no Retry-After`)
  }
}

const used = (info: string): number => Number(/^used_memory:(\d+)/m.exec(info)?.[1])

/** Uses every key once. */
async function useAll({ accounts, gateways }: ChaosSystem): Promise<void> {
  for (const { keys } of accounts) {
    await Promise.all(keys.map((key, number) => rawChat(gateways[number % gateways.length]!.url, key, question)))
  }
}

/** Changes keys of one account from several workers. Each worker makes one change at a time. */
class Churn {
  cycles = 0
  isLimited = false
  /** 429 answers without Retry-After. */
  unexplained = 0
  readonly answers = new Map<string, number>()
  readonly #people: readonly Person[]

  constructor(people: readonly Person[]) {
    this.#people = people
  }

  async run(forMs: number): Promise<void> {
    const until = performance.now() + forMs
    await Promise.all(Array.from({ length: workers }, (_, worker) => this.#work(worker, until)))
  }

  async #work(worker: number, until: number): Promise<void> {
    const person = this.#people[worker % this.#people.length]!
    while (performance.now() < until) {
      const created = await this.#change(person, 'POST', '/api/keys', { label: 'churned' })
      const { key } = created as { key?: { id: string } }
      if (key === undefined) {
        await delay(retryMs)
        continue
      }
      await this.#change(person, 'POST', `/api/keys/${key.id}/rotate`, {})
      await this.#change(person, 'DELETE', `/api/keys/${key.id}`)
      this.cycles++
    }
  }

  async #change(person: Person, method: string, path: string, body?: object): Promise<unknown> {
    const answer = await person.call<{ error?: { code: string } }>(method, path, body)
    const { status, headers } = answer
    const outcome = answer.body.error === undefined ? String(status) : `${status} ${answer.body.error.code}`
    this.answers.set(outcome, (this.answers.get(outcome) ?? 0) + 1)
    if (status === 429) {
      this.isLimited = true
      if (!headers.has('retry-after')) this.unexplained++
    }
    return answer.body
  }
}
