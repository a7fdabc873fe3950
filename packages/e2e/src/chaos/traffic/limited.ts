import type { ChaosSystem } from '../system/chaos-system.ts'
import { seedAccounts, untilProjected } from '../system/seed.ts'
import { rawChat } from './raw-chat.ts'
import { type Sent, steadily } from './sent.ts'

const clients = 6
const secondsBetween = 2
const projectedLimitMs = 60_000
const question = { model: 'quick', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }

export type LimitedTraffic = { readonly sent: readonly Sent[]; stop(): Promise<void> }

/** Clients whose plan allows a request a second. They ask half as often, so no limit is a reason to refuse any. */
export async function startLimitedTraffic({ sql, link, gateways }: ChaosSystem): Promise<LimitedTraffic> {
  const accounts = await seedAccounts(sql, { count: clients, keysEach: 1, plan: 'limited' })
  await untilProjected(sql, link, projectedLimitMs)
  const sent: Sent[] = []
  const loop = steadily(clients / secondsBetween, async (number) => {
    const { keys } = accounts[number % clients]!
    sent.push(await rawChat(gateways[number % gateways.length]!.url, keys[0]!, question))
  })
  return { sent, stop: loop.stop }
}
