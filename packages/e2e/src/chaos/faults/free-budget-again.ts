import { setTimeout as delay } from 'node:timers/promises'
import { Person } from '../../person.ts'
import type { Fault } from '../fault.ts'
import { producedIn } from '../measure/produced-and-charged.ts'
import { modelOf } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { questionTo, rawAsk } from '../traffic/send-steadily.ts'

const budgetNanos = 2_000_000
/** The first account leaves a part of the budget to the next ones. */
const firstNanos = 0.4 * budgetNanos
/** Tags of the mailbox's addresses, in turn. The first one registers twice. */
const tags = ['1', '1', '2', '3']
const maxKilledAfterMs = 60
const attempts = 100
const retryMs = 200
const question = (model: string) =>
  questionTo('chat', { model, stream: model === 'slow', maxTokens: 50, text: 'Say 50 words.' })
const isOfMailbox = (model: string) => model === 'watched' || model === 'slow'
/** The answer when the budget is spent. */
const spent = /^402 /

/** Somebody registers the same mailbox again and again. Control is killed in each deletion. */
export const freeBudgetAgain: Fault = {
  name: 'free-budget-again',
  summary:
    'somebody registers, spends, deletes the account and registers the same mailbox; control is killed in each deletion',
  conditions: { plan: 'pro', keys: 1000, freeMonthUsd: budgetNanos / 1e9 },
  // Two replicas are killed in each deletion. Each sends four mails at once.
  allowed: { retriesSucceed: true, mailsRepeated: 8 * tags.length },
  async inject(system, _loseData, { seen, broken }) {
    const mailbox = `again-${crypto.randomUUID().slice(0, 8)}`
    const spentNanos = () =>
      producedIn(system.models.requests().filter((request) => isOfMailbox(modelOf(request)))).nanos
    const shares: number[] = []
    for (const [index, tag] of tags.entries()) {
      const before = spentNanos()
      const person = await join(system, `${mailbox}+${tag}@example.com`)
      const { status, body } = await person.createKey('again')
      if (status !== 201) throw new Error(`a key could not be created: ${status}`)
      const { value: secret } = body.key
      await spend(system, secret, () => index === 0 && spentNanos() >= firstNanos)
      const streams = system.gateways.map(({ url }) => rawAsk(url, { secret, account: '' }, 'chat', question('slow')))
      await deleteAndKill(system, person)
      await Promise.all(streams)
      shares.push(spentNanos() - before)
    }
    const total = spentNanos()
    seen.push(`spent by accounts of one mailbox  ${shares.join(' + ')} of ${budgetNanos} nanodollars`)
    if (total > budgetNanos)
      broken.push(`accounts of one mailbox spent ${total} nanodollars of a free budget of ${budgetNanos}`)
    if (shares[0]! < firstNanos || shares[1] === 0) broken.push('the accounts spent too little to show anything')
  }
}

async function join(system: ChaosSystem, email: string): Promise<Person> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await new Person(system.system, 'again', email).join()
    } catch (error) {
      // The mail of the address's last account may still be the newest one.
      if (attempt === 3) throw error
      await delay(retryMs)
    }
  }
}

/** Spends through all gateways at once, until the budget is spent or enough is. */
async function spend({ gateways }: ChaosSystem, secret: string, isEnough: () => boolean): Promise<void> {
  await Promise.all(
    gateways.map(async ({ url }) => {
      while (!isEnough()) {
        const { outcome } = await rawAsk(url, { secret, account: '' }, 'chat', question('watched'))
        if (spent.test(outcome)) return
        if (outcome !== '200') throw new Error(`a key with a free budget got ${outcome}`)
      }
    })
  )
}

/** Kills all replicas of control at a random moment of the deletion, and asks again until it is complete. */
async function deleteAndKill(system: ChaosSystem, person: Person): Promise<void> {
  const { controls } = system
  const ask = (attempt: number) =>
    person
      .through(controls[attempt % controls.length]!.url)
      .call('DELETE', '/api/auth/me')
      .then(
        ({ status }) => status,
        () => 0
      )
  const first = ask(0)
  await delay(Math.random() * maxKilledAfterMs)
  await Promise.all(controls.map(({ part }) => part.kill('SIGKILL')))
  await first
  await Promise.all(controls.map(({ part }) => part.start()))
  // 401: the deletion ended the session.
  for (let attempt = 1; ; attempt++) {
    const status = await ask(attempt)
    if (status === 200 || status === 401) return
    if (attempt === attempts) throw new Error(`a user could not be deleted: ${status}`)
    await delay(retryMs)
  }
}
