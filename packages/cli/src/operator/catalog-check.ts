import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { findSoldBelowCost } from '@tollgate/contracts/catalog/sold-below-cost.ts'
import {
  AdminCatalogResponse,
  type CatalogDiffRequest,
  type CatalogDiffResponse
} from '@tollgate/contracts/http/admin/catalog.ts'
import { UpstreamsFile } from '@tollgate/gateway/upstreams/upstreams-file.ts'
import { parseCatalog } from '@tollgate/service/catalog/catalog-file.ts'
import { FileError, parseYaml } from '@tollgate/service/config/read-yaml.ts'
import { CommandError, type CommandIo, exitCodes, UsageError } from '../commands/command.ts'
import { type Action, type Input, printable, show, table } from '../commands/create-command.ts'
import { comparePrices, type PriceDifference } from '../prices/compare-prices.ts'
import { openPriceList, priceListDay, priceListVersion } from '../prices/price-list.ts'
import { createAdminClient } from './admin-client.ts'

export const versionOption = { version: { value: 'N', text: 'an earlier catalog, instead of FILE' } } as const

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const maxListDays = 45

/**
 * Every hour of the next day, and of the day 30 days later: providers announce prices, and some charge more at some
 * hours.
 */
const comparedTimes = (now: number): number[] =>
  [now, now + 30 * dayMs].flatMap((day) => Array.from({ length: 24 }, (_, hour) => day + hour * hourMs))

export const check: Action = {
  name: 'check',
  summary:
    'Compares prices with a public price list, now and in 30 days. It exits with 1 if a price is below it without a reason in the catalog. It also says where customers pay less than an upstream bills. Default: the catalog in force.',
  operands: ['[FILE]'],
  options: { upstreams: { value: 'FILE', text: 'the gateway’s upstreams file, to find providers by their hosts' } },
  async run(input, io) {
    const text = await readCatalogText(input, io)
    const catalog = valid(() => parseCatalog(text, input.operands[0] ?? 'the catalog in force'))
    const { models } = catalog
    const list = await openPriceList(readBaseUrls(input, io))
    const now = Date.now()
    const days = Math.floor((now - Date.parse(priceListDay)) / dayMs)
    const differences = comparePrices({ models }, list, comparedTimes(now))
    const result: PriceCheck = {
      ok: differences.every(({ result, because }) => result !== 'below' || because !== null),
      list: {
        name: '@pydantic/genai-prices',
        version: priceListVersion,
        date: priceListDay,
        age_days: days,
        is_old: days > maxListDays
      },
      models: Object.keys(models).length,
      below_cost: findSoldBelowCost(catalog, now),
      differences: differences.map(
        ({ model, served, entry, kind, abovePromptTokens, at, catalogUsd, listUsd, result, because }) => ({
          model,
          served,
          entry,
          kind,
          above_prompt_tokens: abovePromptTokens,
          at: new Date(at).toISOString(),
          catalog_usd: catalogUsd,
          list_usd: listUsd,
          result,
          because
        })
      )
    }
    show(input, io, result, () => describePriceCheck(result, now))
    return result.ok ? exitCodes.done : exitCodes.failed
  }
}

async function readCatalogText(input: Input, io: CommandIo): Promise<string> {
  const [file] = input.operands
  if (file !== undefined) return readNamed(file, io)
  const { yaml } = await createAdminClient(io).call(AdminCatalogResponse, 'GET', '/catalog')
  return yaml
}

/** Base URLs of upstreams. Credentials are not needed, and not read. */
function readBaseUrls(input: Input, io: CommandIo): Map<string, string> {
  const file = input.text('upstreams')
  if (file === null) return new Map()
  const { upstreams } = valid(() => parseYaml(readNamed(file, io), file, UpstreamsFile))
  return new Map(
    Object.entries(upstreams).map(([name, { base_url, base_url_variable: variable }]) => [
      name,
      (variable !== undefined && io.env[variable]) || base_url
    ])
  )
}

/** @throws CommandError for a file that is not valid */
function valid<Content>(read: () => Content): Content {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof FileError) throw new CommandError(cause.message, { cause })
    throw cause
  }
}

/** The result of `tollgate catalog check`. */
export interface PriceCheck {
  /** Whether every price below the list has a reason in the catalog. */
  readonly ok: boolean
  readonly list: {
    readonly name: string
    readonly version: string
    readonly date: string
    readonly age_days: number
    readonly is_old: boolean
  }
  /** Where an upstream bills more than customers pay, in sentences. */
  readonly below_cost: readonly string[]
  /** How many were compared. */
  readonly models: number
  readonly differences: readonly CheckedPrice[]
}

