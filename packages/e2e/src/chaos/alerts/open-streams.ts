import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosSystem, GatewayReplica } from '../system/chaos-system.ts'
import { rawChat } from '../traffic/raw-chat.ts'

const pollMs = 20
const timeoutMs = 30_000

/**
 * Opens streams of about a second at a gateway. Resolves when the model server has all of them.
 *
 * @returns waits until all have ended
 */
export async function openStreams(
  { accounts, models }: ChaosSystem,
  gateway: GatewayReplica,
  count: number
): Promise<() => Promise<unknown>> {
  const body = { model: 'ordinary', stream: true, messages: [{ role: 'user', content: 'Say 90 words.' }] }
  const keys = accounts.flatMap((account) => account.keys)
  const isOurs = ({ model }: { model: string | null }) => model?.startsWith('ordinary') === true
  const opened = () => models.requests().filter(isOurs).length
  const before = opened()
  const sent = Array.from({ length: count }, (_, index) => rawChat(gateway.url, keys[index % keys.length]!, body))
  const deadline = performance.now() + timeoutMs
  while (opened() - before < count) {
    if (performance.now() > deadline) throw new Error(`${count} streams did not open in ${timeoutMs / 1000} s`)
    await delay(pollMs)
  }
  return () => Promise.all(sent)
}
