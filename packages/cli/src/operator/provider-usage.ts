import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { CommandError } from '../commands/command.ts'

/** A model's dated snapshot, such as `gpt-4o-mini-2024-07-18`. */
const snapshot = /-\d{4}-\d{2}-\d{2}$/

/** Usage of one model on one day (UTC). */
export interface DailyUsage {
  readonly day: string
  readonly model: string
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Null if it is not known. */
  readonly costUsd: number | null
}

type Row = Readonly<Record<string, string | undefined>>

/** A form of CSV. */
interface Form {
  /** Columns that only this form has. */
  readonly columns: readonly string[]
  read(row: Row): DailyUsage | null
}

/**
 * Columns of OpenAI's export of completions and embeddings, as of November 2026. A bucket without usage has no model.
 */
const openAi: Form = {
  columns: ['start_time', 'num_model_requests', 'input_tokens', 'model'],
  read: (row) =>
    !row.model
      ? null
      : {
          day: new Date(count(row.start_time) * 1000).toISOString().slice(0, 10),
          model: row.model,
          requests: count(row.num_model_requests),
          inputTokens: count(row.input_tokens),
          outputTokens: count(row.output_tokens),
          costUsd: null
        }
}

/** `date,model,requests,input_tokens,output_tokens[,cost_usd]` */
const generic: Form = {
  columns: ['date', 'model', 'requests', 'input_tokens', 'output_tokens'],
  read(row) {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(row.date ?? ''))
      throw new Error(`date: "${row.date}" is not a day such as 2026-11-23`)
    if (!row.model) throw new Error('model is empty')
    return {
      day: row.date!,
      model: row.model,
      requests: count(row.requests),
      inputTokens: count(row.input_tokens),
      outputTokens: count(row.output_tokens),
      costUsd: row.cost_usd === undefined || row.cost_usd === '' ? null : count(row.cost_usd)
    }
  }
}

/**
 * Reads a provider's export, row by row.
 *
 * @returns the sums by day and model
 * @throws CommandError if the file cannot be read, or has another form
 */
export async function readProviderUsage(path: string): Promise<DailyUsage[]> {
  const sums = new Map<string, DailyUsage>()
  let line = 1
  const read = async (rows: AsyncIterable<Row>): Promise<void> => {
    let form: Form | null = null
    for await (const row of rows) {
      line++
      form ??= formOf(Object.keys(row))
      const usage = form.read(row)
      if (usage !== null) add(sums, usage)
    }
    if (form === null) throw new Error('the file has no rows')
  }
  try {
    const options = { columns: true, bom: true, trim: true, skip_empty_lines: true } as const
    await pipeline(createReadStream(path), parse(options), read)
  } catch (cause) {
    throw new CommandError(`${path}, row ${line}: ${(cause as Error).message}`, { cause })
  }
  return [...sums.values()]
}

function formOf(columns: readonly string[]): Form {
  const form = [openAi, generic].find((one) => one.columns.every((column) => columns.includes(column)))
  if (form !== undefined) return form
  throw new Error(
    `the columns are neither those of OpenAI's usage export nor date,model,requests,input_tokens,output_tokens[,cost_usd]`
  )
}

function count(text: string | undefined): number {
  const number = Number(text === '' || text === undefined ? 0 : text)
  if (!Number.isFinite(number) || number < 0) throw new Error(`"${text}" is not a number`)
  return number
}

function add(sums: Map<string, DailyUsage>, usage: DailyUsage): void {
  const name = `${usage.day} ${usage.model}`
  const sum = sums.get(name)
  sums.set(
    name,
    sum === undefined
      ? usage
      : {
          ...sum,
          requests: sum.requests + usage.requests,
          inputTokens: sum.inputTokens + usage.inputTokens,
          outputTokens: sum.outputTokens + usage.outputTokens,
          costUsd: sum.costUsd === null || usage.costUsd === null ? null : sum.costUsd + usage.costUsd
        }
  )
}

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

/**
 * Compares the ledger with a provider's export, for each day that the export has.
 *
 * A provider's model counts for the model of the ledger that `names` gives it; without one, for the model of the same
 * name, or of the name without the date of a snapshot. Only models of the export are compared: other models come from
 * other providers.
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
    const name = names.get(model)
    if (name !== undefined) return name
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
  day,
  model,
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0
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
    day: theirs.day,
    model: theirs.model,
    requests,
    inputTokens,
    outputTokens,
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
