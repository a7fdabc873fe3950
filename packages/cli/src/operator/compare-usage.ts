import type { DailyUsage } from './provider-usage.ts'

/** How the ledger and a provider differ in one amount. */
export interface Deviation {
  readonly ledger: number
  readonly provider: number
  /** Ledger minus provider. */
  readonly difference: number
  /** Of the provider's amount; null if that is 0 and the ledger's is not. */
  readonly percent: number | null
}

export interface ComparedUsage {
  readonly day: string
  readonly model: string
  readonly requests: Deviation
  readonly inputTokens: Deviation
  readonly outputTokens: Deviation
  /** Null if the provider's cost is not known. */
  readonly costUsd: Deviation | null
  readonly isWithinTolerance: boolean
}

/** A model's dated snapshot, such as `gpt-4o-mini-2024-07-18`. */
const snapshot = /-\d{4}-\d{2}-\d{2}$/

/**
 * Compares the ledger with a provider's export, for each day that the export has.
 *
 * A provider's model counts for the model of the ledger that `names` gives it; without one, for the model of the same name, or of
 * the name without the date of a snapshot. Only models of the export are compared: other models come from other providers.
 *
 * @param tolerance per cent
 */
export function compareUsage(
  ledger: readonly DailyUsage[],
  provider: readonly DailyUsage[],
  names: ReadonlyMap<string, string>,
  tolerance: number
): ComparedUsage[] {
  const models = new Set(ledger.map(({ model }) => model))
  const nameOf = (model: string): string => {
    const given = names.get(model)
    if (given !== undefined) return given
    return models.has(model) ? model : model.replace(snapshot, '')
  }
  const theirs = sumByDay(provider.map((usage) => ({ ...usage, model: nameOf(usage.model) })))
  const compared = new Set([...theirs.values()].map(({ model }) => model))
  const days = new Set(provider.map(({ day }) => day))
  const ours = sumByDay(ledger.filter(({ day, model }) => days.has(day) && compared.has(model)))
  return [...new Set([...ours.keys(), ...theirs.keys()])].sort().map((place) => {
    const [day, model] = place.split('\n') as [string, string]
    return compare(ours.get(place) ?? nothing(day, model), theirs.get(place) ?? nothing(day, model), tolerance)
  })
}

const nothing = (day: string, model: string): DailyUsage => ({
  ...{ day, model },
  ...{ requests: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 }
})

function sumByDay(usages: readonly DailyUsage[]): Map<string, DailyUsage> {
  const sums = new Map<string, DailyUsage>()
  for (const usage of usages) {
    const place = `${usage.day}\n${usage.model}`
    const sum = sums.get(place) ?? nothing(usage.day, usage.model)
    sums.set(place, {
      ...sum,
      requests: sum.requests + usage.requests,
      inputTokens: sum.inputTokens + usage.inputTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
      costUsd: sum.costUsd === null || usage.costUsd === null ? null : sum.costUsd + usage.costUsd
    })
  }
  return sums
}

function compare(ours: DailyUsage, theirs: DailyUsage, tolerance: number): ComparedUsage {
  const requests = deviation(ours.requests, theirs.requests)
  const inputTokens = deviation(ours.inputTokens, theirs.inputTokens)
  const outputTokens = deviation(ours.outputTokens, theirs.outputTokens)
  const isWithin = ({ percent }: Deviation) => percent !== null && Math.abs(percent) <= tolerance
  return {
    ...{ day: theirs.day, model: theirs.model, requests, inputTokens, outputTokens },
    // Prices of the catalog need not be those of the provider, so the cost is only shown.
    costUsd: ours.costUsd === null || theirs.costUsd === null ? null : deviation(ours.costUsd, theirs.costUsd),
    isWithinTolerance: [requests, inputTokens, outputTokens].every(isWithin)
  }
}

function deviation(ledger: number, provider: number): Deviation {
  const difference = ledger - provider
  const percent = difference === 0 ? 0 : provider === 0 ? null : (difference / provider) * 100
  return { ledger, provider, difference, percent }
}
