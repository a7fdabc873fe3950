import { setTimeout as delay } from 'node:timers/promises'
import type { Findings } from '../measure/measurement.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { rawChat } from './raw-chat.ts'

const graceMs = 4000
/** A former secret dies so long after its grace at the latest. */
const promisedMs = 5000
const askEveryMs = 200
const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

/** Rotates a key with a grace, and asks every gateway with its former secret: it must live as long as the grace, and not longer. */
export async function judgeGrace({ people, gateways }: ChaosSystem, { seen, broken }: Findings): Promise<void> {
  const [person] = people
  const created = await person!.createKey('to be rotated')
  if (created.status !== 201) throw new Error(`a key could not be created: ${created.status}`)
  const { id, value: secret } = created.body.key
  const ask = (url: string) => rawChat(url, { secret, account: '' }, question)
  for (const { url } of gateways) {
    const { outcome } = await ask(url)
    if (outcome !== '200') broken.push(`a new key is told ${outcome}`)
  }
  let [firstRefused, lastAccepted] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let until = Number.POSITIVE_INFINITY
  const watching = Promise.all(
    gateways.map(async ({ url }) => {
      while (performance.now() < until) {
        const { sentAt, answeredAt: judgedBy, outcome } = await ask(url)
        if (outcome === '200') lastAccepted = Math.max(lastAccepted, sentAt)
        if (outcome.startsWith('401')) firstRefused = Math.min(firstRefused, judgedBy)
        await delay(askEveryMs)
      }
    })
  )
  const askedAt = performance.now()
  const { status } = await person!.call('POST', `/api/keys/${id}/rotate`, { grace_seconds: graceMs / 1000 })
  const answeredAt = performance.now()
  until = answeredAt + graceMs + promisedMs + 1000
  await watching
  if (status !== 200) throw new Error(`a key could not be rotated: ${status}`)
  const seconds = (at: number, from: number) => `${((at - from) / 1000).toFixed(1)} s`
  seen.push(
    `former secret, grace of ${graceMs / 1000} s     accepted for ${seconds(lastAccepted, answeredAt)}, refused after ${seconds(firstRefused, askedAt)}`
  )
  if (firstRefused < askedAt + graceMs) {
    broken.push(
      `a former secret was refused ${seconds(firstRefused, askedAt)} after a rotation with a grace of ${graceMs} ms`
    )
  }
  if (lastAccepted > answeredAt + graceMs + promisedMs) {
    broken.push(
      `a former secret was accepted ${seconds(lastAccepted, answeredAt)} after a rotation with a grace of ${graceMs} ms`
    )
  }
}
