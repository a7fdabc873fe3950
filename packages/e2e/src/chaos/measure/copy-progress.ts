import type { ChaosSystem } from '../system/chaos-system.ts'

/** Everything that was settled in Redis before this time is in PostgreSQL; ms since the epoch. */
export interface CopiedUntil {
  usage: number
  receipts: number
}

const lagNames = { usage: 'tollgate_ledger_lag_seconds', receipts: 'tollgate_request_log_lag_seconds' } as const

/**
 * Asks every replica of control how far it has copied from Redis to PostgreSQL. The furthest one counts.
 *
 * @throws Error if no replica answers
 */
export async function readCopiedUntil({ controls }: Pick<ChaosSystem, 'controls'>): Promise<CopiedUntil> {
  const askedAt = Date.now()
  const answers = await Promise.allSettled(
    controls.map(async ({ adminUrl }) => (await fetch(`${adminUrl}/metrics`)).text())
  )
  const texts = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const copiedUntil = (name: string): number => {
    const lags = texts.flatMap((text) => new RegExp(`^${name} ([\\d.e+-]+)$`, 'm').exec(text)?.[1] ?? [])
    if (lags.length === 0) throw new Error(`no replica of control has ${name}`)
    return askedAt - Math.min(...lags.map(Number)) * 1000
  }
  return { usage: copiedUntil(lagNames.usage), receipts: copiedUntil(lagNames.receipts) }
}