interface CheckedPrice {
  readonly model: string
  /** Upstream and its name of the model. */
  readonly served: string
  /** The model in the list; null if the list does not know it. */
  readonly entry: string | null
  readonly kind: string | null
  readonly above_prompt_tokens: number
  readonly at: string
  /** USD per million tokens, or per thousand calls or requests. */
  readonly catalog_usd: number | null
  readonly list_usd: number | null
  readonly result: PriceDifference['result']
  /** Why, if the catalog says so. */
  readonly because: string | null
}

/** The result for people. @param now Unix milliseconds */
function describePriceCheck({ list, models, below_cost: losses, differences }: PriceCheck, now: number): string {
  const [explained, open] = [
    differences.filter(({ because }) => because !== null),
    differences.filter(({ because }) => because === null)
  ]
  const count = (result: CheckedPrice['result']): number => open.filter((one) => one.result === result).length
  const rows = [...open, ...explained].map((one) => [
    one.model,
    one.kind ?? 'all',
    one.above_prompt_tokens === 0 ? 'any' : `over ${one.above_prompt_tokens}`,
    Date.parse(one.at) === now ? 'now' : `${one.at.slice(0, 16)}Z`,
    one.catalog_usd,
    one.list_usd,
    differenceOf(one),
    one.entry ?? `not listed: ${one.served}`,
    one.because ?? (one.result === 'below' ? 'BELOW' : one.result)
  ])
  return [
    `Price list: ${list.name} ${list.version} of ${list.date}, ${list.age_days} days old`,
    ...(list.is_old
      ? ['Warning: the list is older than 45 days. It may lack new prices. Check those of your providers, too.']
      : []),
    '',
    table(
      [['MODEL', 'KIND', 'PROMPT', 'FROM', 'CATALOG', 'LIST', 'DIFFERENCE', 'LISTED AS', 'RESULT'], ...rows],
      `All prices of ${models} models are those of the list.`
    ),
    ...(rows.length === 0
      ? []
      : [
          '',
          'Prices are USD per million tokens, or per 1000 calls or requests.',
          `${count('below')} below the list, ${count('above')} above, ${count('unknown')} unknown, ` +
            `${explained.length} with a reason in the catalog. Models: ${models}`
        ]),
    ...(losses.length === 0 ? [] : ['', 'Sold below cost:', ...losses.map((text) => `  ${printable(text)}`)])
  ].join('\n')
}

/** The catalog's price less the list's, with the per cent of the list's. */
function differenceOf({ catalog_usd: ours, list_usd: theirs }: CheckedPrice): string | null {
  if (ours === null || theirs === null) return null
  // Prices are whole millionths; floating point is not.
  const difference = Math.round((ours - theirs) * 1e6) / 1e6
  const sign = difference > 0 ? '+' : ''
  const percent = theirs === 0 ? '' : ` (${sign}${((difference / theirs) * 100).toFixed(1)}%)`
  return `${sign}${difference}${percent}`
}

/**
 * Reads the catalog that a person named.
 *
 * @throws UsageError without a file or a version, or if the file cannot be read
 */
export function readCandidate(input: Input, io: Pick<CommandIo, 'cwd'>): CatalogDiffRequest {
  const [file] = input.operands
  const version = input.text('version')
  if ((file === undefined) === (version === null)) throw new UsageError('Give either a catalog file or --version.')
  if (version !== null) {
    if (!/^[1-9]\d{0,8}$/.test(version))
      throw new UsageError('--version: write a number. See: tollgate catalog history')
    return { version: Number(version) }
  }
  return { yaml: readNamed(file!, io) }
}

/** The text of a file that a person named. @throws UsageError if it cannot be read */
function readNamed(file: string, io: Pick<CommandIo, 'cwd'>): string {
  try {
    return readFileSync(resolve(io.cwd, file), 'utf8')
  } catch (cause) {
    throw new UsageError(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code}).`, cause)
  }
}

/** What a catalog would change, for people. */
export function describeDiff({ problems, warnings, changes }: CatalogDiffResponse): string {
  const list = (title: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : [`${title}\n${texts.map((text) => `  ${printable(text)}`).join('\n')}`]
  return [
    ...list('It cannot be applied:', problems),
    ...list('Read before you apply it:', warnings),
    table(
      [
        ['CHANGE', 'FROM', 'TO', 'ACCOUNTS', 'MEANING'],
        ...changes.map(({ path, from, to, accounts, meaning }) => [path, from, to, accounts, meaning])
      ],
      'It changes nothing.'
    )
  ].join('\n\n')
}
