import type { ChaosSystem } from '../system/chaos-system.ts'
import { seedAccounts, untilProjected } from '../system/seed.ts'
import { rawChat } from './raw-chat.ts'
import { type Sent, sendSteadily } from './send-steadily.ts'

const clients = 6
const secondsBetween = 2
const projectedTimeoutMs = 60_000
const question = { model: 'quick', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }

export interface LimitedTraffic {
  readonly sent: readonly Sent[]
  stop(): Promise<void>
}

/** Starts clients whose plan allows one request per second. They send half as many, so no rate limit applies. */
export async function startLimitedTraffic({ sql, link, gateways }: ChaosSystem): Promise<LimitedTraffic> {
  const accounts = await seedAccounts(sql, { count: clients, keysEach: 1, plan: 'limited' })
  await untilProjected(sql, link, projectedTimeoutMs)
  const sent: Sent[] = []
  const loop = sendSteadily(clients / secondsBetween, async (number) => {
    const { keys } = accounts[number % clients]!
    sent.push(await rawChat(gateways[number % gateways.length]!.url, keys[0]!, question))
  })
  return { sent, stop: loop.stop }
}
