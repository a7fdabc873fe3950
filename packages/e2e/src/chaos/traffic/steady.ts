import type { ChaosSystem } from '../system/chaos-system.ts'
import { rawChat } from './raw-chat.ts'
import { sdkChat } from './sdk-chat.ts'
import { type Sent, steadily } from './sent.ts'

const rawPerSecond = 20
const sdkPerSecond = 10
const mostWords = 12

export type SteadyTraffic = {
  /** Straight to each gateway in turn, without retries. */
  readonly raw: readonly Sent[]
  /** Through the balancer, with the official SDK and its default retries. */
  readonly sdk: readonly Sent[]
  stop(): Promise<void>
}

/** Requests with keys of many accounts, streams and others by turns. Nothing but a fault is a reason to refuse any. */
export function startSteadyTraffic({ accounts, gateways, balancer }: ChaosSystem): SteadyTraffic {
  const raw: Sent[] = []
  const sdk: Sent[] = []
  const someKey = () => {
    const { keys } = accounts[Math.floor(Math.random() * accounts.length)]!
    return keys[Math.floor(Math.random() * keys.length)]!
  }
  const words = () => 1 + Math.floor(Math.random() * mostWords)
  const loops = [
    steadily(rawPerSecond, async (number) => {
      const messages = [{ role: 'user', content: `Say ${words()} words.` }]
      const body = { model: 'steady', stream: number % 2 === 0, messages }
      raw.push(await rawChat(gateways[number % gateways.length]!.url, someKey(), body))
    }),
    steadily(sdkPerSecond, async (number) => {
      sdk.push(await sdkChat(`http://127.0.0.1:${balancer.port}`, someKey(), words(), number % 2 === 0))
    })
  ]
  return {
    raw,
    sdk,
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    }
  }
}
