import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../../person.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { rawChat } from '../traffic/raw-chat.ts'
import type { Findings } from './measured.ts'

const graceMs = 4000
/** An old secret is refused at most this long after its grace ends. */
const promisedMs = 5000
const requestEveryMs = 200
const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

/**
 * Rotates a key with a grace period, and checks at every gateway that the old secret works exactly that long.
 *
 * @param person has not changed a key yet: after PostgreSQL's clock went back, others have to wait before their second change
 */
export async function checkGrace({ gateways }: ChaosSystem, person: Person, { seen, broken }: Findings): Promise<void> {
  const created = await person.createKey('to rotate')
  if (created.status !== 201) throw new Error(`a key could not be created: ${created.status}`)
  const { id, value: secret } = created.body.key
  const ask = (url: string) => rawChat(url, { secret, account: '' }, question)
  for (const { url } of gateways) {
    const { outcome } = await ask(url)
    if (outcome !== '200') broken.push(`a new key was refused: ${outcome}`)
  }
  let [firstRefused, lastAccepted] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let until = Number.POSITIVE_INFINITY
  const watching = Promise.all(
    gateways.map(async ({ url }) => {
      while (performance.now() < until) {
        const { sentAt, answeredAt, outcome } = await ask(url)
        if (outcome === '200') lastAccepted = Math.max(lastAccepted, sentAt)
        if (outcome.startsWith('401')) firstRefused = Math.min(firstRefused, answeredAt)
        await delay(requestEveryMs)
      }
    })
  )
  const askedAt = performance.now()
  const { status } = await person.call('POST', `/api/keys/${id}/rotate`, { grace_seconds: graceMs / 1000 })
  const rotatedAt = performance.now()
  until = rotatedAt + graceMs + promisedMs + 1000
  await watching
  if (status !== 200) throw new Error(`a key could not be rotated: ${status}`)
  const seconds = (at: number, from: number) => `${((at - from) / 1000).toFixed(1)} s`
  seen.push(
    `old secret, grace of   ${graceMs / 1000} s     accepted for ${seconds(lastAccepted, rotatedAt)}, refused after ${seconds(firstRefused, askedAt)}`
  )
  if (firstRefused < askedAt + graceMs) {
    broken.push(
      `an old secret was refused ${seconds(firstRefused, askedAt)} after a rotation with a grace of ${graceMs} ms`
    )
  }
  if (lastAccepted > rotatedAt + graceMs + promisedMs) {
    broken.push(
      `an old secret was accepted ${seconds(lastAccepted, rotatedAt)} after a rotation with a grace of ${graceMs} ms`
    )
  }
}
